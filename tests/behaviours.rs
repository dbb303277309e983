//! Runs the corpus in `tests/behaviours/`: each file is a test of its own, against a real child process.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

mod workshop;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use workshop::expectation::differs;
use workshop::{Workshop, in_repository};

fn main() {
    let arguments = Arguments::from_args();
    let workshop = Arc::new(Workshop::new());
    let program = workshop.build("cc", "c99", &["tests/c/probe_json.c"]);
    let folder = in_repository("tests/behaviours");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of the corpus")
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no behaviour in {}", folder.display());
    let trials = files
        .into_iter()
        .map(|file| {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let (workshop, program) = (Arc::clone(&workshop), program.clone());
            Trial::test(name.into_owned(), move || run(&file, &workshop, &program))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(file: &Path, workshop: &Workshop, program: &Path) -> Result<(), Failed> {
    let behaviour: Value = serde_json::from_slice(&fs::read(file)?)?;
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let host = Host {
        behaviour: &behaviour,
        file,
        log: &log,
    };
    let started = Instant::now();
    let mut command = workshop.command(program);
    command.args(host.options()?).arg("--").args(host.argv());
    let output = output_in_time(command)?;
    let seen: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error} in the host's output: {output:?}"))?;
    let elapsed = started.elapsed().as_millis() as u64;

    let log = fs::read_to_string(&log).unwrap_or_default();
    let log: Vec<Value> = log
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let mut faults = String::new();
    let failure = behaviour.get("failure").map(|failure| ("failure", failure));
    let verdict = behaviour["expect"].as_object().into_iter().flatten();
    let expected: Vec<(&str, &Value)> = verdict
        .map(|(name, value)| (name.as_str(), value))
        .chain(failure)
        .collect();
    if expected.is_empty() {
        return Err("nothing is expected".into());
    }
    for (name, expected) in expected {
        let fault = match name {
            "remarks" => missing(expected, &remarks(&seen)),
            "noRemarks" => present(expected, &remarks(&seen)),
            "asked" => differs("asked", expected, &asked(&log)),
            "withinMs" => (elapsed > expected.as_u64().unwrap_or(0))
                .then(|| format!("took {elapsed} ms, expected at most {expected}")),
            "failure" => failure_differs(expected, &seen["failure"]),
            _ => differs(name, expected, &seen[name]),
        };
        if let Some(fault) = fault {
            writeln!(faults, "{fault}")?;
        }
    }
    for pid in log.iter().filter_map(|record| record["pid"].as_u64()) {
        if outlives(pid, Duration::from_secs(2)) {
            writeln!(faults, "process {pid} was left behind")?;
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(format!("{faults}seen: {seen:#}\nlog: {log:?}").into()),
    }
}

fn remarks(verdict: &Value) -> Vec<&str> {
    let remarks = verdict["remarks"].as_array().into_iter().flatten();
    remarks
        .filter_map(|remark| remark["code"].as_str())
        .collect()
}

fn missing(expected: &Value, seen: &[&str]) -> Option<String> {
    let mut codes = expected.as_array()?.iter().filter_map(Value::as_str);
    let code = codes.find(|code| !seen.contains(code))?;
    Some(format!("the remark {code} is missing among {seen:?}"))
}

fn present(unexpected: &Value, seen: &[&str]) -> Option<String> {
    let mut codes = unexpected.as_array()?.iter().filter_map(Value::as_str);
    let code = codes.find(|code| seen.contains(code))?;
    Some(format!("the remark {code} should not be there"))
}

/// What each process was asked, in the order of their starts.
fn asked(log: &[Value]) -> Value {
    let starts = log.iter().filter(|record| record["start"] == true);
    starts
        .map(|start| {
            let of_this = log.iter().filter(|record| record["pid"] == start["pid"]);
            of_this
                .filter_map(|record| record.get("method").cloned())
                .collect::<Vec<_>>()
        })
        .collect()
}

fn failure_differs(expected: &Value, seen: &Value) -> Option<String> {
    if let Some(fault) = differs("status", &expected["status"], &seen["status"]) {
        return Some(fault);
    }
    let message = seen["message"].as_str().unwrap_or_default();
    let parts = expected["message"].as_array().into_iter().flatten();
    parts
        .filter_map(Value::as_str)
        .find(|part| !message.contains(part))
        .map(|part| format!("the message {message:?} lacks {part:?}"))
}

/// Whether a process lives on beyond this time; what SIGKILL was sent to takes a moment to go.
fn outlives(pid: u64, patience: Duration) -> bool {
    let started = Instant::now();
    while is_alive(pid) {
        if started.elapsed() > patience {
            return true;
        }
        thread::sleep(Duration::from_millis(5));
    }
    false
}

/// A zombie that a foreign init has not reaped yet is not alive.
fn is_alive(pid: u64) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit_once(") ").map(|(_, rest)| &rest[..1]);
    state.is_some_and(|state| state != "Z" && state != "X")
}

/// No behaviour takes so long.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a program wrote; it is killed if it does not end.
fn output_in_time(mut command: Command) -> Result<Output, Failed> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = child.id().to_string();
    let (done, waiting) = mpsc::channel::<()>();
    let watchdog = thread::spawn(move || {
        if waiting.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-KILL", &pid]).status();
        }
    });
    let output = child.wait_with_output()?;
    drop(done);
    let _ = watchdog.join();
    match output.status.code() {
        Some(0 | 1) => Ok(output),
        _ => Err(format!("the host failed: {output:?}").into()),
    }
}

/// What the host is told to probe, and how.
struct Host<'a> {
    behaviour: &'a Value,
    file: &'a Path,
    log: &'a Path,
}

impl Host<'_> {
    /// The options as the host takes them: in the names of C, lists one by one.
    fn options(&self) -> Result<Vec<String>, Failed> {
        let mut options = vec![
            "--env".to_owned(),
            format!("BEHAVIOUR_LOG={}", self.log.display()),
        ];
        for (name, value) in self.behaviour["options"].as_object().into_iter().flatten() {
            let option = match name.as_str() {
                "timeoutMs" => "--timeout_ms",
                "discoverTimeoutMs" => "--discover_timeout_ms",
                "graceMs" => "--grace_ms",
                "maxStarts" => "--max_starts",
                "fallback" => "--fallback",
                "modernVersions" => "--modern_versions",
                "legacyVersions" => "--legacy_versions",
                "maxLineBytes" => "--max_line_bytes",
                "maxStderrBytes" => "--max_stderr_bytes",
                "env" => "--env",
                "envMode" => "--env_mode",
                "cwd" => "--cwd",
                "stderr" => "--stderr_mode",
                other => return Err(format!("unknown option {other}").into()),
            };
            for value in option_values(value) {
                options.extend([option.to_owned(), value]);
            }
        }
        Ok(options)
    }

    fn argv(&self) -> Vec<String> {
        let python = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let server = in_repository("examples/servers/scripted.py");
        let (server, file) = (
            server.display().to_string(),
            self.file.display().to_string(),
        );
        match self.behaviour["command"].as_array() {
            None => vec![python, server, file],
            Some(words) => words
                .iter()
                .filter_map(Value::as_str)
                .map(|word| {
                    word.replace("$PYTHON", &python)
                        .replace("$SERVER", &server)
                        .replace("$BEHAVIOUR", &file)
                })
                .collect(),
        }
    }
}

fn option_values(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) if list.is_empty() => vec!["none".to_owned()],
        Value::Array(list) => list.iter().flat_map(option_values).collect(),
        Value::Object(variables) => variables
            .iter()
            .map(|(name, value)| match value.as_str() {
                Some(value) => format!("{name}={value}"),
                None => name.clone(),
            })
            .collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}
