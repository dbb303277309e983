//! The C++ header: programs of both standards use it, and so do the examples; it has all that the C header has.

mod workshop;

use std::fs;
use std::process::Output;

use workshop::header::Header;
use workshop::{Workshop, in_repository};

/// What a program wrote.
fn text(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text += &String::from_utf8_lossy(&output.stderr);
    text
}

#[test]
fn it_gives_and_refuses_what_c_does() {
    let workshop = Workshop::new();
    for standard in ["c++17", "c++20"] {
        let program = workshop.build("c++", standard, &["tests/cpp/uses.cpp"]);
        let output = workshop.run(&program, &[], None);
        assert!(output.status.success(), "{standard}\n{}", text(&output));
    }
    let program = workshop.path("program-c++17");
    if let Some(output) = workshop.run_under_valgrind(&program, &[], None) {
        assert!(output.status.success(), "{}", text(&output));
    }
}

#[test]
fn the_example_that_probes_tells_who_the_server_is_and_why() {
    let workshop = Workshop::new();
    let program = workshop.build("c++", "c++17", &["examples/cpp/probe.cpp"]);
    let script = in_repository("examples/servers/scripted.py");
    let role = in_repository("examples/servers/modern.json");
    let server = ["python3", script.to_str().unwrap(), role.to_str().unwrap()];
    let output = workshop.run(&program, &server, None);
    let told = text(&output);
    assert!(output.status.success(), "{told}");
    for line in [
        "server: modern-example\n",
        "era: modern, and the server said so\n",
        "with: 2026-07-28\n",
        "tools: yes, and it tells when they change\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    for (command, code) in [
        (&[][..], 2),
        (&["no-such-command-anywhere"], 1),
        (&["true"], 3),
    ] {
        let output = workshop.run(&program, command, None);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    }
}

#[test]
fn the_example_that_scans_tells_of_every_server() {
    let workshop = Workshop::new();
    let program = workshop.build("c++", "c++17", &["examples/cpp/scan.cpp"]);
    let script = in_repository("examples/servers/scripted.py");
    let role = in_repository("examples/servers/modern.json");
    let server = ["python3", script.to_str().unwrap(), role.to_str().unwrap()];
    let several = [&server[..], &["--", "true", "--"], &server].concat();
    let output = workshop.run(&program, &several, None);
    let told = text(&output);
    assert!(output.status.success(), "{told}");
    assert_eq!(told.matches("python3: modern: ").count(), 2, "{told}");
    assert_eq!(told.matches("true: unknown: ").count(), 1, "{told}");
    let output = workshop.run(&program, &["no-such-command-anywhere"], None);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let output = workshop.run(&program, &[], None);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}

#[test]
fn the_example_that_parses_a_reply_tells_what_it_says() {
    let workshop = Workshop::new();
    let program = workshop.build("c++", "c++17", &["examples/cpp/parse_reply.cpp"]);
    let input = workshop.path("reply.json");
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"ttlMs":5,"cacheScope":"public","capabilities":{"extensions":{"a":{}}}}}"#;
    fs::write(&input, format!("{reply}\r\n")).unwrap();
    let output = workshop.run(&program, &[], Some(&input));
    let told = text(&output);
    assert!(output.status.success(), "{told}");
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"server/discover""#,
        "\nreply: discover\ngo on in: 2026-07-28\nfresh for: 5 ms, public\nextension: a {}\nremark: ",
    ] {
        assert!(told.contains(line), "{told}");
    }
    fs::write(&input, "hello").unwrap();
    let output = workshop.run(&program, &[], Some(&input));
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("parse_reply: data: "),
        "{}",
        text(&output)
    );
}

/// Whether C++ code names something, as a whole word.
fn names(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let goes_on = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_alphanumeric());
        !goes_on(code[..at].chars().next_back()) && !goes_on(code[at + word.len()..].chars().next())
    })
}

/// The class over a struct, or where there is none the whole header.
fn class_of<'a>(code: &'a str, name: &str) -> &'a str {
    let starts = [
        format!("detail::view<{name}>"),
        format!("detail::owner<{name},"),
    ];
    let start = starts.iter().find_map(|start| code.find(start));
    start.map_or(code, |at| {
        let class = &code[at..];
        &class[..class.find("\n};").unwrap()]
    })
}

#[test]
fn it_has_all_that_the_c_header_has() {
    let code = fs::read_to_string(in_repository("include/mcp_discover.hpp")).unwrap();
    let mut header = Header::read();
    // It is there for bindings to other languages.
    header.structs.remove("mcpd_flat_reply").unwrap();
    header.functions.remove("mcpd_flat_reply_parse").unwrap();
    let mut missing: Vec<String> = header
        .functions
        .keys()
        .chain(&header.constants)
        .filter(|name| !names(&code, name))
        .cloned()
        .collect();
    for (name, fields) in &header.structs {
        for (_, field) in fields {
            let says_nothing = ["struct_size", "reserved"].contains(&field.as_str());
            if !says_nothing && !names(class_of(&code, name), field) {
                missing.push(format!("{name}.{field}"));
            }
        }
    }
    assert!(header.structs.len() > 10 && header.functions.len() > 20);
    assert_eq!(missing, [""; 0], "include/mcp_discover.hpp lacks these");
}
