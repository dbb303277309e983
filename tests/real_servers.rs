//! Probes servers that nobody here wrote, through the C example. `make test` installs them; without them it says so.

mod workshop;

use std::env;
use std::path::PathBuf;

use workshop::{Workshop, in_repository, say_skipped};

/// Names the folder with the environments of the servers. Where it is set they have to be there.
const FOLDER: &str = "REAL_SERVERS";

/// The Python of an environment; none, and a word about it, where nothing was installed.
fn python(environment: &str) -> Option<String> {
    let Some(folder) = env::var_os(FOLDER) else {
        say_skipped(&format!("{environment} is not installed; run make test"));
        return None;
    };
    let python = PathBuf::from(folder).join(environment).join("bin/python");
    assert!(python.exists(), "{} is missing", python.display());
    Some(python.display().to_string())
}

/// What the example prints about a server.
fn told(server: &[&str]) -> String {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/probe.c"]);
    let output = workshop.run(&program, server, None);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    text
}

fn assert_tells(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(
            text.lines().any(|told| told == *line),
            "{line:?} is missing in\n{text}"
        );
    }
}

#[test]
fn a_modern_server_on_the_python_sdk() {
    let Some(python) = python("modern-server") else {
        return;
    };
    let server = in_repository("tests/real_servers/modern.py");
    let text = told(&[&python, &server.display().to_string()]);
    assert_tells(
        &text,
        &[
            "server       smallest",
            "  version    1.2.3",
            "era          modern, and the server said so",
            "next         use_modern",
            "  with       2026-07-28",
            "asked        discover: result, initialize: not_asked",
            "process      exit code 0, stdin_closed",
        ],
    );
}

#[test]
fn a_legacy_server_of_2025() {
    let Some(python) = python("legacy-server") else {
        return;
    };
    let server = [&python, "-m", "mcp_server_time", "--local-timezone", "UTC"];
    assert_tells(
        &told(&server),
        &[
            "server       mcp-time",
            "era          legacy, and the server said so",
            "next         initialize",
            "  with       2025-11-25",
            "asked        discover: error, initialize: result",
            "process      exit code 0, stdin_closed",
        ],
    );
}
