//! The arguments of queries.

use std::path::PathBuf;

use bvhc_runtime::{Model, PairError, Realign, Volume, WorkBudget};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Subcommand, ValueEnum};

use super::MeshesArgs;
use crate::cli::error::UsageError;

const LINES: &str = "\
A query is a line of numbers, separated by blanks or commas. What follows a `#` is a comment; empty lines are \
skipped. Every query gives one row, in order, below a header line. Floats are printed so that they read \
back to the same bits; rows and names are quoted as RFC 4180 says. A query that finds nothing prints 0 and \
leaves the other fields empty. So does an empty one: a box of which a minimum is more than the maximum, a \
negative radius or distance, a range that ends before it begins. Those numbers may be infinite (`inf`); NaN, a \
position or direction that is not finite, a direction of zero and a position beyond 2^60, but for spheres, are errors.

  kind      a line of input                                prints
  ray       ox oy oz  dx dy dz  [t_min [t_max]]            hit,t,u,v,face,material,group,nx,ny,nz
  any       the same                                       hit
  point     x y z  [max_distance]                          found,distance,x,y,z,face
  box       minx miny minz  maxx maxy maxz                 count,faces
  sphere    x y z  radius                                  count,faces
  inside    x y z                                          place,winding
  signed-distance  x y z                                   distance,x,y,z,face
  field     x y z                                          distance,gx,gy,gz,error
  collide   r11 r12 r13  r21 r22 r23  r31 r32 r33  x y z   collides,pairs
  distance  the same                                       distance,ax,ay,az,bx,by,bz,face_a,face_b
  overlap   SHAPE (`bvhc query overlap --help`)            count,faces
  cast      SHAPE  dx dy dz  [t_max]                       hit,t,x,y,z,nx,ny,nz,face,depth
  touches   SHAPE                                          count,contacts

field samples what `--field` has stored, limited to its band; the error is a bound, \
beyond the band often nearly half the band's width.

Of a file with a world, rows name the instance, too, in a column `instance` before that of the face; box, sphere, overlap and \
touches have the names of all instances that are touched, and for each its faces or contacts, with semicolons between. inside \
prints place,winding,instance: the place is in if the point is in any instance, and the number is the sum of all. `bvhc \
query pairs` lists the pairs of a world's instances that are near each other. The meshes of a thin world are found in the folders \
of `--meshes`, else beside it.

A direction need not be of unit length; t counts in its length. The range defaults to 0 to inf. u and v weigh \
the triangle's second and third corner. Faces count from 0 in the order of the model's faces (OBJ: `f` \
lines); box and sphere list those that they touch, each once, ascending, with blanks between. The group is \
the object's name where a face has no group. The place is in, out, on (the surface) or unsure; a winding number is \
an integer where the surface is closed, and empty on the surface. A point is inside where its winding number is not nearest \
to 0; signed distances are negative there. Where a surface has holes, the number is computed with a bound of its error, and \
unsure is what that leaves open. The numbers of collide and distance are a rotation's rows and a \
translation, which take a point of the second model into the space of the first; pairs is empty without --pairs.";

const COLLIDE_HELP: &str = "\
A pose is a line of twelve numbers, separated by blanks or commas: the rows of a rotation matrix R, then a \
translation T. A point x of B is at R x + T in A's space. What follows a `#` is a comment; empty lines are \
skipped. A matrix may be off by 1e-4, as one of few digits is, and is then replaced by the nearest rotation; \
any other is an error.

Every pose gives one row: 1 or 0, and with --pairs the number of pairs of triangles that meet. Surfaces meet, \
not solids: touching counts, and a model that is wholly inside the other one meets nothing. The vertices are \
those in the files: a small layout has moved them a little. A query that takes too many steps, as it may in files \
made to that end, prints `exhausted` in place of 1 or 0.

A may be a world: poses then take B into it, and the row names the instances that B meets, with semicolons between.

Example, two monkeys half a unit apart:
  echo 1 0 0  0 1 0  0 0 1  0.5 0 0 | bvhc query collide suzanne.bvh suzanne.bvh --pairs";

const DISTANCE_HELP: &str = "\
A pose is a line of twelve numbers, as of `bvhc query collide`: the rows of a rotation matrix R, then a translation T. \
A point x of B is at R x + T in A's space.

Every pose gives one row: the least distance of a triangle of A and one of B, the nearest point of each in A's space, and \
their faces. Where triangles meet, the distance is 0 and the points are one point of both. Surfaces have distances, not \
solids: a model inside the other one is as far away as its surface is. With --within, a row whose distance is more has \
empty fields. With --abs-error or --rel-error, another pair may be found that is farther apart, by no more \
than that. A query that takes too many steps prints `exhausted` as its distance.

A may be a world: the row then names the nearest instance before its face.

Example, two monkeys three units apart:
  echo 1 0 0  0 1 0  0 0 1  3 0 0 | bvhc query distance suzanne.bvh suzanne.bvh";

const SHAPES: &str = "\
A query is a line: a shape, and for a cast a displacement. Blanks or commas separate the fields; what follows a `#` is a \
comment; empty lines are skipped. Every query gives one row, in order, below a header line.

  shape                                          numbers
  ball x y z  r                                  centre, radius
  capsule ax ay az  bx by bz  r                  the two ends of a segment, radius
  box x y z  hx hy hz  [r11 r12 r13 ... r33]     centre, half extents, rows of a rotation
  cylinder ax ay az  bx by bz  r                 the centres of the caps, radius
  triangle ax ay az  bx by bz  cx cy cz          corners
  points n  x y z  ...  r                        the convex hull of n points, grown by a radius

  kind      a line of input                      prints
  overlap   SHAPE                                count,faces
  cast      SHAPE  dx dy dz  [t_max]             hit,t,x,y,z,nx,ny,nz,face,depth
  touches   SHAPE                                count,contacts

Shapes are solid and closed: touching counts, exactly. overlap lists the faces that are touched, each once, ascending. \
A cast moves the shape by t times the displacement, t from 0 to 1 or t_max, and prints the last t before it touches, rounded \
down, the point and the unit normal of the contact, which points to the shape, and the face. A shape that touches from the \
start has t = 0 and the depth by which it must move along the normal to be free. touches lists contacts as \
face/gap/x/y/z/nx/ny/nz, the least gap first (with --manifold those of a normal together); a gap is the distance along the \
normal, or the depth with a minus. Empty shapes, as those with a negative radius, touch nothing. Numbers must be finite, but t_max may be `inf`, \
and those of shapes at most 2^60 in magnitude.

Of a file with a world, rows name the instance in a column `instance` before faces or contacts: overlap and touches name all \
that are touched, and for each its faces or contacts, with semicolons between.

Example, a person who walks into a wall:
  echo capsule 0 0.3 0  0 1.5 0  0.3   5 0 0 | bvhc query cast level.bvh";

/// `bvhc query KIND ...`
#[derive(Debug, clap::Args)]
#[command(after_help = LINES, subcommand_value_name = "KIND", subcommand_help_heading = "Kinds")]
pub(in crate::cli) struct QueryArgs {
    #[command(subcommand)]
    pub(in crate::cli) query: Query,
}

/// The queries.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Query {
    /// Find the closest hit of a ray
    #[command(after_help = LINES)]
    Ray(ModelArgs),
    /// Test whether a ray hits anything
    #[command(after_help = LINES)]
    Any(ModelArgs),
    /// Find the closest point of the model
    #[command(after_help = LINES)]
    Point(ModelArgs),
    /// List all faces that touch an axis-aligned box
    #[command(after_help = LINES)]
    Box(ModelArgs),
    /// List all faces that touch a ball
    #[command(after_help = LINES)]
    Sphere(ModelArgs),
    /// List all faces that touch a shape
    #[command(after_help = SHAPES)]
    Overlap(ModelArgs),
    /// Find what a moving shape touches first
    #[command(after_help = SHAPES)]
    Cast(ModelArgs),
    /// List the contacts of a shape with all faces that are near it
    #[command(after_help = SHAPES)]
    Touches(TouchesArgs),
    /// Tell whether a point is inside the model, with its winding number
    #[command(after_help = LINES)]
    Inside(ModelArgs),
    /// Find the closest point of the model and its distance, negative inside
    #[command(after_help = LINES)]
    SignedDistance(ModelArgs),
    /// Sample the distance field of a file compiled with `--field`: the distance, its gradient, and a bound of the error
    #[command(after_help = LINES)]
    Field(ModelArgs),
    /// Test whether two models collide, for each of a list of poses
    #[command(after_help = COLLIDE_HELP)]
    Collide(CollideArgs),
    /// Find the distance between two models, for each of a list of poses
    #[command(after_help = DISTANCE_HELP)]
    Distance(DistanceArgs),
    /// List all pairs of a world's instances that are near each other
    Pairs(PairsArgs),
}

/// What flags are for that worlds do not know.
const MODELS: &str = "two models, not for worlds";

/// Arguments of the query for pairs of instances.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PairsArgs {
    /// The compiled world
    pub(in crate::cli) file: PathBuf,
    /// List pairs that are at most D apart; 0 lists those that meet. Prints `a,b,distance`, sorted by name
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = not_negative)]
    pub(in crate::cli) margin: f64,
    #[command(flatten)]
    pub(in crate::cli) meshes: MeshesArgs,
}

/// Arguments of queries on one model.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ModelArgs {
    /// The compiled file
    pub(in crate::cli) file: PathBuf,
    /// Read the queries from this file instead of standard input
    #[arg(long, value_name = "F")]
    pub(in crate::cli) input: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) meshes: MeshesArgs,
}

/// Arguments of queries for contacts.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TouchesArgs {
    #[command(flatten)]
    pub(in crate::cli) model: ModelArgs,
    /// List contacts with faces that are at most M from the shape
    #[arg(long, value_name = "M", default_value_t = 0.0, allow_negative_numbers = true, value_parser = not_negative)]
    pub(in crate::cli) margin: f64,
    /// Give contacts at edges and corners where the surface bends away by at most this angle, in degrees, the normals of faces;
    /// for files compiled with `--edges`
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = not_negative)]
    pub(in crate::cli) edge_angle: Option<f64>,
    /// List at most four contacts of each normal
    #[arg(long)]
    pub(in crate::cli) manifold: bool,
}

/// Arguments of collision queries.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CollideArgs {
    /// The compiled file that stays in place
    pub(in crate::cli) a: PathBuf,
    /// The compiled file that the poses move; may be the same file
    pub(in crate::cli) b: PathBuf,
    /// Read the poses of B from this file instead of standard input
    #[arg(long, value_name = "F")]
    pub(in crate::cli) poses: Option<PathBuf>,
    /// Count the pairs of triangles that intersect; takes longer than a yes or no
    #[arg(long)]
    pub(in crate::cli) pairs: bool,
    #[command(flatten)]
    pub(in crate::cli) meshes: MeshesArgs,
    #[command(flatten)]
    pub(in crate::cli) work: WorkArgs,
    #[command(flatten)]
    pub(in crate::cli) volume: VolumeArgs,
}

/// The limit on the work of queries on two models.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct WorkArgs {
    /// End a query after N steps, each of two nodes, two leaves or two triangles: the row then says `exhausted`
    /// [default: 16 for each byte of the two files]
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
}

impl WorkArgs {
    /// Refuses the limit.
    pub(in crate::cli) fn refuse(&self) -> Result<(), UsageError> {
        match self.max_steps {
            Some(_) => Err(UsageError::NoEffect { flag: "--max-steps", with: MODELS }),
            None => Ok(()),
        }
    }

    /// The steps that a query may take.
    pub(in crate::cli) fn budget(&self, models: [&Model<'_>; 2]) -> WorkBudget {
        self.max_steps.map_or_else(|| WorkBudget::of_models(models), WorkBudget::of_steps)
    }
}

/// The bounding volumes of queries on two models.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct VolumeArgs {
    /// The bounding volumes that prune; answers do not depend on them [default: obb, or aabb if a file has no other]
    #[arg(long, value_parser = volumes(), value_name = "VOLUME")]
    volume: Option<Volume>,
    /// With `--volume kdop`: how the second model's k-DOPs are realigned [default: triples]
    #[arg(long, value_enum, value_name = "WAY")]
    realign: Option<RealignArg>,
}

/// The values of `--volume`.
fn volumes() -> impl TypedValueParser<Value = Volume> {
    let value = |volume: &Volume| {
        let (name, description) = (volume.name(), volume.description());
        PossibleValue::new(name).help(match volume {
            Volume::Obb | Volume::Aabb => description.to_owned(),
            _ => format!("{description}; for files compiled with `--trees aabb,obb,{name}`"),
        })
    };
    let names = PossibleValuesParser::new(Volume::ALL.iter().map(value).collect::<Vec<_>>());
    names.map(|name| Volume::ALL.iter().copied().find(|volume| volume.name() == name).unwrap_or_default())
}

/// [`Realign`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RealignArg {
    /// From the extents along the axes; not for 12 directions
    Axes,
    /// From the extents along the three directions around each
    Triples,
    /// From the tables of `--kdop-tables occupancy`
    Occupancy,
    /// From the tables of `--kdop-tables profile`
    Profile,
    /// At the root exactly, from the convex hull; below it as `triples`
    Hull,
}

impl VolumeArgs {
    /// Refuses them.
    pub(in crate::cli) fn refuse(&self) -> Result<(), UsageError> {
        match (self.volume, self.realign) {
            (None, None) => Ok(()),
            _ => Err(UsageError::NoEffect { flag: "--volume", with: MODELS }),
        }
    }

    /// Refuses models without the oriented boxes that were asked for: a query itself would take axis-aligned ones.
    pub(in crate::cli) fn check(&self, models: [&Model<'_>; 2]) -> Result<(), PairError> {
        let has_none = |model: &Model<'_>| model.sections().obb_tree().is_none();
        match self.volume {
            Some(Volume::Obb) if models.into_iter().any(has_none) => Err(PairError::NoVolumes(Volume::Obb)),
            _ => Ok(()),
        }
    }

    /// The volumes to use.
    pub(in crate::cli) fn get(&self) -> Result<Volume, UsageError> {
        let realign = match self.realign {
            None | Some(RealignArg::Triples) => Realign::Triples,
            Some(RealignArg::Axes) => Realign::Axes,
            Some(RealignArg::Occupancy) => Realign::Occupancy,
            Some(RealignArg::Profile) => Realign::Profile,
            Some(RealignArg::Hull) => Realign::Hull,
        };
        match self.volume.unwrap_or_default() {
            Volume::Kdop(_) => Ok(Volume::Kdop(realign)),
            _ if self.realign.is_some() => {
                Err(UsageError::NoEffect { flag: "--realign", with: "--volume kdop" })
            }
            volume => Ok(volume),
        }
    }
}

/// Arguments of distance queries.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct DistanceArgs {
    /// The compiled file that stays in place
    pub(in crate::cli) a: PathBuf,
    /// The compiled file that the poses move; may be the same file
    pub(in crate::cli) b: PathBuf,
    /// Read the poses of B from this file instead of standard input
    #[arg(long, value_name = "F")]
    pub(in crate::cli) poses: Option<PathBuf>,
    /// Report no distances greater than D
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = not_negative)]
    pub(in crate::cli) within: Option<f64>,
    /// Allow distances that exceed the least one by up to E
    #[arg(long, value_name = "E", allow_negative_numbers = true, value_parser = not_negative, conflicts_with = "rel_error")]
    pub(in crate::cli) abs_error: Option<f64>,
    /// Allow distances that exceed the least one by up to the fraction E of it: 0.05 is 5 %
    #[arg(long, value_name = "E", allow_negative_numbers = true, value_parser = not_negative)]
    pub(in crate::cli) rel_error: Option<f64>,
    #[command(flatten)]
    pub(in crate::cli) meshes: MeshesArgs,
    #[command(flatten)]
    pub(in crate::cli) work: WorkArgs,
    #[command(flatten)]
    pub(in crate::cli) volume: VolumeArgs,
}

impl DistanceArgs {
    /// Refuses what queries of worlds do not know.
    pub(in crate::cli) fn refuse_for_world(&self) -> Result<(), UsageError> {
        if self.abs_error.is_some() || self.rel_error.is_some() {
            return Err(UsageError::NoEffect { flag: "--abs-error and --rel-error", with: MODELS });
        }
        self.volume.refuse()?;
        self.work.refuse()
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if number >= 0.0 => Ok(number),
        Ok(_) => Err("it is negative or not a number".into()),
        Err(_) => Err("it is not a number".into()),
    }
}
