//! Compiles C and C++ programs against the library and runs them, for the tests that need a host process.

#![allow(dead_code, reason = "each test takes what it needs")]

pub mod expectation;
pub mod header;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];
/// Names the folder with the library to test, if it is not the one that cargo has built for the tests.
pub const LIBRARY_DIR: &str = "MCPD_LIBRARY_DIR";
const LIBRARY: &str = "libmcp_discover.so";

pub fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The shared library under test: the one in this folder, or else the one that cargo has built for these tests.
pub fn library() -> PathBuf {
    let library = match env::var_os(LIBRARY_DIR) {
        Some(folder) => PathBuf::from(folder).join(LIBRARY),
        None => env::current_exe().unwrap().with_file_name(LIBRARY),
    };
    assert!(library.exists(), "{} is missing", library.display());
    library
}

/// Says that something is not tested, past the capture of what passing tests print.
pub fn say_skipped(what: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {what}");
}

/// A place for the programs of one test, with the library under the name that programs record.
pub struct Workshop(TempDir);

impl Workshop {
    pub fn new() -> Workshop {
        Workshop::with_library(&library())
    }

    /// A place with another library than the one under test.
    pub fn with_library(library: &Path) -> Workshop {
        let directory = tempfile::tempdir().unwrap();
        for name in [LIBRARY, "libmcp_discover.so.0"] {
            symlink(library, directory.path().join(name)).unwrap();
        }
        Workshop(directory)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Compiles units into a program; each is a file of the repository.
    pub fn build(&self, compiler: &str, standard: &str, units: &[&str]) -> PathBuf {
        let name = format!("program-{standard}");
        let library = format!("-L{}", self.0.path().display());
        self.compile(
            &name,
            compiler,
            standard,
            units,
            &[&library, "-lmcp_discover"],
        )
    }

    /// As [`build`](Workshop::build), under a name, and with more arguments for the compiler, such as what to link.
    pub fn compile(
        &self,
        name: &str,
        compiler: &str,
        standard: &str,
        units: &[&str],
        more: &[&str],
    ) -> PathBuf {
        let program = self.path(name);
        let mut command = Command::new(compiler);
        command
            .arg(format!("-std={standard}"))
            .arg("-g")
            .args(STRICT)
            .arg("-I")
            .arg(in_repository("include"));
        if compiler.ends_with("++") {
            command.args(["-x", "c++"]);
        }
        command
            .args(units.iter().map(|unit| in_repository(unit)))
            .args(["-x", "none", "-pthread", "-o"])
            .arg(&program)
            .args(more);
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{units:?} as {standard}:\n{errors}"
        );
        program
    }

    /// Runs a program with these arguments, and nothing or this file on standard input.
    pub fn run(&self, program: &Path, arguments: &[&str], input: Option<&Path>) -> Output {
        self.output(self.command(program), arguments, input)
    }

    /// As [`run`](Workshop::run), under valgrind: it fails on any error and on memory that is not freed.
    pub fn run_under_valgrind(
        &self,
        program: &Path,
        arguments: &[&str],
        input: Option<&Path>,
    ) -> Option<Output> {
        if Command::new("valgrind").arg("--version").output().is_err() {
            say_skipped(&format!(
                "valgrind is not installed, so nobody looks for errors of memory in {}",
                program.display()
            ));
            return None;
        }
        let mut valgrind = self.command(Path::new("valgrind"));
        // A stripped library has no names by which to tell the one block that is known; see the suppressions.
        let stripped = env::var_os(LIBRARY_DIR).is_some() || !cfg!(debug_assertions);
        let kinds = match stripped {
            true => "definite,indirect,reachable",
            false => "all",
        };
        valgrind
            .args(["-q", "--error-exitcode=99", "--leak-check=full"])
            .arg(format!("--show-leak-kinds={kinds}"))
            .arg(format!("--errors-for-leak-kinds={kinds}"))
            .arg(format!(
                "--suppressions={}",
                in_repository("tests/c/valgrind.supp").display()
            ))
            .arg(program);
        Some(self.output(valgrind, arguments, input))
    }

    /// A program that finds the library.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", self.0.path());
        command
    }

    fn output(&self, mut command: Command, arguments: &[&str], input: Option<&Path>) -> Output {
        let input = input.map_or_else(Stdio::null, |path| fs::File::open(path).unwrap().into());
        command.args(arguments).stdin(input).output().unwrap()
    }
}
