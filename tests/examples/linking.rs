//! The figures of docs/benchmarks/worlds.md on linking and opening: meshes are compiled apart into a folder, a world with them and
//! a thin one are linked there, and both are opened until they have answered a ray.
//!
//! `cargo run --release -p bvhc-tests --example linking -- FOLDER MESHES INSTANCES FREQUENCY`; a mesh has 20 triangles times the
//! square of the frequency.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use bvhc::{Folder, Options, Quality, world};
use bvhc_runtime::{MappedModel, MeshFolder, Model, Ray, ThinWorldFile, World, WorldFile};
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, counts @ ..] = &args[..] else { return Err("FOLDER MESHES INSTANCES FREQUENCY".into()) };
    let [meshes, instances, frequency] = match counts {
        [meshes, instances, frequency] => [meshes, instances, frequency].map(|text| text.parse::<u32>()),
        _ => return Err("FOLDER MESHES INSTANCES FREQUENCY".into()),
    };
    let (folder, meshes, instances) = (Path::new(folder), meshes?, instances?);
    fs::create_dir_all(folder)?;
    compile(folder, meshes, frequency?)?;
    let manifest = manifest(meshes, instances);
    link(folder, &manifest, true)?;
    link(folder, &manifest, false)?;
    open(folder)
}

fn compile(folder: &Path, meshes: u32, frequency: u32) -> Result<(), Box<dyn Error>> {
    for number in 0..meshes {
        let mesh = icosphere::displaced(frequency, 0.2, u64::from(number));
        let compiled = bvhc::compile_mesh(&mesh.positions, &mesh.triangles, &Options::of(Quality::Fast))?;
        fs::write(folder.join(format!("m{number}.bvh")), &compiled.bytes)?;
    }
    Ok(())
}

/// Instances at random places, of which few overlap.
fn manifest(meshes: u32, instances: u32) -> String {
    let (mut text, mut random) = (String::new(), Random::new(1));
    for mesh in 0..meshes {
        text += &format!("[[mesh]]\nname = \"m{mesh}\"\nfile = \"m{mesh}.bvh\"\n");
    }
    let range = 3.0 * f64::from(instances).cbrt();
    for number in 0..instances {
        let [x, y, z] = [0; 3].map(|_| range * random.unit());
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[instance]]\nname = \"i{number}\"\nmesh = \"m{}\"\nposition = [{x:?}, {y:?}, {z:?}]\n",
            number % meshes
        );
    }
    text
}

fn link(folder: &Path, manifest: &str, is_thin: bool) -> Result<(), Box<dyn Error>> {
    let (start, files, options) = (Instant::now(), Folder(folder.to_owned()), Options::default());
    let (linked, name) = match is_thin {
        true => (world::link_thin(manifest.as_bytes(), "m", &files, &options, &())?, "thin.bvh"),
        false => (world::link(manifest.as_bytes(), "m", &files, &options, &(), None)?, "world.bvh"),
    };
    let mut out = BufWriter::with_capacity(1 << 16, File::create(folder.join(name))?);
    linked.write_to(&mut out)?;
    out.flush()?;
    println!("{name}: linked in {:.2} s, {} bytes", start.elapsed().as_secs_f64(), linked.length());
    Ok(())
}

/// Opens both worlds many times, from the map to the first answer.
fn open(folder: &Path) -> Result<(), Box<dyn Error>> {
    let meshes = MeshFolder::open(folder)?;
    // SAFETY: nobody changes the files while they are mapped.
    #[allow(unsafe_code)]
    let map = |path: &Path| unsafe { MappedModel::open(path) };
    let whole = || -> Result<_, Box<dyn Error>> { Ok(WorldFile::mapped(map(&folder.join("world.bvh"))?)?) };
    let thin = || -> Result<_, Box<dyn Error>> {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        let file = unsafe { ThinWorldFile::map(folder.join("thin.bvh")) }?;
        file.link(|mesh| Ok(map(meshes.find(mesh)?)?.into()))
    };
    let first = whole()?;
    let Some(instance) = first.world().instance(0) else { return Ok(()) };
    let [x, y, z] = instance.similarity().pose().translation().map(|x| x as f32);
    let ray = Ray::new([x, y, z + 1000.0], [0.0, 0.0, -1.0]);
    let whole_answer = time("world.bvh", || Ok(answer(&whole()?.world(), &ray)))?;
    let thin_answer = time("thin.bvh", || Ok(answer(&thin()?.world(), &ray)))?;
    // With the map and the memory of meshes at hand, as in a program that has files of its own.
    let file = first.model().sections().bytes();
    let mut models: Vec<Option<Model<'_>>> = vec![None; first.world().mesh_count() as usize];
    let mapped_answer =
        time("world.bvh, mapped before", || Ok(answer(&World::from_bytes(file, &mut models)?, &ray)))?;
    assert!(whole_answer.is_some() && [thin_answer, mapped_answer] == [whole_answer; 2]);
    Ok(())
}

/// The instance and the distance of a hit.
type Answer = Option<(u32, u32)>;

fn answer(world: &World<'_>, ray: &Ray) -> Answer {
    world.closest_hit(ray).map(|found| (found.instance, found.hit.t.to_bits()))
}

fn time(
    name: &str,
    mut open: impl FnMut() -> Result<Answer, Box<dyn Error>>,
) -> Result<Answer, Box<dyn Error>> {
    let (mut times, mut answer): (Vec<Duration>, _) = (Vec::new(), None);
    for _ in 0..101 {
        let start = Instant::now();
        answer = open()?;
        times.push(start.elapsed());
    }
    times.sort();
    let [best, median] = [times[0], times[50]].map(|time| time.as_secs_f64() * 1e6);
    println!("{name}: opened and answered in {best:.1} us at best, {median:.1} us in the middle");
    Ok(answer)
}
