//! A probe asks little of the system: what makes it ask for more has to say so here.

mod workshop;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use workshop::{Workshop, say_skipped};

/// The system calls of one probe of a server that answers at once and leaves, those of the server not counted.
const MOST: usize = 75;

#[test]
fn a_probe_makes_few_system_calls() {
    if cfg!(not(target_os = "linux")) || Command::new("strace").arg("-V").output().is_err() {
        say_skipped("the number of system calls: strace is not installed");
        return;
    }
    let workshop = Workshop::new();
    let server = workshop.compile("server", "cc", "gnu11", &["benches/c/server.c"], &[]);
    let host = workshop.build("cc", "gnu11", &["benches/c/host.c"]);
    let count = |times: usize| {
        let log = workshop.path("log");
        let mut strace = workshop
            .command("strace".as_ref())
            .args(["-qq", "-o"])
            .args([&log, &host])
            .arg("probe")
            .arg(&server)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        writeln!(strace.stdin.take().unwrap(), "{times}").unwrap();
        assert!(strace.wait().unwrap().success());
        let log = fs::read_to_string(log).unwrap();
        let is_call = |line: &&str| line.starts_with(|first: char| first.is_ascii_lowercase());
        log.lines().filter(is_call).count()
    };
    // What one more probe takes; a turn more or less is the scheduler's affair.
    let calls = (count(21) - count(1)) / 20;
    assert!((20..=MOST).contains(&calls), "{calls} system calls");
}
