//! The pages say what is so: the quick start works, every remark is explained, every row is played.

mod workshop;

use std::collections::BTreeSet;
use std::fs;

use mcp_discover::core::remark::RemarkCode;
use serde_json::Value;
use workshop::{Workshop, in_repository};

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
        BTreeSet::from(["build", "demo", "install", "interop", "test", "test-long"])
    );
    for command in commands {
        assert!(
            makefile
                .lines()
                .any(|line| line.starts_with(&format!("{command}:")))
        );
    }
}
