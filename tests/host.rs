//! The library as a guest in programs that it does not own: C hosts watch themselves through /proc while they probe.

#![cfg(target_os = "linux")]

mod workshop;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use workshop::{Workshop, library, say_skipped};

/// Far more than any of the hosts takes.
const LIMIT: Duration = Duration::from_secs(240);

/// A host and the server that it probes.
struct Host {
    workshop: Workshop,
    program: PathBuf,
    server: PathBuf,
}

impl Host {
    fn new(name: &str) -> Host {
        let workshop = Workshop::new();
        let library = format!("-L{}", workshop.path("").display());
        Host::with(workshop, name, &[&library, "-lmcp_discover", "-ldl"])
    }

    /// A host that is compiled with these arguments.
    fn with(workshop: Workshop, name: &str, arguments: &[&str]) -> Host {
        let unit = format!("tests/c/{name}.c");
        Host {
            program: workshop.compile("host", "cc", "c99", &[&unit], arguments),
            server: workshop.compile("server", "cc", "c99", &["tests/c/host_server.c"], &[]),
            workshop,
        }
    }

    /// The host, to be run in a folder of its own; its first argument is the path of the server.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.workshop.command(&self.program);
        command.arg(&self.server).args(arguments);
        command
    }

    fn passes(&self, arguments: &[&str]) -> String {
        passes(&self.workshop, self.command(arguments))
    }
}

/// Runs a command in an empty folder; it has to end well, and in time. Gives what it printed.
fn passes(workshop: &Workshop, command: Command) -> String {
    let (status, text) = run(workshop, command);
    assert!(status.success(), "{status}\n{text}");
    println!("{text}");
    text
}

fn run(workshop: &Workshop, mut command: Command) -> (ExitStatus, String) {
    let folder = tempfile::tempdir_in(workshop.path("")).unwrap();
    let path = workshop.path("output");
    let output = fs::File::create(&path).unwrap();
    command
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(output.try_clone().unwrap())
        .stderr(output);
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            let text = fs::read_to_string(&path).unwrap_or_default();
            panic!("{command:?} hangs\n{text}");
        }
        thread::sleep(Duration::from_millis(5));
    };
    let text = fs::read(&path).unwrap();
    (status, String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn signals_are_as_they_were() {
    let host = Host::new("host_signals");
    thread::scope(|scope| {
        for situation in [
            "plain",
            "ENOSYS",
            "EPERM",
            "ignored",
            "reaper",
            "interrupted",
        ] {
            let host = &host;
            scope.spawn(move || {
                let workshop = Workshop::new();
                passes(&workshop, host.command(&[situation]))
            });
        }
    });
}

#[test]
fn nothing_is_left_of_a_hundred_probes() {
    Host::new("host_leaks").passes(&["96"]);
}

#[test]
fn nothing_is_left_of_connections() {
    Host::new("host_kept").passes(&["60"]);
}

#[test]
#[ignore = "slow: make test-long"]
fn nothing_is_left_of_a_thousand_probes() {
    Host::new("host_leaks").passes(&["1000"]);
}

#[test]
fn a_scan_dawdles_fails_and_ends_as_told() {
    Host::new("host_scan").passes(&[]);
}

#[test]
fn a_scan_of_many_takes_what_those_at_once_take() {
    Host::new("host_scan").passes(&["many", "320"]);
}

#[test]
#[ignore = "slow: make test-long"]
fn a_scan_of_a_thousand_takes_what_those_at_once_take() {
    Host::new("host_scan").passes(&["many", "1000"]);
}

#[test]
fn nothing_is_left_of_scans() {
    Host::new("host_scan").passes(&["leaks", "48"]);
}

#[test]
fn a_scan_with_too_few_descriptors_goes_on() {
    Host::new("host_scan").passes(&["scarcity"]);
}

#[test]
fn whole_trees_end_in_time() {
    Host::new("host_trees").passes(&[]);
}

#[test]
fn threads_hear_their_own_servers_only() {
    Host::new("host_threads").passes(&[]);
}

#[test]
fn a_cancelled_call_returns_at_once() {
    Host::new("host_cancel").passes(&[]);
}

#[test]
fn a_lack_of_descriptors_is_a_status() {
    Host::new("host_scarcity").passes(&["descriptors"]);
}

#[test]
fn a_lack_of_processes_is_a_status() {
    let host = Host::new("host_scarcity");
    // The host becomes another user, who has to be able to run the server.
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(host.workshop.path(""), everybody).unwrap();
    let text = host.passes(&["processes"]);
    if text.contains("SKIPPED") {
        eprintln!("{text}");
    }
}

#[test]
fn a_lack_of_memory_for_standard_error_is_survived() {
    Host::new("host_scarcity").passes(&["memory", "errors", "40", "modern"]);
}

#[test]
#[ignore = "slow: make test-long"]
fn a_lack_of_memory_for_what_a_server_sends_is_survived() {
    let host = Host::new("host_scarcity");
    host.passes(&["memory", "text", "8", "modern"]);
    for [mode, mebibytes] in [
        ["line", "20"],
        ["escapes", "8"],
        ["bytes", "4"],
        ["members", "2"],
        ["list", "2"],
        ["icons", "4"],
    ] {
        host.passes(&["memory", mode, mebibytes]);
    }
}

#[test]
#[ignore = "slow: make test-long"]
fn memory_stays_bounded_whatever_a_server_writes() {
    let host = Host::new("host_flood");
    host.passes(&["line", "500"]);
    host.passes(&["errors", "500"]);
}

#[test]
fn forked_children_probe_while_threads_do() {
    Host::new("host_fork").passes(&[]);
}

#[test]
fn unloading_during_a_call_is_survived() {
    let host = Host::new("host_unload");
    host.passes(&[library().to_str().unwrap()]);
}

#[test]
fn servers_are_started_as_told_and_nothing_secret_is_said() {
    Host::new("host_start").passes(&[]);
}

/// Neither a copy of the host's memory nor its handlers of fork.
#[test]
fn servers_are_started_without_a_fork() {
    let host = Host::new("host_once");
    let trace = host.workshop.path("trace");
    let mut strace = host.workshop.command(Path::new("strace"));
    // The processes of the host and of its threads alone: what a server starts is its own.
    strace
        .args(["-qq", "-e", "trace=fork,vfork,clone,clone3", "-o"])
        .args([&trace, &host.program, &host.server]);
    if !can_trace() {
        say_skipped(
            "strace is not installed or may not trace, so nobody looks how servers are started",
        );
        return;
    }
    passes(&host.workshop, strace);
    let trace = fs::read_to_string(&trace).unwrap();
    let starts: Vec<_> = trace.lines().filter(|line| line.contains("(")).collect();
    assert!(starts.len() >= 4, "{trace}");
    for start in starts {
        let is_cheap = start.contains("CLONE_VFORK") || start.starts_with("vfork(");
        assert!(is_cheap, "{start}");
    }
}

fn can_trace() -> bool {
    let true_under_strace = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status();
    true_under_strace.is_ok_and(|status| status.success())
}

#[test]
#[ignore = "slow: make test-long"]
fn a_panic_is_a_status_and_prints_nothing() {
    let folder = build_library(
        "panics",
        Command::new(env!("CARGO")).arg("rustc"),
        &["--crate-type", "cdylib,staticlib"],
        &["--", "--cfg", "mcpd_test_panic"],
    )
    .join("debug");
    let shared = format!("-L{}", folder.display());
    let run_path = format!("-Wl,-rpath,{}", folder.display());
    let archive = folder.join("libmcp_discover.a");
    // Programs look for the library by its SONAME.
    let soname = folder.join("libmcp_discover.so.0");
    let _ = fs::remove_file(&soname);
    std::os::unix::fs::symlink("libmcp_discover.so", soname).unwrap();
    for link in [
        vec![&shared[..], "-lmcp_discover", &run_path],
        vec![archive.to_str().unwrap(), "-ldl", "-lm"],
    ] {
        let host = Host::with(Workshop::new(), "host_panic", &link);
        let mut command = host.command(&[]);
        command.env_remove("LD_LIBRARY_PATH");
        let text = passes(&host.workshop, command);
        assert_eq!(text, "");
    }
}

/// The library and its hosts, instrumented. The hosts that limit memory are not among them: the sanitizer needs much.
/// Nor is the one that forks while other threads are in calls: with the sanitizer a child of that hangs now and then, as
/// with a lock that nobody is left to open; a fork from a single thread is looked into by `fork`.
#[test]
#[ignore = "slow: make test-long"]
fn an_address_sanitizer_finds_nothing() {
    let Some(archive) = sanitized("address", "") else {
        return;
    };
    let link = [
        archive.to_str().unwrap(),
        "-fsanitize=address",
        "-fno-omit-frame-pointer",
        "-ldl",
        "-lm",
    ];
    let others =
        ["uses", "refusals", "cancelling", "fork", "connection"].map(|name| (name, vec![]));
    let hosts = [
        ("host_leaks", vec!["64"]),
        ("host_kept", vec!["24"]),
        ("host_trees", vec![]),
        ("host_threads", vec![]),
        ("host_cancel", vec![]),
        ("host_start", vec![]),
        ("host_signals", vec!["plain"]),
        ("host_scan", vec![]),
        ("host_scan", vec!["many", "128"]),
    ];
    for (name, arguments) in others.into_iter().chain(hosts) {
        let host = Host::with(Workshop::new(), name, &link);
        let text = host.passes(&arguments);
        assert!(!text.contains("AddressSanitizer"), "{text}");
    }
}

/// The standard library is not instrumented, which takes its source; so what happens inside of it goes unseen. The C
/// compiler's runtime lacks functions that Rust calls, so that of Rust is linked.
#[test]
#[ignore = "slow: make test-long"]
fn a_thread_sanitizer_finds_nothing() {
    let Some(archive) = sanitized("thread", " -Cunsafe-allow-abi-mismatch=sanitizer") else {
        return;
    };
    let runtime = nightly_library("librustc-nightly_rt.tsan.a");
    let runtime = runtime.to_str().unwrap();
    for name in ["host_threads", "host_cancel", "host_fork", "host_scan"] {
        let workshop = Workshop::new();
        let unit = format!("tests/c/{name}.c");
        let object = workshop.compile(
            "host.o",
            "cc",
            "c99",
            &[&unit],
            &["-fsanitize=thread", "-c"],
        );
        let whole = ["-Wl,--whole-archive", runtime, "-Wl,--no-whole-archive"];
        let mut link = vec![object.to_str().unwrap(), archive.to_str().unwrap()];
        link.extend(whole);
        link.extend(["-Wl,--export-dynamic", "-ldl", "-lm", "-lrt"]);
        let host = Host {
            program: workshop.compile("host", "cc", "c99", &[], &link),
            server: workshop.compile("server", "cc", "c99", &["tests/c/host_server.c"], &[]),
            workshop,
        };
        let text = host.passes(&[]);
        assert!(!text.contains("ThreadSanitizer"), "{text}");
    }
}

/// A file of the nightly toolchain for this machine.
fn nightly_library(name: &str) -> PathBuf {
    let output = Command::new("rustup")
        .args(["run", "nightly", "rustc", "--print", "target-libdir"])
        .output()
        .unwrap();
    Path::new(str::from_utf8(&output.stdout).unwrap().trim()).join(name)
}

/// The library as a static archive with a sanitizer in it. Says so where that is not possible.
fn sanitized(sanitizer: &str, more_flags: &str) -> Option<PathBuf> {
    let nightly = Command::new("rustup")
        .args(["run", "nightly", "rustc", "--version"])
        .output();
    if !nightly.is_ok_and(|output| output.status.success()) {
        say_skipped(&format!(
            "there is no nightly toolchain, so nobody looks with a {sanitizer} sanitizer"
        ));
        return None;
    }
    let mut cargo = Command::new("rustup");
    cargo
        .args(["run", "nightly", "cargo", "rustc"])
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer}{more_flags}"));
    // With a target build scripts are built without the flags.
    let target = format!("{}-unknown-linux-gnu", env::consts::ARCH);
    let folder = build_library(
        sanitizer,
        &mut cargo,
        &["--crate-type", "staticlib", "--target", &target],
        &[],
    );
    Some(folder.join(target).join("debug/libmcp_discover.a"))
}

/// Builds the library into a target folder of its own, and gives that.
fn build_library(name: &str, cargo: &mut Command, options: &[&str], last: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let output = cargo
        .args(["--lib", "--locked", "--manifest-path"])
        .arg(workshop::in_repository("Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder)
        .args(options)
        .args(last)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    folder
}
