//! The interface that programs are compiled with: nothing of what was released goes away or changes, and such programs run
//! with a library whose structs have grown. `docs/abi.md` is the rule.

mod workshop;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use workshop::header::Header;
use workshop::{Workshop, in_repository, library, say_skipped};

const SURFACE: &str = "tests/abi/surface.txt";
/// `make abi` sets it: the surface is to be written, as it is now.
const WRITE: &str = "MCPD_WRITE_ABI";

/// The surface as text: what a compiler makes of the header.
fn surface(header: &Header, workshop: &Workshop) -> String {
    let mut c = "#include <stdio.h>\n#include \"mcp_discover.h\"\nint main(void)\n{\n".to_owned();
    for (name, fields) in &header.structs {
        let _ = writeln!(c, "printf(\"struct {name} %zu\\n\", sizeof({name}));");
        for (kind, field) in fields {
            let _ = writeln!(
                c,
                "printf(\"    %zu %zu {kind} {field}\\n\", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));"
            );
        }
    }
    for name in &header.constants {
        let _ = writeln!(
            c,
            "printf(\"constant {name} %lld\\n\", (long long)({name}));"
        );
    }
    c += "return 0;\n}\n";
    let source = workshop.path("surface.c");
    fs::write(&source, c).unwrap();
    let program = workshop.build("cc", "c99", &[source.to_str().unwrap()]);
    let output = workshop.run(&program, &[], None);
    assert!(output.status.success());

    let mut surface = String::new();
    for name in &header.codes {
        let _ = writeln!(surface, "code {name}");
    }
    for name in &header.opaque {
        let _ = writeln!(surface, "handle {name}");
    }
    for (name, types) in &header.functions {
        let _ = writeln!(surface, "function {name} {types}");
    }
    surface + str::from_utf8(&output.stdout).unwrap()
}

/// What the lines of a surface say: the name of each thing, and what it is; of a struct the fields in order.
fn things(surface: &str) -> BTreeMap<&str, (&str, Vec<&str>)> {
    let mut things = BTreeMap::new();
    let mut last = "";
    for line in surface.lines() {
        if let Some(field) = line.strip_prefix("    ") {
            let (_, fields): &mut (&str, Vec<&str>) = things.get_mut(last).unwrap();
            fields.push(field);
        } else {
            let name_ends = line
                .match_indices(' ')
                .nth(1)
                .map_or(line.len(), |(at, _)| at);
            last = &line[..name_ends];
            things.insert(last, (line[name_ends..].trim(), Vec::new()));
        }
    }
    things
}

/// Why programs that were compiled with the old surface may not run with the new one.
fn breaks(old: &str, new: &str) -> Vec<String> {
    let new = things(new);
    let mut breaks = Vec::new();
    for (name, (what, fields)) in things(old) {
        let Some((now, new_fields)) = new.get(name) else {
            breaks.push(format!("{name} is gone"));
            continue;
        };
        if !name.starts_with("struct ") {
            if what != *now {
                breaks.push(format!("{name} was {what}, and is {now}"));
            }
            continue;
        }
        for (i, field) in fields.iter().enumerate() {
            if !new_fields.get(i).is_some_and(|new| is_kept(field, new)) {
                let now = new_fields.get(i).unwrap_or(&"gone");
                breaks.push(format!("{name}: \"{field}\" is {now}"));
            }
        }
        let grows = fields
            .first()
            .is_some_and(|first| first.ends_with(" struct_size"));
        if !grows && what != *now {
            breaks.push(format!(
                "{name} is frozen, and has grown from {what} to {now} bytes"
            ));
        }
    }
    breaks
}

/// Whether a field is what it was. What was reserved may get a name.
fn is_kept(old: &str, new: &str) -> bool {
    match old.strip_suffix(" reserved") {
        Some(kind) => new
            .rsplit_once(' ')
            .is_some_and(|(new, _)| places(new) == places(kind)),
        None => old == new,
    }
}

/// The offset and the size of a field.
fn places(field: &str) -> Vec<&str> {
    field.split(' ').take(2).collect()
}

#[test]
#[cfg(target_pointer_width = "64")]
fn nothing_that_was_released_is_taken_away() {
    let new = surface(&Header::read(), &Workshop::new());
    assert!(new.lines().count() > 300, "{new}");
    let path = in_repository(SURFACE);
    let writes = env::var_os(WRITE).is_some();
    let old = match fs::read_to_string(&path) {
        Err(_) if writes => String::new(),
        text => text.unwrap(),
    };
    let breaks = breaks(&old, &new);
    assert!(
        breaks.is_empty(),
        "programs that are compiled already would break; see docs/abi.md:\n{}\n\
         Before the first release, and where the number of the interface moves, delete {SURFACE} and run make abi.",
        breaks.join("\n")
    );
    if writes {
        fs::write(path, new).unwrap();
    }
}

/// A compiler may put anything into padding, so there is none: each field begins where the one before it ends.
#[test]
#[cfg(target_pointer_width = "64")]
fn no_struct_has_padding() {
    let surface = surface(&Header::read(), &Workshop::new());
    let mut count = 0;
    for (name, (size, fields)) in things(&surface) {
        let mut end = 0;
        for field in &fields {
            let numbers: Vec<usize> = places(field).iter().map(|n| n.parse().unwrap()).collect();
            assert_eq!(numbers[0], end, "{name}: {field}");
            end += numbers[1];
        }
        if name.starts_with("struct ") {
            assert_eq!(size, end.to_string(), "{name}");
            count += 1;
        }
    }
    assert!(count > 10, "{count} structs");
}

#[test]
fn what_breaks_programs_is_seen_and_what_does_not_is_let_through() {
    const OLD: &str = "\
code mcpd_era
handle mcpd_cancel
function mcpd_era_name const char * (mcpd_era)
struct mcpd_str 16
    0 8 const char * ptr
    8 8 size_t len
struct mcpd_text 24
    0 8 size_t struct_size
    8 4 int32_t kind
    12 4 int32_t reserved
    16 8 int64_t code
constant MCPD_OK 0
";
    assert_eq!(breaks(OLD, OLD), [""; 0]);
    let change = |from: &str, to: &str| {
        assert_eq!(OLD.matches(from).count(), 1, "{from}");
        breaks(OLD, &OLD.replace(from, to))
    };
    for (from, to) in [
        (
            "constant MCPD_OK 0\n",
            "constant MCPD_OK 0\nconstant MCPD_NEW 1\nfunction mcpd_new void (void)\n",
        ),
        (
            "    16 8 int64_t code\n",
            "    16 8 int64_t code\n    24 8 int64_t more\n",
        ),
        ("12 4 int32_t reserved", "12 4 int32_t flag"),
        ("struct mcpd_text 24", "struct mcpd_text 32"),
    ] {
        assert_eq!(change(from, to), [""; 0], "{to}");
    }
    for (from, to, expected) in [
        ("code mcpd_era\n", "", "code mcpd_era is gone"),
        ("handle mcpd_cancel\n", "", "handle mcpd_cancel is gone"),
        ("constant MCPD_OK 0\n", "", "constant MCPD_OK is gone"),
        (
            "constant MCPD_OK 0",
            "constant MCPD_OK 1",
            "constant MCPD_OK was 0, and is 1",
        ),
        ("(mcpd_era)", "(mcpd_era, int32_t)", "(mcpd_era, int32_t)"),
        (
            "const char * (",
            "char * (",
            "mcpd_era_name was const char *",
        ),
        (
            "    16 8 int64_t code\n",
            "",
            "\"16 8 int64_t code\" is gone",
        ),
        (
            "16 8 int64_t code",
            "16 8 uint64_t code",
            "is 16 8 uint64_t code",
        ),
        (
            "8 4 int32_t kind",
            "8 4 int32_t sort",
            "is 8 4 int32_t sort",
        ),
        (
            "    8 4 int32_t kind\n",
            "    8 4 int32_t new\n    12 4 int32_t kind\n",
            "is 8 4 int32_t new",
        ),
        (
            "12 4 int32_t reserved",
            "12 8 int64_t reserved",
            "is 12 8 int64_t reserved",
        ),
        (
            "struct mcpd_str 16",
            "struct mcpd_str 24",
            "mcpd_str is frozen",
        ),
    ] {
        let breaks = change(from, to);
        assert!(
            breaks.iter().any(|text| text.contains(expected)),
            "{to}: {breaks:?}"
        );
    }
}

#[test]
fn the_library_exports_what_the_header_declares_and_nothing_else() {
    let output = Command::new("nm")
        .args(["-D", "--defined-only", "--format=just-symbols"])
        .arg(library())
        .output()
        .unwrap();
    assert!(output.status.success());
    let exported: BTreeSet<&str> = str::from_utf8(&output.stdout).unwrap().lines().collect();
    let header = Header::read();
    assert_eq!(
        exported,
        header.functions.keys().map(String::as_str).collect()
    );
}

/// The sources with one field more at the end of every struct that may grow; what the library fills in there is 7.
fn grow(from: &Path, to: &Path) -> usize {
    let mut grown = 0;
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(to).unwrap().map(Result::unwrap) {
        match (
            from.join(entry.file_name()).exists(),
            entry.file_type().unwrap().is_dir(),
        ) {
            (true, _) => {}
            (false, true) => fs::remove_dir_all(entry.path()).unwrap(),
            (false, false) => fs::remove_file(entry.path()).unwrap(),
        }
    }
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            grown += grow(&entry.path(), &target);
            continue;
        }
        let mut text = fs::read_to_string(entry.path()).unwrap();
        if entry.path().parent().unwrap().ends_with("capi") {
            for name in structs_that_grow(&text) {
                let start = text.find(&format!("pub struct {name} {{")).unwrap();
                let end = start + text[start..].find("\n}").unwrap();
                text.insert_str(end, "\n    /// More.\n    pub appended: u64,");
                for path in ["mem::", ""] {
                    let size = format!("struct_size: {path}size_of::<{name}>(),");
                    text = text.replace(&size, &format!("{size} appended: 7,"));
                }
                grown += 1;
            }
        }
        write_if_different(&target, &text);
    }
    grown
}

/// Cargo then builds no more than it must.
fn write_if_different(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}

fn structs_that_grow(source: &str) -> Vec<String> {
    source
        .split("pub struct ")
        .skip(1)
        .filter_map(|rest| rest.split_once(" {\n"))
        .filter(|(_, body)| {
            body.split('}')
                .next()
                .unwrap()
                .contains("pub struct_size: usize")
        })
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[test]
fn programs_run_with_a_library_whose_structs_have_grown() {
    let copy = in_repository("target/grown");
    fs::create_dir_all(&copy).unwrap();
    for file in ["Cargo.lock", "build.rs", "cbindgen.toml"] {
        let text = fs::read_to_string(in_repository(file)).unwrap();
        write_if_different(&copy.join(file), &text);
    }
    // Tests and benchmarks that the manifest names are not copied.
    let manifest = fs::read_to_string(in_repository("Cargo.toml")).unwrap();
    let tables = manifest.split("\n\n");
    let manifest: Vec<_> = tables.filter(|table| !table.starts_with("[[")).collect();
    write_if_different(&copy.join("Cargo.toml"), &manifest.join("\n\n"));
    assert!(grow(&in_repository("src"), &copy.join("src")) >= 15);
    let output = Command::new(env!("CARGO"))
        .args(["rustc", "--locked", "--lib", "--crate-type", "cdylib"])
        .args(["--target-dir", "target"])
        .current_dir(&copy)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let grown = copy.join("target/debug/libmcp_discover.so");
    let workshop = Workshop::with_library(&grown);
    for (compiler, standard, unit) in [
        ("cc", "c99", "tests/c/older.c"),
        ("c++", "c++17", "tests/cpp/uses.cpp"),
    ] {
        let program = workshop.build(compiler, standard, &[unit]);
        let output = workshop.run(&program, &[], None);
        assert!(
            output.status.success(),
            "{unit}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    // The library that cargo has built for the tests has debug information, which abidiff needs.
    let ordinary = env::current_exe()
        .unwrap()
        .with_file_name("libmcp_discover.so");
    if let Some(code) = abidiff(&ordinary, &grown) {
        assert_eq!(code, 0);
        assert_ne!(abidiff(&grown, &ordinary), Some(0));
    }
}

/// How abidiff ends: 0 if programs that use the old library can use the new one.
fn abidiff(old: &Path, new: &Path) -> Option<i32> {
    let mut command = Command::new("abidiff");
    let allowed = in_repository("tests/abi/growth.abignore");
    command.arg("--suppressions").arg(allowed).args([old, new]);
    let Ok(output) = command.output() else {
        say_skipped("abidiff is not installed, so nobody else compares two libraries");
        return None;
    };
    output.status.code()
}
