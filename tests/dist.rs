//! `make dist` gives the same archives wherever it runs, and what is in them can be used where they are unpacked.

mod workshop;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use workshop::in_repository;

fn told(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The last commit, in a folder of its own.
fn clone(folder: PathBuf) -> PathBuf {
    let mut git = Command::new("git");
    git.args(["clone", "--quiet", "--shared"]);
    told(git.args([&in_repository("."), &folder]));
    folder
}

/// The archives that are made in a folder, the binaries first.
fn archives(folder: &Path, umask: &str) -> Vec<PathBuf> {
    let mut make = Command::new("sh");
    make.args(["-c", &format!("umask {umask}; exec make dist")]);
    told(make.current_dir(folder));
    let entries = fs::read_dir(folder.join("target/dist")).unwrap();
    let mut archives: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "gz"))
        .collect();
    archives.sort();
    archives
}

fn holds(file: &Path, text: &str) -> bool {
    let bytes = fs::read(file).unwrap();
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

#[test]
#[ignore = "slow: make test-long"]
fn two_folders_give_the_same_archives() {
    let folder = TempDir::new().unwrap();
    let here = clone(folder.path().join("here"));
    let there = clone(folder.path().join("a/longer/way/there"));
    let (here, there) = (archives(&here, "022"), archives(&there, "077"));
    assert_eq!(here.len(), 2, "{here:?}");
    for (here, there) in here.iter().zip(&there) {
        assert_eq!(here.file_name(), there.file_name());
        assert!(
            fs::read(here).unwrap() == fs::read(there).unwrap(),
            "{here:?} differs"
        );
    }

    let unpacked = folder.path().join("unpacked");
    fs::create_dir(&unpacked).unwrap();
    for archive in &here {
        told(
            Command::new("tar")
                .arg("-xzf")
                .arg(archive)
                .arg("-C")
                .arg(&unpacked),
        );
    }
    let binaries = unpacked.join(
        here[0]
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .trim_end_matches(".tar.gz"),
    );
    for library in ["lib/libmcp_discover.so", "lib/libmcp_discover.a"] {
        for place in [
            folder.path().to_str().unwrap(),
            &std::env::var("HOME").unwrap(),
        ] {
            assert!(
                !holds(&binaries.join(library), place),
                "{library} names {place}"
            );
        }
    }
    let flags = told(
        Command::new("pkg-config")
            .args(["--cflags", "--libs", "mcp_discover"])
            .env("PKG_CONFIG_PATH", binaries.join("lib/pkgconfig")),
    );
    let program = folder.path().join("program");
    told(
        Command::new("cc")
            .arg(in_repository("examples/c/build_request.c"))
            .arg("-o")
            .arg(&program)
            .args(flags.split_whitespace()),
    );
    let request = told(Command::new(&program).env("LD_LIBRARY_PATH", binaries.join("lib")));
    assert!(request.contains("server/discover"), "{request}");
}
