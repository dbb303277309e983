//! The library as C and C++ programs meet it: the header, the symbols, and programs that are compiled, linked and run.

mod workshop;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::process::{Command, Output};
use std::thread;

use workshop::{Workshop, in_repository, library};

/// A server on one line of shell, for the example that probes.
const SERVER: &str = r#"read -r line; echo '{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"prompts":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo","version":"1.2","title":"\u001b[2J"}}}}'; read -r end"#;

/// What a program wrote and its exit code.
fn told(output: &Output) -> (String, Option<i32>) {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text += &String::from_utf8_lossy(&output.stderr);
    (text, output.status.code())
}

fn assert_exit(output: &Output, code: i32) {
    let (text, actual) = told(output);
    assert_eq!(actual, Some(code), "{text}");
}

fn assert_passes(name: &str) {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &[&format!("tests/c/{name}.c")]);
    assert_exit(&workshop.run(&program, &[], None), 0);
    if let Some(output) = workshop.run_under_valgrind(&program, &[], None) {
        assert_exit(&output, 0);
    }
}

#[test]
fn the_header_is_current() {
    let generated = fs::read_to_string(concat!(env!("OUT_DIR"), "/mcp_discover.h")).unwrap();
    let committed = fs::read_to_string(in_repository("include/mcp_discover.h")).unwrap();
    assert!(
        generated == committed,
        "include/mcp_discover.h is stale: build once, and commit it"
    );
}

#[test]
fn the_header_compiles_in_every_standard_twice_and_in_two_units() {
    const UNITS: [&str; 2] = ["tests/c/two_units.c", "tests/c/one_of_two_units.c"];
    let workshop = Workshop::new();
    for (compiler, standard) in [
        ("cc", "c99"),
        ("cc", "c11"),
        ("cc", "c17"),
        ("c++", "c++11"),
        ("c++", "c++17"),
    ] {
        let program = workshop.build(compiler, standard, &UNITS);
        assert_exit(&workshop.run(&program, &[], None), 0);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_library_has_its_name_and_stays_loaded() {
    let output = Command::new("readelf").arg("-d").arg(library()).output();
    let (text, _) = told(&output.unwrap());
    assert!(text.contains("[libmcp_discover.so.0]"), "{text}");
    assert!(text.contains("NODELETE"), "{text}");
}

#[test]
fn bad_input_is_refused() {
    assert_passes("refusals");
}

#[test]
fn good_input_is_used() {
    assert_passes("uses");
}

#[test]
fn a_negotiation_is_driven_by_hand() {
    assert_passes("negotiation");
}

#[test]
fn a_forked_child_is_served() {
    assert_passes("fork");
}

#[test]
fn a_blocking_call_is_cancelled_from_anywhere() {
    assert_passes("cancelling");
}

#[test]
fn servers_are_kept_and_descriptors_probed() {
    assert_passes("connection");
}

/// Not under valgrind, which needs more memory than the program leaves itself.
#[test]
fn a_lack_of_memory_is_a_status() {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["tests/c/memory.c"]);
    assert_exit(&workshop.run(&program, &[], None), 0);
}

#[test]
fn the_example_that_builds_a_request_prints_one_line() {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/build_request.c"]);
    let (text, code) = told(&workshop.run(&program, &[], None));
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    assert!(text.starts_with(r#"{"jsonrpc":"2.0","id":"discover-1","method":"server/discover""#));
    if let Some(output) = workshop.run_under_valgrind(&program, &[], None) {
        assert_exit(&output, 0);
    }
}

#[test]
fn the_example_that_parses_a_reply_tells_what_it_says() {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/parse_reply.c"]);
    let input = workshop.path("reply.json");
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"ttlMs":5,"cacheScope":"public"}}"#;
    fs::write(&input, format!("{reply}\r\n")).unwrap();
    let (text, code) = told(&workshop.run(&program, &[], Some(&input)));
    assert_eq!(code, Some(0), "{text}");
    for line in [
        "reply:     discover\n",
        "version:   2026-07-28\n",
        "fresh for: 5 ms, public\n",
        "go on in:  2026-07-28\n",
        "remark:    ",
    ] {
        assert!(text.contains(line), "{text}");
    }
    if let Some(output) = workshop.run_under_valgrind(&program, &[], Some(&input)) {
        assert_exit(&output, 0);
    }
    fs::write(&input, "hello").unwrap();
    let (text, code) = told(&workshop.run(&program, &[], Some(&input)));
    assert_eq!(code, Some(1));
    assert!(
        text.contains("data: expected a JSON value at byte 0"),
        "{text}"
    );
}

/// A server that answers one connection with this, once the whole request is there.
fn serve_once(response: &'static str) -> (u16, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let mut request = String::new();
        let mut buffer = [0; 4096];
        while !request.ends_with("}}}") {
            let length = connection.read(&mut buffer).unwrap();
            assert!(length > 0, "{request}");
            request += str::from_utf8(&buffer[..length]).unwrap();
        }
        connection.write_all(response.as_bytes()).unwrap();
        request
    });
    (port, server)
}

#[test]
fn the_example_over_http_asks_and_tells() {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/http.c"]);
    for (response, expected) in [
        (
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hi\r\n\r\n\
             data: {\"jsonrpc\":\"2.0\",\"id\":\"discover-1\",\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}\r\n\r\n",
            "modern, use_modern 2026-07-28\n",
        ),
        (
            "HTTP/1.0 404 Not Found\r\n\r\n",
            "legacy, initialize_or_sse 2025-11-25\n",
        ),
    ] {
        let (port, server) = serve_once(response);
        let arguments = ["127.0.0.1", &port.to_string(), "/mcp"];
        let (text, code) = told(&workshop.run(&program, &arguments, None));
        assert_eq!(code, Some(0), "{text}");
        assert!(text.starts_with(expected), "{text}");
        let request = server.join().unwrap();
        let head = format!("POST /mcp HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n");
        assert!(request.starts_with(&head), "{request}");
        assert!(
            request.contains(
                "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n"
            ),
            "{request}"
        );
    }
}

#[test]
fn the_example_that_probes_tells_who_the_server_is_and_why() {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/probe.c"]);
    let server = ["/bin/sh", "-c", SERVER];
    let (text, code) = told(&workshop.run(&program, &server, None));
    assert_eq!(code, Some(0), "{text}");
    for line in [
        "server       demo\n",
        "era          modern, and the server said so\n",
        "capabilities tools+listChanged prompts\n",
        "asked        discover: result, initialize: not_asked\n",
        "  title      \\x1b[2J\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    if let Some(output) = workshop.run_under_valgrind(&program, &server, None) {
        assert_exit(&output, 0);
    }
    assert_exit(&workshop.run(&program, &[], None), 2);
    assert_exit(
        &workshop.run(&program, &["no-such-command-anywhere"], None),
        1,
    );
    assert_exit(&workshop.run(&program, &["true"], None), 3);
    let broken = [
        "/bin/sh",
        "-c",
        "seq 30 >&2; echo 'KEY is missing' >&2; exit 1",
    ];
    let (text, code) = told(&workshop.run(&program, &broken, None));
    assert_eq!(code, Some(3), "{text}");
    let last = "  stderr     29\n  stderr     30\n  stderr     KEY is missing\n";
    assert_eq!(text.matches(last).count(), 2, "{text}");
    assert_eq!(text.matches("  stderr ").count(), 2 * 20, "{text}");
}

#[test]
fn the_example_that_scans_tells_of_each_server() {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/scan.c"]);
    let missing = "no-such-command-anywhere";
    let commands = ["/bin/sh", "-c", SERVER, "--", missing, "a", "--", "true"];
    let (text, code) = told(&workshop.run(&program, &commands, None));
    assert_eq!(code, Some(1), "{text}");
    assert_eq!(text.matches('\n').count(), 3, "{text}");
    for line in [
        "/bin/sh              modern   The DiscoverResult names 2026-07-28",
        "no-such-command-anywhere failed   command \"no-such-command-anywhere\" was not found",
        "true                 unknown  ",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let commands = &commands[..3];
    if let Some(output) = workshop.run_under_valgrind(&program, commands, None) {
        assert_exit(&output, 0);
    }
    assert_exit(&workshop.run(&program, &[], None), 2);
    let (text, code) = told(&workshop.run(&program, &["--", "true"], None));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("scan: argv: "), "{text}");
}

#[test]
fn the_example_that_caches_asks_only_what_it_does_not_know() {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/cache.c"]);
    let file = workshop.path("verdict.json");
    let tell = |server: &[&str]| {
        let arguments = [&[file.to_str().unwrap()], server].concat();
        told(&workshop.run(&program, &arguments, None))
    };
    let server = ["/bin/sh", "-c", SERVER];
    let next = "next:  use_modern 2026-07-28\nfresh: no; ask it for its capabilities when they are needed\n";
    assert_eq!(tell(&server), (format!("known: no\n{next}"), Some(0)));
    assert_eq!(tell(&server), (format!("known: yes\n{next}"), Some(0)));
    // What is there is not asked for, so it need not be there.
    assert_eq!(tell(&["no-such-command"]).1, Some(0));
    let stored = fs::read_to_string(&file).unwrap();
    fs::write(&file, &stored[..stored.len() / 2]).unwrap();
    let (text, code) = tell(&server);
    assert!(
        text.starts_with("known: no\n") && text.contains("ends too early"),
        "{text}"
    );
    assert_eq!(code, Some(0));
    // It was stored anew, with other times.
    let length = fs::metadata(&file).unwrap().len() as usize;
    assert!(length.abs_diff(stored.len()) < 50, "{length}");
    // What a later version alone understands is asked anew.
    fs::write(
        &file,
        stored.replace("\"era\":\"modern\"", "\"era\":\"postmodern\""),
    )
    .unwrap();
    assert_eq!(tell(&server), (format!("known: no\n{next}"), Some(0)));
    fs::remove_file(&file).unwrap();
    assert_eq!(tell(&["true"]).1, Some(0));
    assert!(!file.exists());
    if let Some(output) = workshop.run_under_valgrind(
        &program,
        &[&[file.to_str().unwrap()], &server[..]].concat(),
        None,
    ) {
        assert_exit(&output, 0);
    }
}

#[test]
fn the_example_over_tcp_gives_the_verdict_of_a_probe() {
    const MODERN: &str =
        r#"{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"]}}"#;
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/over_tcp.c"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = thread::spawn(move || {
        let (connection, _) = listener.accept().unwrap();
        BufReader::new(&connection)
            .read_line(&mut String::new())
            .unwrap();
        writeln!(&connection, "{MODERN}").unwrap();
    });
    let (text, code) = told(&workshop.run(&program, &["127.0.0.1", &port], None));
    server.join().unwrap();
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.starts_with("era:  modern\nnext: use_modern 2026-07-28\n"),
        "{text}"
    );
    // Nobody listens there any more.
    assert_exit(&workshop.run(&program, &["127.0.0.1", &port], None), 1);
}

#[test]
fn the_example_over_a_socket_gives_the_verdict_of_a_probe() {
    const MODERN: &str =
        r#"{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"]}}"#;
    const LEGACY: &str =
        r#"{"jsonrpc":"2.0","id":"initialize-1","result":{"protocolVersion":"2025-06-18"}}"#;
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/negotiate.c"]);
    let socket = workshop.path("socket");
    assert_exit(
        &workshop.run(&program, &[socket.to_str().unwrap()], None),
        1,
    );
    // What is said on each connection, and the verdict.
    for (said, verdict) in [
        (vec![MODERN], "era:  modern\nnext: use_modern 2026-07-28\n"),
        (
            vec!["", LEGACY],
            "era:  legacy\nnext: initialize 2025-06-18\n",
        ),
    ] {
        let listener = UnixListener::bind(&socket).unwrap();
        let server = thread::spawn(move || {
            for line in said {
                let (connection, _) = listener.accept().unwrap();
                let mut lines = BufReader::new(&connection).lines();
                lines.next().unwrap().unwrap();
                if !line.is_empty() {
                    writeln!(&connection, "{line}").unwrap();
                    // It hears the end of what is sent to it, and nothing before.
                    assert!(lines.next().is_none());
                }
            }
        });
        let (text, code) = told(&workshop.run(&program, &[socket.to_str().unwrap()], None));
        server.join().unwrap();
        assert_eq!(code, Some(0), "{text}");
        assert!(text.starts_with(verdict), "{text}");
        fs::remove_file(&socket).unwrap();
    }
}

#[test]
fn the_example_that_connects_asks_for_the_tools_over_the_same_pipes() {
    let workshop = Workshop::new();
    let program = workshop.build("cc", "c99", &["examples/c/connect.c"]);
    let script = in_repository("examples/servers/scripted.py");
    for (role, version) in [("modern", "2026-07-28"), ("legacy", "2025-11-25")] {
        let role = in_repository(&format!("examples/servers/{role}.json"));
        let server = ["python3", script.to_str().unwrap(), role.to_str().unwrap()];
        let (text, code) = told(&workshop.run(&program, &server, None));
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(&format!("connected: {version}, ")), "{text}");
        assert!(text.contains(r#""name":"clock""#), "{text}");
        assert!(text.ends_with("ended: stdin_closed\n"), "{text}");
    }
    assert_exit(&workshop.run(&program, &[], None), 2);
    assert_exit(
        &workshop.run(&program, &["no-such-command-anywhere"], None),
        1,
    );
    assert_exit(&workshop.run(&program, &["true"], None), 3);
}
