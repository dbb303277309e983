//! Runs the corpus in `tests/behaviours/`: each file is a test of its own, against a real child process.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Map, Value};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviours");
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
            Trial::test(name.into_owned(), move || run(&file))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn run(file: &Path) -> Result<(), Failed> {
    let behaviour: Value = serde_json::from_slice(&fs::read(file)?)?;
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let host = Host {
        behaviour: &behaviour,
        file,
        log: &log,
        folder: folder.path(),
    };
    let started = Instant::now();
    let seen = host.probe()?;
    let elapsed = started.elapsed().as_millis() as u64;

    let expected = behaviour["expect"].as_object().ok_or("no expect")?;
    let log = fs::read_to_string(&log).unwrap_or_default();
    let log: Vec<Value> = log
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let mut faults = String::new();
    for (name, expected) in expected {
        let fault = match name.as_str() {
            "remarks" => missing(expected, &remarks(&seen)),
            "noRemarks" => present(expected, &remarks(&seen)),
            "asked" => differs("asked", expected, &asked(&log)),
            "withinMs" => (elapsed > expected.as_u64().unwrap_or(0))
                .then(|| format!("took {elapsed} ms, expected at most {expected}")),
            "failure" => failure_differs(expected, &seen["failure"]),
            _ => differs(name, expected, &seen[name.as_str()]),
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

/// Compares what is expected: an object's members, all elements of an array, `{"contains": "..."}` a part of a text.
fn differs(place: &str, expected: &Value, seen: &Value) -> Option<String> {
    match (expected, seen) {
        (Value::Object(expected), Value::String(seen)) if is_part(expected, seen) => None,
        (Value::Object(expected), Value::Object(seen)) => {
            expected.iter().find_map(|(name, value)| {
                differs(
                    &format!("{place}.{name}"),
                    value,
                    seen.get(name).unwrap_or(&Value::Null),
                )
            })
        }
        (Value::Array(expected), Value::Array(seen)) if expected.len() == seen.len() => expected
            .iter()
            .zip(seen)
            .enumerate()
            .find_map(|(i, (expected, seen))| differs(&format!("{place}[{i}]"), expected, seen)),
        _ if expected == seen => None,
        _ => Some(format!("{place}: expected {expected}, seen {seen}")),
    }
}

fn is_part(expected: &Map<String, Value>, seen: &str) -> bool {
    let part = expected.get("contains").and_then(Value::as_str);
    part.is_some_and(|part| seen.contains(part))
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

/// The host process that probes a behaviour.
struct Host<'a> {
    behaviour: &'a Value,
    file: &'a Path,
    log: &'a Path,
    folder: &'a Path,
}

impl Host<'_> {
    fn probe(&self) -> Result<Value, Failed> {
        use mcp_discover::core::negotiation::{Fallback, Settings};
        use mcp_discover::core::version::Preference;
        use mcp_discover::probe::command::{Command, EnvMode, StderrMode};
        use mcp_discover::probe::{Failure, Options, stdio};
        let o = &self.behaviour["options"];
        let mut command = Command::new(self.argv());
        command
            .env
            .push(("BEHAVIOUR_LOG".into(), Some(self.log.into())));
        for (k, v) in o["env"].as_object().into_iter().flatten() {
            command.env.push((k.into(), v.as_str().map(Into::into)));
        }
        if o["envMode"] == "exact" {
            command.env_mode = EnvMode::Exact;
        }
        if o["stderr"] == "discard" {
            command.stderr = StderrMode::Discard;
        }
        command.cwd = o["cwd"].as_str().map(Into::into);
        let list = |v: &Value| {
            v.as_array()
                .map(|l| l.iter().map(|s| s.as_str().unwrap().to_owned()).collect())
        };
        let mut options = Options::new(command);
        options.settings = Settings {
            versions: Preference::new(list(&o["modernVersions"]), list(&o["legacyVersions"]))
                .unwrap(),
            fallback: if o["fallback"] == "none" {
                Fallback::None
            } else {
                Fallback::Initialize
            },
            max_starts: o["maxStarts"].as_u64().unwrap_or(2) as u32,
            max_line_bytes: o["maxLineBytes"].as_u64().unwrap_or(10 << 20) as usize,
            ..Settings::default()
        };
        if let Some(v) = o["timeoutMs"].as_u64() {
            options.timeout = Duration::from_millis(v);
        }
        options.discover_timeout = o["discoverTimeoutMs"].as_u64().map(Duration::from_millis);
        if let Some(v) = o["graceMs"].as_u64() {
            options.grace = Duration::from_millis(v);
        }
        if let Some(v) = o["maxStderrBytes"].as_u64() {
            options.max_stderr_bytes = v as usize;
        }
        Ok(match stdio(&options, None) {
            Ok(verdict) => serde_json::from_str(&verdict.to_json())?,
            Err(Failure::Start(e)) => {
                serde_json::json!({"failure": {"status": format!("{:?}", e.kind), "message": e.message}})
            }
            Err(e) => return Err(format!("{e}").into()),
        })
    }

    fn argv(&self) -> Vec<String> {
        let python = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/servers/scripted.py");
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
                        .replace("$FOLDER", &self.folder.display().to_string())
                })
                .collect(),
        }
    }
}
