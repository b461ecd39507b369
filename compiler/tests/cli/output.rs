//! Output destinations, and the state of files after errors.

use std::fs;
use std::process::Stdio;

use crate::support::{CUBE, Sandbox};

#[test]
fn an_older_output_outlives_every_error() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.obj", "v 0 0 0\nf 1 1 x\n");
    sandbox.write("out.bvh", "precious");
    sandbox.run(&["bad.obj", "-o", "out.bvh"]).fails_silently(1, &["bad.obj, line 2"]);
    sandbox.run(&["none.obj", "-o", "out.bvh"]).fails_silently(3, &["none.obj"]);
    assert_eq!(sandbox.read("out.bvh"), b"precious");
    assert_eq!(sandbox.files(), ["bad.obj", "out.bvh"]);
}

#[test]
fn an_older_output_is_replaced_and_nothing_else_is_left() {
    let sandbox = Sandbox::with_cube();
    let fresh = sandbox.read("cube.bvh");
    sandbox.write("out.bvh", "x".repeat(100_000));
    sandbox.run(&["cube.obj", "-o", "out.bvh", "-q"]).is_silent();
    assert_eq!(sandbox.read("out.bvh"), fresh);
    assert_eq!(sandbox.files(), ["cube.bvh", "cube.obj", "out.bvh"]);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let sandbox = Sandbox::with_cube();
    fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox.run(&["cube.obj", "-o", "folder"]).fails_silently(3, &["folder: is a directory"]);
    sandbox
        .run(&["cube.obj", "-o", "none/out.bvh"])
        .fails_silently(3, &["none/out.bvh", "no directory `none`"]);
    sandbox.run(&["cube.obj", "-o", "cube.obj/out.bvh"]).fails_silently(3, &["cube.obj/out.bvh"]);
    sandbox.run(&["cube.obj", "-o", "new/"]).fails_silently(3, &["new/: is a directory", "`new/model.bvh`"]);
    for folder in ["--out-dir", "--cache"] {
        let output: &[&str] = if folder == "--cache" { &["-o", "out.bvh"] } else { &[] };
        sandbox
            .run(&[&["cube.obj", folder, "cube.bvh"], output].concat())
            .fails_silently(3, &["cube.bvh: is a file, where a folder is to be"]);
    }
    sandbox.run(&["cube.obj", "-o", "./cube.obj"]).fails_silently(2, &["./cube.obj", "the model itself"]);
    assert_eq!(sandbox.read("cube.obj"), CUBE.as_bytes());
    assert_eq!(sandbox.files(), ["cube.bvh", "cube.obj", "folder"]);
}

/// That it does not keep what is compiled is said once.
#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let sandbox = Sandbox::with_cube();
    sandbox.write("other.obj", CUBE.replace("v 1 1 1", "v 1 1 2"));
    // Files are where the folders of entries would be.
    fs::create_dir(sandbox.path("cache")).unwrap();
    for folder in 0..256 {
        sandbox.write(&format!("cache/{folder:02x}"), "");
    }
    let args = ["cube.obj", "other.obj", "--out-dir", "out", "--cache", "cache"];
    let ran = sandbox.run(&args);
    assert_eq!(
        (ran.ok(), ran.err.matches("the cache does not keep what is compiled: cache").count()),
        ("", 1)
    );
    assert_eq!(sandbox.read("out/cube.bvh"), sandbox.read("cube.bvh"));
    sandbox.run(&[&args[..], &["--quiet"]].concat()).is_silent();
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(sandbox: &Sandbox, name: &str) -> u32 {
        fs::metadata(sandbox.path(name)).unwrap().permissions().mode()
    }

    #[test]
    fn the_output_has_the_permissions_of_any_new_file() {
        let sandbox = Sandbox::with_cube();
        sandbox.write("new", "");
        assert_eq!(mode(&sandbox, "cube.bvh"), mode(&sandbox, "new"));
    }

    #[test]
    fn an_entry_of_a_cache_that_never_ends_is_none() {
        let sandbox = Sandbox::with_cube();
        let compile = || sandbox.run(&["cube.obj", "-o", "out.bvh", "--cache", "cache"]);
        compile().ok();
        let folder = fs::read_dir(sandbox.path("cache")).unwrap().next().unwrap().unwrap().path();
        let entry = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        fs::remove_file(&entry).unwrap();
        symlink("/dev/zero", &entry).unwrap();
        let ran = compile();
        assert!(ran.ok().is_empty() && ran.err.contains("the cache does not keep"), "{}", ran.err);
        assert_eq!(sandbox.read("out.bvh"), sandbox.read("cube.bvh"));
        // What a link leads to is not the cache's, and stays.
        fs::remove_file(&entry).unwrap();
        symlink(sandbox.write("precious", "old"), &entry).unwrap();
        assert!(compile().ok().is_empty() && sandbox.read("precious") == b"old");
        sandbox.run(&["cube.obj", "-o", "out.bvh", "--cache", "cache", "--cache-size", "0"]).ok();
        assert!(sandbox.read("precious") == b"old");
    }

    #[test]
    fn a_read_only_directory_is_an_error() {
        let sandbox = Sandbox::with_cube();
        fs::create_dir(sandbox.path("locked")).unwrap();
        fs::set_permissions(sandbox.path("locked"), Permissions::from_mode(0o555)).unwrap();
        // A superuser may write anyway.
        if fs::write(sandbox.path("locked/probe"), "").is_err() {
            sandbox
                .run(&["cube.obj", "-o", "locked/out.bvh"])
                .fails_silently(3, &["locked/out.bvh", "written"]);
        }
    }

    #[test]
    fn links_and_devices_stay_what_they_are() {
        let sandbox = Sandbox::with_cube();
        sandbox.write("real.bvh", "old");
        symlink("real.bvh", sandbox.path("link.bvh")).unwrap();
        sandbox.run(&["cube.obj", "-o", "link.bvh", "-q"]).is_silent();
        assert!(fs::symlink_metadata(sandbox.path("link.bvh")).unwrap().is_symlink());
        assert_eq!(sandbox.read("real.bvh"), sandbox.read("cube.bvh"));
        symlink("cube.obj", sandbox.path("model.obj")).unwrap();
        sandbox.run(&["cube.obj", "-o", "model.obj"]).fails_silently(2, &["the model itself"]);
        sandbox.run(&["cube.obj", "-o", "/dev/null", "-q"]).is_silent();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    /// The name by which the new file replaces an old one may be taken, or too long.
    #[test]
    fn outputs_of_any_name_are_replaced() {
        let sandbox = Sandbox::with_cube();
        fs::create_dir(sandbox.path(".taken.bvh.bvhc-tmp")).unwrap();
        let long = format!("{}.bvh", "n".repeat(251));
        for name in ["taken.bvh", &long] {
            sandbox.write(name, "old");
            sandbox.run(&["cube.obj", "-o", name, "-q"]).is_silent();
            assert!(sandbox.read(name) == sandbox.read("cube.bvh"));
        }
        assert_eq!(sandbox.files(), [".taken.bvh.bvhc-tmp", "cube.bvh", "cube.obj", &long, "taken.bvh"]);
    }

    #[test]
    fn links_that_lead_nowhere_are_refused() {
        let sandbox = Sandbox::with_cube();
        symlink("gone.bvh", sandbox.path("link.bvh")).unwrap();
        sandbox
            .run(&["cube.obj", "-o", "link.bvh"])
            .fails_silently(3, &["link.bvh", "`gone.bvh`, which does not exist"]);
        assert_eq!(sandbox.files(), ["cube.bvh", "cube.obj", "link.bvh"]);
    }

    /// Whether a process runs in a folder.
    #[cfg(target_os = "linux")]
    fn has_process(folder: &std::path::Path) -> bool {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let mut folders = processes.filter_map(|process| fs::read_link(process.path().join("cwd")).ok());
        folders.any(|cwd| cwd == folder)
    }

    /// Killed at any moment, it leaves the old file or the new one, and nothing beside it.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_killed_compiler_leaves_nothing_behind() {
        use std::time::{Duration, Instant};

        let sandbox = Sandbox::with_cube();
        let new = sandbox.read("cube.bvh");
        let folder = fs::canonicalize(sandbox.path(".")).unwrap();
        let start = Instant::now();
        sandbox.run(&["cube.obj", "-o", "out.bvh", "-q"]).is_silent();
        // How long a run takes: it follows the runs, so that about half of them are killed, most of these near their end.
        let mut span = start.elapsed();
        let mut killed = 0;
        for trial in 0..100 {
            let is_old = trial % 3 != 0;
            match is_old {
                true => drop(sandbox.write("out.bvh", "old")),
                false => fs::remove_file(sandbox.path("out.bvh")).unwrap_or_default(),
            }
            let args = ["cube.obj", "-o", "out.bvh", "-q"];
            let mut child = sandbox.command(&args).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(span.mul_f64(0.5 + f64::from(trial * 37 % 100) / 100.0));
            child.kill().unwrap();
            let is_killed = !child.wait().unwrap().success();
            killed += u32::from(is_killed);
            span = span.mul_f64(if is_killed { 1.08 } else { 0.93 });
            // A process that replaces a file goes on until it has done so.
            let end = Instant::now() + Duration::from_secs(20);
            while has_process(&folder) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(1));
            }
            let files: Vec<_> = sandbox.files().into_iter().filter(|file| file != "out.bvh").collect();
            assert_eq!(files, ["cube.bvh", "cube.obj"]);
            match fs::read(sandbox.path("out.bvh")) {
                Ok(found) => assert!(found == new || is_old && found == b"old", "{} bytes", found.len()),
                Err(_) => assert!(!is_old),
            }
        }
        assert!(killed > 20, "only {killed} were killed: that proves little");
    }

    #[test]
    fn a_full_device_is_an_error() {
        let sandbox = Sandbox::with_cube();
        if fs::metadata("/dev/full").is_ok() {
            sandbox.run(&["cube.obj", "-o", "/dev/full"]).fails_silently(3, &["/dev/full", "written"]);
        }
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let sandbox = Sandbox::with_cube();
    let queries = sandbox.write("queries", "0 0 0\n".repeat(200_000));
    for args in [
        &["query", "point", "cube.bvh", "--input", queries.to_str().unwrap()][..],
        &["cube.obj", "-o", "-", "-q"],
    ] {
        let mut child = sandbox.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}
