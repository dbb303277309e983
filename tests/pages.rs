//! The pages say what is so: the programs work, the links lead somewhere, every remark is explained, every row is played.

mod workshop;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcp_discover::core::remark::RemarkCode;
use serde_json::Value;
use workshop::{LIBRARY_DIR, Workshop, in_repository, library, say_skipped};

fn page(path: &str) -> String {
    fs::read_to_string(in_repository(path)).unwrap()
}

/// The lines of a page behind this one, as long as they go on like this.
fn behind<'a>(
    page: &'a str,
    start: &'a str,
    goes_on: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &'a str> {
    let lines = page.lines().skip_while(move |line| *line != start).skip(1);
    lines.take_while(move |line| goes_on(line))
}

#[test]
fn the_quick_start_of_the_readme_prints_what_it_says() {
    let readme = page("README.md");
    let source: Vec<&str> = behind(&readme, "```c", |line| line != "```").collect();
    let is_output = |line: &str| line.is_empty() || line.starts_with("    ");
    let expected: String = behind(&readme, "It prints:", is_output)
        .filter_map(|line| line.strip_prefix("    "))
        .map(|line| format!("{line}\n"))
        .collect();
    let workshop = Workshop::new();
    let quick = workshop.path("quick.c");
    fs::write(&quick, source.join("\n")).unwrap();
    let program = workshop.build("cc", "c99", &[quick.to_str().unwrap()]);
    let output = workshop
        .command(&program)
        .current_dir(in_repository("."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert!(expected.starts_with("modern "));
}

/// The first block of code of a page in this language.
fn block(page: &str, language: &str) -> String {
    let start = format!("```{language}");
    let lines: Vec<&str> = behind(page, &start, |line| line != "```").collect();
    lines.join("\n") + "\n"
}

#[test]
fn the_programs_for_getting_started_print_what_the_page_says() {
    let page = page("docs/getting-started.md");
    let output = behind(
        &page,
        "Every program below starts the same server, asks it what it is, and prints",
        |line| line.is_empty() || line.starts_with("    "),
    );
    let expected: String = output
        .filter_map(|line| line.strip_prefix("    "))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(expected.starts_with("modern "));
    let workshop = Workshop::new();
    let prints_it = |mut command: Command| {
        let output = command.current_dir(in_repository(".")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    };

    let source = workshop.path("quick.cpp");
    fs::write(&source, block(&page, "cpp")).unwrap();
    let program = workshop.build("c++", "c++17", &[source.to_str().unwrap()]);
    prints_it(workshop.command(&program));

    let mut python = Command::new("python3");
    python.arg("-c").arg(block(&page, "python"));
    python.env("PYTHONPATH", in_repository("bindings/python/src"));
    python.env("MCP_DISCOVER_LIBRARY", library());
    prints_it(python);

    // The package takes the library that make has built.
    if env::var_os(LIBRARY_DIR).is_none() || Command::new("go").arg("version").output().is_err() {
        say_skipped("the page's program in Go: make test runs it where Go is installed");
        return;
    }
    let source = workshop.path("main.go");
    fs::write(&source, block(&page, "go")).unwrap();
    // In the module of the examples the package is the one of the checkout.
    let program = workshop.path("quick");
    let mut go = Command::new("go");
    go.args([
        "build",
        "-buildvcs=false",
        "-tags",
        "mcp_discover_dev",
        "-o",
    ]);
    go.arg(&program).arg(&source);
    let output = go
        .current_dir(in_repository("examples/go"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    prints_it(workshop.command(&program));
}

/// The links of a page that lead to files.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let targets = page
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    targets
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .filter_map(|target| target.split('#').next())
}

#[test]
fn the_links_between_pages_lead_somewhere() {
    let mut pages: Vec<_> = [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
    ]
    .map(PathBuf::from)
    .into();
    for entry in fs::read_dir(in_repository("docs")).unwrap() {
        let name = entry.unwrap().file_name();
        if name.to_str().unwrap().ends_with(".md") {
            pages.push(Path::new("docs").join(name));
        }
    }
    let mut count = 0;
    for path in pages {
        let text = page(path.to_str().unwrap());
        for target in links(&text) {
            let file = in_repository(path.to_str().unwrap()).with_file_name(target);
            assert!(file.exists(), "{} leads to {target}", path.display());
            count += 1;
        }
    }
    assert!(count > 40, "{count} links");
}

#[test]
fn every_remark_is_explained() {
    let page = page("docs/remarks.md");
    let explained: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(code, _)| code)
        .collect();
    let names: BTreeSet<&str> = RemarkCode::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(explained.len(), names.len());
    assert_eq!(explained.into_iter().collect::<BTreeSet<_>>(), names);
}

/// The rows that a page has a line for.
fn rows(path: &str) -> BTreeSet<String> {
    let is_row = |cell: &&str| {
        cell.parse::<u32>().is_ok()
            || (cell.len() == 1 && cell.chars().all(|c| c.is_ascii_lowercase()))
    };
    page(path)
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .map(str::trim)
        .filter(is_row)
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_row_of_the_pages_is_played() {
    let mut played = BTreeSet::new();
    for entry in fs::read_dir(in_repository("tests/behaviours")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let behaviour: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let rows = behaviour["rows"].as_array().unwrap().iter();
            played.extend(rows.map(|row| row.as_str().unwrap().to_owned()));
        }
    }
    // What the host does with its children is played by the tests of hosts.
    let of_hosts = ["44", "45", "46", "47"].map(str::to_owned);
    let described: BTreeSet<String> = rows("docs/verdicts.md")
        .into_iter()
        .chain(rows("docs/field-reports.md"))
        .filter(|row| !of_hosts.contains(row))
        .collect();
    assert!(described.len() > 50, "{described:?}");
    assert_eq!(described, played);
}

#[test]
fn the_commands_of_the_readme_are_targets() {
    let readme = page("README.md");
    let makefile = page("Makefile");
    let commands: BTreeSet<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("    make ")?.split_whitespace().next())
        .collect();
    assert_eq!(
        commands,
        BTreeSet::from([
            "build",
            "demo",
            "install",
            "interop",
            "test",
            "test-long",
            "uninstall"
        ])
    );
    for command in commands {
        assert!(
            makefile
                .lines()
                .any(|line| line.starts_with(&format!("{command}:")))
        );
    }
}
