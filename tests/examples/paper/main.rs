//! The tables and figures of the papers that this project follows, with free models: Markdown and SVG.
//!
//! `cargo run --release -p bvhc-tests --example paper [-- genetic kdop distance] [--quick] [--out FOLDER]`. Without a
//! name, all papers; `--quick` uses smaller models and shorter searches, to check that everything works; figures are
//! written to `target/paper`, or to FOLDER.
//!
//! One module a paper; they share the models (`model`), timing (`timing`) and drawing (`plot`).

mod distance;
mod genetic;
mod kdop;
mod model;
mod plot;
mod timing;

use std::path::{Path, PathBuf};

/// How much is shown, and where the figures are written.
struct Setting {
    quick: bool,
    folder: PathBuf,
}

/// A paper's name on the command line, and the function that shows its results.
type Paper = (&'static str, fn(&Setting));

const PAPERS: [Paper; 3] = [("genetic", genetic::show), ("kdop", kdop::show), ("distance", distance::show)];

fn main() {
    let (mut wanted, mut quick) = (Vec::new(), false);
    let mut folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/paper");
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => quick = true,
            "--out" => folder = arguments.next().expect("--out is followed by a folder").into(),
            name => wanted.push(paper(name)),
        }
    }
    let wanted = if wanted.is_empty() { PAPERS.to_vec() } else { wanted };
    show(&wanted, &Setting { quick, folder });
}

fn paper(name: &str) -> Paper {
    let found = PAPERS.into_iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no paper is called {name}"))
}

fn show(papers: &[Paper], setting: &Setting) {
    std::fs::create_dir_all(&setting.folder).expect("the folder can be made");
    for (_, show) in papers {
        show(setting);
    }
}

/// Prints a table in Markdown: the heading of the row names, the columns, and the rows.
fn table(title: &str, columns: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) {
    println!("\n| {title} | {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len() + 1));
    for (name, cells) in rows {
        println!("| {name} | {} |", cells.join(" | "));
    }
}

#[test]
fn everything_can_be_shown_quickly() {
    let folder = tempfile::tempdir().expect("a folder");
    let setting = Setting { quick: true, folder: folder.path().to_owned() };
    show(&PAPERS, &setting);
    let figures: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder").collect();
    assert!(figures.len() >= 12);
    for figure in figures {
        let text = std::fs::read_to_string(figure.expect("a file").path()).expect("text");
        assert!(text.starts_with("<svg") && !text.contains("NaN"));
    }
}
