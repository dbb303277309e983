//! Build steps of the C library.

fn main() {}
