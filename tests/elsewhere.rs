//! The library on a system that is not Unix, as far as that can be seen from one: built as it is there.

mod workshop;

use std::process::Command;

use workshop::{Workshop, in_repository};

#[test]
fn what_needs_processes_is_refused_and_the_rest_works() {
    let output = Command::new(env!("CARGO"))
        .args(["rustc", "--locked", "--lib", "--crate-type", "cdylib"])
        .args(["--target-dir", "target/elsewhere"])
        .env("MCPD_TEST_ELSEWHERE", "1")
        .current_dir(in_repository("."))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(!errors.contains("warning: "), "{errors}");
    let library = in_repository("target/elsewhere/debug/libmcp_discover.so");
    let workshop = Workshop::with_library(&library);
    // A negotiation is the caller's I/O, so all of its test has to pass.
    for unit in ["tests/c/elsewhere.c", "tests/c/negotiation.c"] {
        let program = workshop.build("cc", "c99", &[unit]);
        let output = workshop.run(&program, &[], None);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{unit}\n{errors}");
    }
}
