//! Any bytes as a stored verdict: it is refused, or what is read is written as the same again.

#![no_main]

use std::ptr;

use libfuzzer_sys::fuzz_target;
use mcp_discover::capi::verdict::{mcpd_verdict_from_json, mcpd_verdict_is_fresh};
use mcp_discover_fuzz::{outcome, spend_verdict};

fuzz_target!(|data: &[u8]| {
    let (mut verdict, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the data is as long as is said, and the rest are places of this function.
    let status = unsafe {
        mcpd_verdict_from_json(data.as_ptr().cast(), data.len(), &mut verdict, &mut error)
    };
    if let Some(verdict) = outcome(status, verdict, error) {
        for now_ms in [i64::MIN, 0, 1_796_000_000_000, i64::MAX] {
            // SAFETY: it was just given.
            unsafe { mcpd_verdict_is_fresh(verdict, now_ms) };
        }
        spend_verdict(verdict);
    }
});
