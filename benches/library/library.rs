//! The shipped library, called as C calls it: building a request, reading replies of all sizes, a whole probe.
//!
//! `make build`, then `cargo bench` in this folder. Beside others the library is measured by `make bench`.

use std::env;
use std::ffi::{CString, c_char};
use std::fs;
use std::hint::black_box;
use std::mem;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcp_discover::capi::probe::{mcpd_probe_options, mcpd_probe_stdio};
use mcp_discover::capi::reply::{mcpd_reply, mcpd_reply_free, mcpd_reply_parse};
use mcp_discover::capi::request::mcpd_request_build;
use mcp_discover::capi::status::MCPD_OK;
use mcp_discover::capi::text::mcpd_text_free;
use mcp_discover::capi::verdict::{mcpd_verdict, mcpd_verdict_free};

/// The library that programs load.
struct Library(*mut libc::c_void);

impl Library {
    fn open() -> Library {
        let folder = env::var_os("MCPD_LIBRARY_DIR")
            .map_or_else(|| in_repository("target/release"), PathBuf::from);
        let path = folder.join("libmcp_discover.so");
        let name = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the name ends with NUL, and loading the library runs nothing but it.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        assert!(
            !handle.is_null(),
            "{} is missing: make build",
            path.display()
        );
        Library(handle)
    }

    /// The library's own function of this name, of the type of `like`.
    fn function<F: Copy>(&self, name: &std::ffi::CStr, _like: F) -> F {
        // SAFETY: the library stays loaded, and the name ends with NUL.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!address.is_null(), "{name:?} is missing");
        // SAFETY: it is the function that `like` is too, in the library that was built from the same source.
        unsafe { mem::transmute_copy(&address) }
    }
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// An answer with so long instructions.
fn with_text(typical: &str, size: usize) -> String {
    let line = r#"Call \"forecast\" with a place, then read the result line by line; ask again if it is old.\n"#;
    typical.replace("Use this server", &line.repeat(size / line.len()))
}

/// An answer with many small members.
fn with_members(typical: &str, size: usize) -> String {
    let member = |i| format!(r#""com.example/feature-{i}":{{"on":true,"level":{i},"of":[1,2]}}"#);
    let members: Vec<_> = (0..size / member(0).len()).map(member).collect();
    typical.replace(
        r#""capabilities":{"#,
        &format!(
            r#""capabilities":{{"experimental":{{{}}},"#,
            members.join(",")
        ),
    )
}

/// Many messages that answer nothing, and no line feed between them, before the answer.
fn behind_noise(typical: &str, size: usize) -> String {
    let message = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"loading"}} "#;
    message.repeat(size / message.len()) + typical
}

fn building(criterion: &mut Criterion) {
    let library = Library::open();
    let build = library.function(
        c"mcpd_request_build",
        mcpd_request_build as unsafe extern "C" fn(_, _, _) -> _,
    );
    let free = library.function(c"mcpd_text_free", mcpd_text_free as unsafe extern "C" fn(_));
    criterion.bench_function("build", |bencher| {
        bencher.iter(|| {
            let mut request = ptr::null_mut();
            // SAFETY: the options are NULL, which is all defaults, and the outputs valid; what is given is freed once.
            unsafe {
                assert_eq!(
                    build(ptr::null(), &raw mut request, ptr::null_mut()),
                    MCPD_OK
                );
                free(black_box(request));
            }
        });
    });
}

fn reading(criterion: &mut Criterion) {
    let library = Library::open();
    let parse = library.function(
        c"mcpd_reply_parse",
        mcpd_reply_parse as unsafe extern "C" fn(_, _, _, _, _) -> _,
    );
    let free = library.function(
        c"mcpd_reply_free",
        mcpd_reply_free as unsafe extern "C" fn(_),
    );
    let message = |name| fs::read_to_string(in_repository("benches/messages").join(name)).unwrap();
    let typical = message("typical.json");
    let mut group = criterion.benchmark_group("read");
    for (name, message) in [
        ("small", message("small.json")),
        ("typical", typical.clone()),
        ("full", message("full.json")),
        ("text 100 kB", with_text(&typical, 100_000)),
        ("text 10 MB", with_text(&typical, 10_000_000)),
        ("members 100 kB", with_members(&typical, 100_000)),
        ("members 10 MB", with_members(&typical, 10_000_000)),
        ("noise 100 kB", behind_noise(&typical, 100_000)),
        ("noise 10 MB", behind_noise(&typical, 10_000_000)),
    ] {
        group.throughput(Throughput::Bytes(message.len() as u64));
        group.sample_size(if message.len() > 1_000_000 { 10 } else { 100 });
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut reply: *mut mcpd_reply = ptr::null_mut();
                let data = black_box(message.as_ptr()).cast::<c_char>();
                // SAFETY: the data is as long as that, the outputs are valid, and what is given is freed once.
                unsafe {
                    let status = parse(
                        data,
                        message.len(),
                        ptr::null(),
                        &raw mut reply,
                        ptr::null_mut(),
                    );
                    assert_eq!(status, MCPD_OK);
                    assert!(!(*reply).discover.is_null());
                    free(reply);
                }
            });
        });
    }
}

fn probing(criterion: &mut Criterion) {
    let library = Library::open();
    let probe = library.function(
        c"mcpd_probe_stdio",
        mcpd_probe_stdio as unsafe extern "C" fn(_, _, _) -> _,
    );
    let free = library.function(
        c"mcpd_verdict_free",
        mcpd_verdict_free as unsafe extern "C" fn(_),
    );
    let folder = tempfile::tempdir().unwrap();
    let server = folder.path().join("server");
    let mut compiler = Command::new(env::var_os("CC").unwrap_or("cc".into()));
    compiler
        .args(["-O2", "-o"])
        .arg(&server)
        .arg(in_repository("benches/c/server.c"));
    assert!(compiler.status().unwrap().success());
    let name = CString::new(server.to_str().unwrap()).unwrap();
    let argv = [name.as_ptr(), ptr::null()];
    criterion.bench_function("probe", |bencher| {
        bencher.iter(|| {
            // SAFETY: all zeros are the default of every option.
            let mut options: mcpd_probe_options = unsafe { mem::zeroed() };
            options.struct_size = mem::size_of_val(&options);
            options.argv = argv.as_ptr();
            let mut verdict: *mut mcpd_verdict = ptr::null_mut();
            // SAFETY: options and outputs are valid, and what is given is freed once.
            unsafe {
                assert_eq!(
                    probe(&raw const options, &raw mut verdict, ptr::null_mut()),
                    MCPD_OK
                );
                assert_eq!((*verdict).confirmed, 1);
                free(verdict);
            }
        });
    });
}

criterion_group!(benches, building, reading, probing);
criterion_main!(benches);
