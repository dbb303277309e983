//! Any conversation, through the negotiation: bytes from the server, with marks between them for what else happens.
//! However the bytes are cut, the verdict is the same.

#![no_main]

use std::ffi::CString;
use std::ptr;

use libfuzzer_sys::fuzz_target;
use mcp_discover::capi::negotiation::*;
use mcp_discover::capi::outcome::{MCPD_OUTCOME_EXIT, MCPD_OUTCOME_STDOUT_CLOSED};
use mcp_discover::capi::probe::mcpd_probe_options;
use mcp_discover::capi::status::{MCPD_INVALID_ARGUMENT, MCPD_OK};
use mcp_discover::capi::step::*;
use mcp_discover_fuzz::{outcome, spend_verdict, text};

/// What stands for an event rather than for a byte of the server's.
const CUT: u8 = 0;
const DEADLINE: u8 = 1;
const CLOSED: u8 = 2;
const EXITED: u8 = 3;
const MESSAGE_MODE: u8 = 4;
const OUT_OF_ORDER: u8 = 5;

fuzz_target!(|data: &[u8]| {
    let [kind, talk @ ..] = data else { return };
    let whole: Vec<u8> = talk.iter().copied().filter(|&byte| byte != CUT).collect();
    let verdict = Talk::new(*kind).through(&whole, whole.len());
    if !whole.contains(&MESSAGE_MODE) {
        assert_eq!(Talk::new(*kind).through(talk, talk.len()), verdict);
        assert_eq!(Talk::new(*kind).through(&whole, 1), verdict);
    }
});

struct Talk {
    negotiation: *mut mcpd_negotiation,
    now_ms: i64,
    is_open: bool,
    messages: bool,
}

impl Talk {
    fn new(kind: u8) -> Talk {
        let version = |text| CString::new(text).expect("no NUL");
        let texts = [
            version("2026-10-01"),
            version("2026-07-28"),
            version("2025-11-25"),
        ];
        let modern = [texts[0].as_ptr(), texts[1].as_ptr(), ptr::null()];
        let legacy = [texts[2].as_ptr(), ptr::null()];
        // SAFETY: zero is the default of every field.
        let mut options: mcpd_probe_options = unsafe { std::mem::zeroed() };
        options.struct_size = size_of::<mcpd_probe_options>();
        if kind & 1 != 0 {
            options.modern_versions = modern.as_ptr();
        }
        match kind >> 1 & 3 {
            1 => options.legacy_versions = &legacy[1],
            2 => options.legacy_versions = legacy.as_ptr(),
            _ => {}
        }
        options.fallback = (kind >> 3 & 1).into();
        options.max_starts = (kind >> 4 & 3).into();
        if kind >> 6 & 1 != 0 {
            options.max_line_bytes = 64;
        }
        let (mut negotiation, mut error) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the options and their lists outlive the call.
        let status = unsafe { mcpd_negotiation_new(&options, &mut negotiation, &mut error) };
        Talk {
            negotiation: outcome(status, negotiation, error).expect("a negotiation"),
            now_ms: 0,
            is_open: false,
            messages: false,
        }
    }

    /// Holds the conversation, in pieces of at most so many bytes, and gives the verdict as JSON.
    fn through(mut self, talk: &[u8], piece: usize) -> String {
        self.steps();
        for part in talk.split_inclusive(|&byte| byte <= OUT_OF_ORDER) {
            let (said, mark) = match part {
                [said @ .., mark] if *mark <= OUT_OF_ORDER => (said, *mark),
                said => (said, CUT),
            };
            if self.is_open && !said.is_empty() {
                said.chunks(piece.max(1)).for_each(|said| self.hear(said));
            }
            if mark != CUT {
                self.happens(mark);
                self.steps();
            }
        }
        // SAFETY: the negotiation is this function's, and is not used after it is freed.
        unsafe {
            let (mut verdict, mut error) = (ptr::null_mut(), ptr::null_mut());
            let status = mcpd_negotiation_verdict(self.negotiation, 0, &mut verdict, &mut error);
            mcpd_negotiation_free(self.negotiation);
            spend_verdict(outcome(status, verdict, error).expect("a verdict"))
        }
    }

    fn hear(&mut self, said: &[u8]) {
        let (data, length) = (said.as_ptr().cast(), said.len());
        let error = ptr::null_mut();
        // SAFETY: the negotiation is open, and the data as long as is said.
        let status = unsafe {
            match self.messages {
                true => mcpd_negotiation_received_message(
                    self.negotiation,
                    data,
                    length,
                    self.now_ms,
                    error,
                ),
                false => {
                    mcpd_negotiation_received(self.negotiation, data, length, self.now_ms, error)
                }
            }
        };
        assert_eq!(status, MCPD_OK);
    }

    fn happens(&mut self, mark: u8) {
        match mark {
            DEADLINE => self.now_ms = self.deadline().unwrap_or(self.now_ms),
            CLOSED if self.is_open => self.close(MCPD_OUTCOME_STDOUT_CLOSED),
            EXITED if self.is_open => self.close(MCPD_OUTCOME_EXIT),
            MESSAGE_MODE => self.messages = !self.messages,
            OUT_OF_ORDER => self.out_of_order(),
            _ => {}
        }
    }

    fn deadline(&self) -> Option<i64> {
        // SAFETY: it lives as long as this.
        let negotiation = unsafe { &*self.negotiation };
        (negotiation.step == MCPD_STEP_WAIT).then_some(negotiation.deadline_ms)
    }

    fn close(&mut self, how: i32) {
        // SAFETY: as above.
        let status =
            unsafe { mcpd_negotiation_closed(self.negotiation, how, self.now_ms, ptr::null_mut()) };
        assert_eq!(status, MCPD_OK);
        self.is_open = false;
    }

    /// What may not be done now is refused, and changes nothing.
    fn out_of_order(&mut self) {
        // SAFETY: as above.
        let status = unsafe {
            match self.is_open {
                true => mcpd_negotiation_started(self.negotiation, self.now_ms, ptr::null_mut()),
                false => mcpd_negotiation_closed(
                    self.negotiation,
                    MCPD_OUTCOME_EXIT,
                    self.now_ms,
                    ptr::null_mut(),
                ),
            }
        };
        assert_eq!(status, MCPD_INVALID_ARGUMENT);
    }

    /// Does what the negotiation says until it waits for the server or is done.
    fn steps(&mut self) {
        for _ in 0..1000 {
            // SAFETY: as above.
            let (status, it) = unsafe {
                let status = mcpd_negotiation_next(self.negotiation, self.now_ms, ptr::null_mut());
                (status, &*self.negotiation)
            };
            assert_eq!(status, MCPD_OK);
            match it.step {
                MCPD_STEP_START => {
                    // SAFETY: as above.
                    let status = unsafe {
                        mcpd_negotiation_started(self.negotiation, self.now_ms, ptr::null_mut())
                    };
                    assert_eq!(status, MCPD_OK);
                    self.is_open = true;
                }
                MCPD_STEP_SEND => {
                    let line = text(&it.line).expect("a line");
                    assert_eq!(line.find('\n'), Some(line.len() - 1));
                }
                MCPD_STEP_WAIT => {
                    assert!(self.is_open && it.deadline_ms > self.now_ms);
                    return;
                }
                // What still comes from a server that is being ended counts: the conversation goes on.
                MCPD_STEP_CLOSE => {
                    assert!(self.is_open);
                    return;
                }
                MCPD_STEP_FINISH => {
                    assert!(!self.is_open);
                    return;
                }
                step => panic!("step {step}"),
            }
        }
        panic!("it takes steps without end");
    }
}
