//! `make install` lays what a program needs to be built and run, and `make uninstall` takes all of it away.

mod workshop;

use std::fs;
use std::path::Path;
use std::process::Command;

use workshop::{Workshop, in_repository, say_skipped};

fn make(target: &str, prefix: &Path) {
    let output = Command::new("make")
        .args(["-s", target, &format!("PREFIX={}", prefix.display())])
        .current_dir(in_repository("."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// What pkg-config says about the installed library.
fn flags(prefix: &Path, arguments: &[&str]) -> Vec<String> {
    let output = Command::new("pkg-config")
        .args(arguments)
        .arg("mcp_discover")
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(str::to_owned).collect()
}

/// The request that the example prints, built by these flags alone.
fn request(workshop: &Workshop, prefix: &Path, flags: &[String]) -> String {
    let program = workshop.path("installed");
    let output = Command::new("cc")
        .arg(in_repository("examples/c/build_request.c"))
        .arg("-o")
        .arg(&program)
        .args(flags)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let output = Command::new(&program)
        .env("LD_LIBRARY_PATH", prefix.join("lib"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_is_installed_builds_a_program_and_is_taken_away_again() {
    if Command::new("pkg-config")
        .arg("--version")
        .output()
        .is_err()
    {
        say_skipped("pkg-config is not installed, so nobody uses what is installed");
        return;
    }
    let workshop = Workshop::new();
    let prefix = workshop.path("prefix");
    make("install", &prefix);

    assert_eq!(
        flags(&prefix, &["--modversion"]),
        [env!("CARGO_PKG_VERSION")]
    );
    let shared = request(&workshop, &prefix, &flags(&prefix, &["--cflags", "--libs"]));
    assert!(shared.contains("server/discover"), "{shared}");

    let mut archive = flags(&prefix, &["--cflags", "--libs", "--static"]);
    for flag in &mut archive {
        if flag == "-lmcp_discover" {
            *flag = "-l:libmcp_discover.a".to_owned();
        }
    }
    assert_eq!(request(&workshop, Path::new("/nowhere"), &archive), shared);

    make("uninstall", &prefix);
    let left: Vec<_> = ["lib", "lib/pkgconfig", "include"]
        .iter()
        .flat_map(|folder| fs::read_dir(prefix.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.is_dir())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
