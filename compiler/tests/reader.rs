//! A C++ reader, written from FORMAT.md alone, gives the runtime's answers bit for bit: rays, boxes and triangles.
//!
//! Its source is `tests/cpp/reader.cpp` plus the C++ samples of FORMAT.md. Without g++ the test is skipped.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bvhc::compile::{Layout, Options, Quality, compile};
use bvhc::file::Bytes;
use bvhc::optimise::Stop;
use bvhc_format::NONE;
use bvhc_runtime::{Aabb, Model, Ray};

/// xorshift64*
struct Random(u64);

impl Random {
    fn below(&mut self, count: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) * u64::from(count)) >> 32) as u32
    }

    /// A multiple of 2^-12 from -`size` to `size`.
    fn number(&mut self, size: u32) -> f32 {
        (self.below((size << 13) + 1) as f32 - (size << 12) as f32) / 4096.0
    }

    fn point(&mut self, size: u32) -> [f32; 3] {
        [self.number(size), self.number(size), self.number(size)]
    }
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Polygons of all sizes, a sheet of quads, and long blades that are split if the quality allows it.
fn sources() -> [String; 3] {
    let mut random = Random(7);
    let mut polygons = String::from("usemtl a\n");
    for n in [3, 4, 5, 7, 12, 33, 40] {
        if n == 7 {
            polygons += "usemtl b\n";
        }
        for corner in 0..n {
            let angle = corner as f32 / n as f32 * std::f32::consts::TAU;
            let radius = if corner % 3 == 1 { 1.0 } else { 3.0 };
            let round = |x: f32| (x * 4096.0).round() / 4096.0;
            let (x, y) = (round(radius * angle.cos()), round(radius * angle.sin()));
            writeln!(polygons, "v {x} {y} {}", n as f32 / 8.0 - 2.0).unwrap();
        }
        writeln!(polygons, "f{}", (1..=n).map(|k| format!(" {}", k - n - 1)).collect::<String>()).unwrap();
    }
    let mut sheet = String::new();
    for (x, y) in (0..=12).flat_map(|y| (0..=12).map(move |x| (x, y))) {
        writeln!(sheet, "v {} {} {}", x as f32 / 2.0 - 3.0, y as f32 / 2.0 - 3.0, random.number(1)).unwrap();
    }
    for (x, y) in (0..12).flat_map(|y| (0..12).map(move |x| (x, y))) {
        let corner = 13 * y + x + 1;
        writeln!(sheet, "f {corner} {} {} {}", corner + 1, corner + 14, corner + 13).unwrap();
    }
    let mut blades = String::new();
    for _ in 0..60 {
        let (a, b) = (random.point(4), random.point(4));
        let c = [a[0] + random.number(1) / 4.0, a[1] + 0.25, a[2] + random.number(1) / 4.0];
        for [x, y, z] in [a, b, c] {
            writeln!(blades, "v {x} {y} {z}").unwrap();
        }
        blades += "f -3 -2 -1\n";
    }
    [polygons, sheet, blades]
}

fn hex(numbers: &[f32]) -> String {
    numbers.iter().map(|number| format!(" {:08x}", number.to_bits())).collect()
}

/// Queries and the runtime's answers.
struct Dialogue {
    asked: String,
    expected: String,
    hits: usize,
    touched: usize,
}

impl Dialogue {
    fn ray(&mut self, model: &Model<'_>, ray: &Ray) {
        let range = [ray.t_min, ray.t_max];
        writeln!(self.asked, "ray{}", hex(&[&ray.origin[..], &ray.direction, &range].concat())).unwrap();
        match model.closest_hit(ray) {
            None => self.expected += "miss\n",
            Some(hit) => {
                self.hits += 1;
                let numbers = hex(&[hit.t, hit.u, hit.v]);
                writeln!(self.expected, "{}{numbers} {}", hit.triangle, u8::from(hit.back)).unwrap();
            }
        }
    }

    fn touch(&mut self, model: &Model<'_>, lower: [f32; 3], upper: [f32; 3]) {
        writeln!(self.asked, "box{}", hex(&[lower, upper].concat())).unwrap();
        let mut found = Vec::new();
        let _ = model.overlap_box(&Aabb { min: lower, max: upper }, |overlap| {
            found.push(overlap.triangle);
            ControlFlow::Continue(())
        });
        found.sort_unstable();
        self.touched += found.len();
        writeln!(self.expected, "{}", found.iter().map(|found| format!("{found} ")).collect::<String>())
            .unwrap();
    }

    fn triangles(&mut self, model: &Model<'_>) {
        self.asked += "triangles\n";
        let numbers = model.sections().geometry().triangles.get();
        let mut lines = vec![String::new(); model.triangle_count() as usize];
        for (_, block) in model.sections().blocks().iter() {
            for lane in 0..usize::from(block.triangles) {
                let triangle = numbers[block.first as usize + lane].to_native();
                let source = model.source_of(triangle).unwrap();
                let at = |k: usize| block.positions.map(|axis| axis[usize::from(block.corners[k][lane])]);
                let [a, b, c] = source.corners;
                lines[triangle as usize] = format!(
                    "{triangle}{} {} {a} {b} {c} {}\n",
                    hex([at(0), at(1), at(2)].as_flattened()),
                    source.face,
                    source.material.unwrap_or(NONE),
                );
            }
        }
        self.expected += &lines.concat();
    }
}

fn dialogue(model: &Model<'_>) -> Dialogue {
    let mut dialogue = Dialogue { asked: String::new(), expected: String::new(), hits: 0, touched: 0 };
    let mut random = Random(3);
    dialogue.triangles(model);
    let corner = |random: &mut Random| {
        let block = model
            .sections()
            .blocks()
            .iter()
            .nth(random.below(model.sections().blocks().count() as u32) as usize);
        let (_, block) = block.unwrap();
        let slot = random.below(block.vertices.into()) as usize;
        block.positions.map(|axis| axis[slot])
    };
    for round in 0..600 {
        let (from, to) = (random.point(8), random.point(3));
        // Towards a vertex, towards the midpoint of two, or anywhere; some along an axis.
        let (one, other) = (corner(&mut random), corner(&mut random));
        let to = match round % 4 {
            0 => one,
            1 => [0, 1, 2].map(|axis| (one[axis] + other[axis]) / 2.0),
            _ => to,
        };
        let mut direction = [0, 1, 2].map(|axis| to[axis] - from[axis]);
        if round % 5 == 0 {
            direction[round / 5 % 3] = 0.0;
            direction[(round / 5 + 1) % 3] = -0.0;
        }
        if direction == [0.0; 3] {
            continue;
        }
        let range = [[0.0, f32::INFINITY], [-2.0, 0.75], [0.5, 1.0], [1.0, 1.0]][round / 3 % 4];
        dialogue.ray(model, &Ray::new(from, direction).with_range(range[0], range[1]));
    }
    for round in 0..300 {
        let lower = if round % 3 == 0 { corner(&mut random) } else { random.point(4) };
        let size = [0.0, 0.5, 4.0][round % 5 % 3];
        let upper = lower.map(|x| ((x + size * random.number(1).abs()) * 4096.0).ceil() / 4096.0);
        dialogue.touch(model, lower, upper);
    }
    dialogue
}

/// The C++ samples of FORMAT.md, concatenated.
fn samples() -> String {
    let page = fs::read_to_string(here("format-spec/FORMAT.md")).unwrap().replace("\r\n", "\n");
    let code = page.split("```cpp\n").skip(1).map(|rest| rest.split_once("```").unwrap().0);
    let mut samples = code.collect::<Vec<_>>();
    assert_eq!(samples.len(), 3, "the page has a reader, packed blocks and rays");
    samples.insert(0, "#include <utility>\n");
    samples.concat()
}

/// Compiles the reader; `None` without a compiler.
fn reader(folder: &Path) -> Option<PathBuf> {
    fs::write(folder.join("samples.hpp"), samples()).unwrap();
    let program = folder.join("reader");
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]);
    command.arg("-I").arg(folder).arg(here("tests/cpp/reader.cpp")).arg("-o").arg(&program);
    let output = command.output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

fn ask(reader: &Path, file: &Path, asked: &str) -> String {
    let mut command = Command::new(reader);
    let mut child = command.arg(file).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, asked) = (child.stdin.take().unwrap(), asked.to_owned());
    let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn compiled(source: &str, layout: Layout, quality: Quality) -> Bytes {
    let options = Options { layout, quality, stop: Stop::Steps(1), ..Options::default() };
    compile(source.as_bytes(), "source", &options, &()).unwrap().bytes
}

#[test]
fn a_reader_in_cpp_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let Some(reader) = reader(folder.path()) else {
        eprintln!("skipped: there is no g++");
        return;
    };
    let mut splits = 0;
    for source in sources() {
        for (layout, quality) in [
            (Layout::Fast, Quality::Default),
            (Layout::Small, Quality::Default),
            (Layout::Fast, Quality::Best),
            (Layout::Small, Quality::Best),
        ] {
            let bytes = compiled(&source, layout, quality);
            let model = Model::from_bytes(&bytes).unwrap();
            splits += usize::from(model.sections().splits().is_some());
            let path = folder.path().join("model.bvh");
            fs::write(&path, &bytes).unwrap();
            let Dialogue { asked, expected, hits, touched } = dialogue(&model);
            let found = ask(&reader, &path, &asked);
            for ((asked, found), expected) in
                asked.lines().rev().zip(found.lines().rev()).zip(expected.lines().rev())
            {
                assert_eq!(found, expected, "{asked}");
            }
            assert_eq!(found, expected);
            assert!(hits > 50 && touched > 50, "{hits} hits, {touched} touched: too few to tell");
        }
    }
    assert!(splits > 0, "no triangle is split");
}
