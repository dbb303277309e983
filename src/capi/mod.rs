//! The C border: every `extern "C"` function.
