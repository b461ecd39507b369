//! The program and a directory to run it in.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A unit cube of quads with names, a face without area, and one of two corners.
pub(crate) const CUBE: &str = "\
o Box
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
usemtl red, \"bright\"
f 4 3 2 1
f 5 6 7 8
g side
usemtl blue
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
f 1 1 2
f 1 2
";

/// A separate directory for each test.
pub(crate) struct Sandbox {
    directory: TempDir,
}

/// The results of a run.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    /// Standard output as bytes, if it is not text.
    pub(crate) bytes: Vec<u8>,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// With `cube.obj` and `cube.bvh`.
    pub(crate) fn with_cube() -> Self {
        let sandbox = Self::new();
        sandbox.write("cube.obj", CUBE);
        sandbox.run(&["cube.obj", "-o", "cube.bvh", "--quiet"]).is_silent();
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let name =
            |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut files: Vec<String> = std::fs::read_dir(self.directory.path()).unwrap().map(name).collect();
        files.sort();
        files
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        command(self.directory.path(), args)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.feed(args, b"")
    }

    /// Runs with bytes on standard input.
    pub(crate) fn feed(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            // The program may stop reading early.
            scope.spawn(move || drop(stdin.write_all(input)));
            Ran::new(child.wait_with_output().unwrap())
        })
    }
}

fn command(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bvhc"));
    command.args(args).current_dir(directory);
    command
}

impl Ran {
    fn new(output: Output) -> Self {
        Self {
            code: output.status.code().expect("an exit code"),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            bytes: output.stdout,
        }
    }

    /// Asserts success; returns standard output.
    pub(crate) fn ok(&self) -> &str {
        assert_eq!(self.code, 0, "{}", self.err);
        &self.out
    }

    /// Asserts success without any output.
    pub(crate) fn is_silent(&self) {
        assert_eq!((self.code, self.out.as_str(), self.err.as_str()), (0, "", ""));
    }

    /// Asserts this exit code, and one line on standard error with all these words.
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}", self.err);
        assert!(self.err.starts_with("bvhc: error: ") && self.err.ends_with('\n'), "{}", self.err);
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "`{word}` is missing in: {}", self.err);
        }
    }

    /// Like [`fails`](Self::fails), with nothing on standard output.
    pub(crate) fn fails_silently(&self, code: i32, words: &[&str]) {
        self.fails(code, words);
        assert_eq!(self.out, "");
    }
}
