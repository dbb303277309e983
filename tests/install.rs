//! `make install` lays what a program needs to be built and run, and `make uninstall` takes all of it away.

mod workshop;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use workshop::{Workshop, in_repository, say_skipped};

/// A tree that `make install` has laid, and everything else that a test needs.
struct Installed {
    workshop: Workshop,
    prefix: PathBuf,
}

impl Installed {
    fn new() -> Installed {
        let workshop = Workshop::new();
        let prefix = workshop.path("prefix");
        let installed = Installed { workshop, prefix };
        installed.make("install", &[]);
        installed
    }

    fn make(&self, target: &str, more: &[String]) {
        let mut make = Command::new("make");
        make.args(["-s", target])
            .arg(format!("PREFIX={}", self.prefix.display()));
        told(make.args(more).current_dir(in_repository(".")));
    }

    /// What pkg-config says about the library.
    fn pkg_config(&self, arguments: &[&str]) -> Vec<String> {
        let mut pkg_config = Command::new("pkg-config");
        pkg_config.args(arguments).arg("mcp_discover");
        let text = told(pkg_config.env("PKG_CONFIG_PATH", self.prefix.join("lib/pkgconfig")));
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// The request that the C example prints, built by these flags alone.
    fn request(&self, flags: &[String], library_path: &Path) -> String {
        let program = self.workshop.path("in_c");
        let mut compiler = Command::new("cc");
        compiler.arg(in_repository("examples/c/build_request.c"));
        told(compiler.arg("-o").arg(&program).args(flags));
        told(Command::new(&program).env("LD_LIBRARY_PATH", library_path))
    }
}

/// What a command prints, which has to end well.
fn told(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn is_missing(program: &str, version: &str) -> bool {
    let missing = Command::new(program).arg(version).output().is_err();
    if missing {
        say_skipped(&format!(
            "{program} is not installed, so nobody builds with it what is installed"
        ));
    }
    missing
}

/// The files below a folder, and the links.
fn files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let path = entry.path();
                    files.push(path.strip_prefix(folder).unwrap().display().to_string());
                }
            }
        }
    }
    files.sort();
    files
}

#[test]
fn all_that_is_installed_is_taken_away_again() {
    let installed = Installed::new();
    let libraries = ["a", "so", "so.0", concat!("so.", env!("CARGO_PKG_VERSION"))];
    let mut expected: Vec<_> = libraries
        .iter()
        .map(|ending| format!("lib/libmcp_discover.{ending}"))
        .collect();
    expected.extend(
        [
            "include/mcp_discover.h",
            "include/mcp_discover.hpp",
            "lib/cmake/mcp_discover/mcp_discover-config-version.cmake",
            "lib/cmake/mcp_discover/mcp_discover-config.cmake",
            "lib/pkgconfig/mcp_discover.pc",
        ]
        .map(str::to_owned),
    );
    expected.sort();
    assert_eq!(files(&installed.prefix), expected);
    installed.make("uninstall", &[]);
    assert_eq!(files(&installed.prefix), [""; 0]);
    assert!(!installed.prefix.join("lib/cmake/mcp_discover").exists());
}

#[test]
fn a_c_program_is_built_with_pkg_config() {
    if is_missing("pkg-config", "--version") {
        return;
    }
    let installed = Installed::new();
    assert_eq!(
        installed.pkg_config(&["--modversion"]),
        [env!("CARGO_PKG_VERSION")]
    );
    let flags = installed.pkg_config(&["--cflags", "--libs"]);
    let shared = installed.request(&flags, &installed.prefix.join("lib"));
    assert!(shared.contains("server/discover"), "{shared}");

    let mut flags = installed.pkg_config(&["--cflags", "--libs", "--static"]);
    for flag in &mut flags {
        if flag == "-lmcp_discover" {
            *flag = "-l:libmcp_discover.a".to_owned();
        }
    }
    assert_eq!(installed.request(&flags, Path::new("/nowhere")), shared);
}

/// The tree is not where its prefix says, as that of a package in the making.
#[test]
fn c_and_cpp_programs_are_built_with_cmake() {
    if is_missing("cmake", "--version") {
        return;
    }
    let installed = Installed::new();
    let stage = installed.workshop.path("stage");
    installed.make(
        "install",
        &[
            "PREFIX=/usr".to_owned(),
            "LIBDIR=/usr/lib/x86_64-linux-gnu".to_owned(),
            format!("DESTDIR={}", stage.display()),
        ],
    );
    let build = installed.workshop.path("build");
    let configure = |wanted: &str| {
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(in_repository("tests/cmake"));
        cmake.arg("-B").arg(&build).args([
            format!("-DWANTED={wanted}"),
            format!("-DEXAMPLES={}", in_repository("examples").display()),
            format!(
                "-Dmcp_discover_DIR={}",
                stage
                    .join("usr/lib/x86_64-linux-gnu/cmake/mcp_discover")
                    .display()
            ),
        ]);
        cmake
    };
    for wanted in ["0.0", "0.1.99", "0.2", "1"] {
        let output = configure(wanted).output().unwrap();
        assert!(!output.status.success(), "{wanted} is compatible");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("compatible with requested"), "{errors}");
    }
    told(&mut configure("0.1"));
    told(Command::new("cmake").arg("--build").arg(&build));
    assert!(told(&mut Command::new(build.join("in_c"))).contains("server/discover"));
    let reply = installed.workshop.path("reply.json");
    fs::write(
        &reply,
        r#"{"id":1,"result":{"supportedVersions":["2026-07-28"]}}"#,
    )
    .unwrap();
    for program in ["in_cpp", "in_cpp_static"] {
        let input = fs::File::open(&reply).unwrap();
        let text = told(Command::new(build.join(program)).stdin(input));
        assert!(text.contains("\nreply: discover\n"), "{text}");
    }
    let needed = |program| told(Command::new("readelf").arg("-d").arg(build.join(program)));
    assert!(needed("in_cpp").contains("libmcp_discover.so.0"));
    assert!(!needed("in_cpp_static").contains("libmcp_discover"));
}

/// The package is copied without what ties it to the repository, as a module that is published has it.
#[test]
fn a_go_program_is_built() {
    if is_missing("go", "version") || is_missing("pkg-config", "--version") {
        return;
    }
    let installed = Installed::new();
    let package = installed.workshop.path("package");
    let folder = installed.workshop.path("program");
    for folder in [&package, &folder] {
        fs::create_dir(folder).unwrap();
    }
    for entry in fs::read_dir(in_repository("bindings/go")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == "go.mod" || (name.ends_with(".go") && name != "link_dev.go") {
            fs::copy(&path, package.join(name)).unwrap();
        }
    }
    const MODULE: &str = "github.com/mcp-discover/mcp-discover/bindings/go";
    fs::write(
        folder.join("go.mod"),
        format!("module example.com/program\n\ngo 1.24.0\n\nrequire {MODULE} v0.0.0\n\nreplace {MODULE} => ../package\n"),
    )
    .unwrap();
    fs::write(
        folder.join("main.go"),
        format!("package main\n\nimport mcpdiscover \"{MODULE}\"\n\nfunc main() {{ print(mcpdiscover.VersionEra(\"2026-07-28\").String()) }}\n"),
    )
    .unwrap();
    let lib = installed.prefix.join("lib");
    let program = folder.join("program");
    let build = |tags: &str, environment: &[(&str, String)]| {
        let mut go = Command::new("go");
        go.args(["build", "-buildvcs=false", "-tags", tags, "-o"]);
        go.arg(&program).arg(".").current_dir(&folder);
        told(go.envs(environment.iter().cloned()));
    };
    let eras = |library_path: &Path| {
        let output = Command::new(&program)
            .env("LD_LIBRARY_PATH", library_path)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    build(
        "",
        &[(
            "PKG_CONFIG_PATH",
            lib.join("pkgconfig").display().to_string(),
        )],
    );
    assert_eq!(eras(&lib), "modern");
    let include = installed.prefix.join("include");
    build(
        "mcp_discover_static",
        &[
            ("PKG_CONFIG", "false".to_owned()),
            ("CGO_CFLAGS", format!("-I{}", include.display())),
            ("CGO_LDFLAGS", format!("-L{}", lib.display())),
        ],
    );
    assert_eq!(eras(Path::new("/nowhere")), "modern");
}
