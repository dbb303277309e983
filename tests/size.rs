//! The library stays as small as it was made: what makes it grow has to say so here.

mod workshop;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::process::Command;

/// The stripped shared library, in bytes: what it takes with rustc 1.95 on x86_64, and 3 %.
const MOST_BYTES: u64 = 881_000;
/// The crates that are linked, this one included.
const MOST_CRATES: usize = 14;

#[test]
fn the_released_library_does_not_grow_unseen() {
    // What cargo builds for the tests is another library, with checks and without optimisation.
    if env::var_os(workshop::LIBRARY_DIR).is_none() || cfg!(not(target_arch = "x86_64")) {
        workshop::say_skipped("the size of the released library on x86-64; make test looks at it");
        return;
    }
    let bytes = fs::metadata(workshop::library()).unwrap().len();
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}

#[test]
fn no_crate_comes_in_unseen() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--edges", "normal,no-proc-macro"])
        .args(["--prefix", "none", "--format", "{p}", "--no-dedupe"])
        .current_dir(workshop::in_repository("."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let tree = String::from_utf8(output.stdout).unwrap();
    let names: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(names.len() <= MOST_CRATES, "{names:?}");
}
