//! Builds the C header from `src/capi`, and tells the linker what the shared library is called.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config};

/// The chapters of the header, and the files of `src/capi` that each is made from, in reading order.
const CHAPTERS: &[(&str, &[&str])] = &[
    ("Versions of the library", &["identity"]),
    (
        "Statuses, errors and texts",
        &["status", "str", "member", "error", "text"],
    ),
    ("Eras and protocol versions", &["era", "versions"]),
    ("Building a request", &["method", "id_kind", "request"]),
    (
        "What servers answer",
        &[
            "icon",
            "implementation",
            "server_capabilities",
            "cache_scope",
            "discover_result",
            "initialize_result",
            "rpc_error",
        ],
    ),
    ("Remarks", &["remark_code", "remark"]),
    ("Parsing a reply", &["reply_kind", "reply", "flat_reply"]),
    (
        "The verdict",
        &[
            "unrecognized",
            "next",
            "outcome",
            "exit_kind",
            "shutdown",
            "process",
            "direction",
            "transcript_entry",
            "verdict",
        ],
    ),
    (
        "Probing a stdio server",
        &["cancel", "fallback", "env_mode", "stderr_mode", "probe"],
    ),
    ("Many servers at once", &["scan_item", "scan"]),
    (
        "Asking a server over HTTP",
        &["http_header", "http_post", "http"],
    ),
    ("Keeping the connection", &["connection"]),
    ("Any other transport", &["step", "negotiation"]),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cbindgen.toml");
    println!("cargo:rerun-if-changed=src/capi");
    println!("cargo:rerun-if-changed=include/mcp_discover.h");
    println!("cargo:rerun-if-env-changed=MCPD_TEST_ELSEWHERE");
    name_the_shared_library();
    // A test sets the variable, to see what the library is where there are none.
    if env::var_os("CARGO_CFG_UNIX").is_some() && env::var_os("MCPD_TEST_ELSEWHERE").is_none() {
        println!("cargo:rustc-cfg=mcpd_processes");
    }
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let header = header(&root)?;
    write_if_different(
        &Path::new(&env::var("OUT_DIR")?).join("mcp_discover.h"),
        &header,
    )?;
    // A packaged tree has the header already, and must not be written to.
    if root.join(".git").exists() {
        write_if_different(&root.join("include/mcp_discover.h"), &header)?;
    }
    Ok(())
}

/// Gives the shared library the name that programs record, and keeps it loaded once it is: a thread may still run its code.
fn name_the_shared_library() {
    let arguments: &[&str] = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos") => &["-Wl,-install_name,@rpath/libmcp_discover.0.dylib"],
        Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd" | "dragonfly") => {
            &["-Wl,-soname,libmcp_discover.so.0", "-Wl,-z,nodelete"]
        }
        _ => &[],
    };
    for argument in arguments {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}

/// The header: cbindgen sorts by kind, so it is asked file by file, which keeps together what belongs together.
fn header(root: &Path) -> Result<String, Box<dyn Error>> {
    let mut config = Config::from_file(root.join("cbindgen.toml"))?;
    let top = config.header.take().unwrap_or_default();
    let bottom = config.trailer.take().unwrap_or_default();
    let mut header = top.replace("@VERSION@", &env::var("CARGO_PKG_VERSION")?);
    for (title, files) in CHAPTERS {
        header += &format!("\n/* {title} */\n\n");
        for file in *files {
            let source = root.join("src/capi").join(file).with_extension("rs");
            header += declarations(source, &config)?.trim();
            header += "\n\n";
        }
    }
    Ok(header + &bottom)
}

/// What a file declares. cbindgen says `struct` only of what the same file defines; every struct has a typedef, so it
/// is never said.
fn declarations(source: PathBuf, config: &Config) -> Result<String, Box<dyn Error>> {
    let mut text = Vec::new();
    Builder::new()
        .with_config(config.clone())
        .with_src(source)
        .generate()?
        .write(&mut text);
    let text = String::from_utf8(text)?
        .replace("struct mcpd_", "mcpd_")
        .replace("typedef mcpd_", "typedef struct mcpd_");
    Ok(parenthesized(&on_one_line(&text)))
}

/// Puts comments of a single line of text on one line.
fn on_one_line(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.as_mut_slice() {
            [.., open, only] if line.trim() == "*/" && open.trim() == "/**" => {
                *open = format!("{} {} */", open, only.trim().trim_start_matches("* "));
                lines.pop();
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// Puts negative constants in parentheses, so that they stay one number in every expression.
fn parenthesized(text: &str) -> String {
    let constant = |line: &str| {
        let (name, value) = line.strip_prefix("#define ")?.split_once(" -")?;
        Some(format!("#define {name} (-{value})"))
    };
    let lines: Vec<_> = text
        .lines()
        .map(|line| constant(line).unwrap_or_else(|| line.to_owned()))
        .collect();
    lines.join("\n")
}

fn write_if_different(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    Ok(fs::write(path, text)?)
}
