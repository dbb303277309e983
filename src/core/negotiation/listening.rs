//! Bytes to lines to messages: what counts as an answer to an open request.

use super::Negotiation;
use super::handing_over::HandOver;
use crate::core::json::Json;
use crate::core::memory;
use crate::core::remark::{RemarkCode, Remarks};
use crate::core::reply::{self, Incoming, Open, Reply};
use crate::core::request::{Id, Method};
use crate::core::rpc_error::RpcError;
use crate::core::verdict::ProcessRecord;

/// How many skipped lines are kept to show them, and how many bytes of each.
const SAMPLED_LINES: usize = 5;
const SAMPLED_BYTES: usize = 200;

impl Negotiation {
    pub(super) fn process(&mut self) -> &mut ProcessRecord {
        if self.processes.is_empty() {
            self.processes.push(ProcessRecord::default());
        }
        let last = self.processes.len() - 1;
        &mut self.processes[last]
    }

    /// Reads a line, which came with this ending.
    pub(super) fn read_line(&mut self, line: &[u8], ending: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if !memory::has_room_to_read(line) {
            return self.skip_too_long(line);
        }
        let text = reply::text_of(line, &mut self.remarks);
        let mut rest = text.as_ref();
        let mut messages = 0;
        while !rest.is_empty() {
            match reply::read_first(rest, &self.open, &mut self.remarks) {
                Ok((Incoming::Noise, ..)) => return self.skip(line),
                Ok((incoming, _, behind)) => {
                    self.take(incoming);
                    messages += 1;
                    rest = behind;
                    if self.will_hand_over() {
                        return self.leave_unread(rest, ending);
                    }
                }
                Err(error) => {
                    reply::note_broken(rest, error, &mut self.remarks);
                    return self.skip(line);
                }
            }
            if messages == 2 {
                self.remarks.note(RemarkCode::SeveralMessages);
            }
        }
    }

    /// A last line counts without its line feed.
    pub(super) fn read_last_line(&mut self) {
        if let Some(head) = self.framing.overlong().map(<[u8]>::to_vec) {
            self.framing.drop_partial();
            return self.skip_too_long(&head);
        }
        let Some(line) = self.framing.take_partial() else {
            return;
        };
        if self.answers_open(&line) {
            self.remarks.note(RemarkCode::UnterminatedReply);
        }
        self.read_line(&line, b"");
    }

    /// At a deadline a line that has not ended counts if it is an answer; else it may still go on.
    pub(super) fn read_partial_answer(&mut self) {
        if self
            .framing
            .partial()
            .is_some_and(|line| self.answers_open(line))
        {
            self.read_last_line();
        }
    }

    fn answers_open(&self, line: &[u8]) -> bool {
        if !memory::has_room_to_read(line) {
            return false;
        }
        let unheard = &mut Remarks::default();
        let text = reply::text_of(line, unheard);
        let mut rest = text.trim();
        while !rest.is_empty() {
            match reply::read_first(rest, &self.open, unheard) {
                Ok((Incoming::Reply(..) | Incoming::NullIdError(_), ..)) => return true,
                Ok((Incoming::Unrelated, _, behind)) => rest = behind,
                Ok((Incoming::Noise, ..)) | Err(_) => return false,
            }
        }
        false
    }

    pub(super) fn skip_too_long(&mut self, head: &[u8]) {
        self.remarks.note(RemarkCode::LineTooLong);
        self.skip(head);
    }

    fn skip(&mut self, line: &[u8]) {
        self.remarks.note(RemarkCode::Noise);
        let process = self.process();
        process.skipped_lines += 1;
        if process.skipped_sample.len() < SAMPLED_LINES {
            let head = &line[..line.len().min(SAMPLED_BYTES)];
            process
                .skipped_sample
                .push(String::from_utf8_lossy(head).into_owned());
        }
    }

    pub(super) fn take(&mut self, incoming: Incoming<'_>) {
        match incoming {
            Incoming::Reply(index, reply) => {
                let request = self.open.remove(index);
                if request.id.is_some_and(|id| self.overdue.contains(&id)) || !self.stdin_open {
                    self.remarks.note(RemarkCode::LateReply);
                }
                self.accept(request.method, reply);
            }
            // With several requests open nobody can tell which one failed.
            Incoming::NullIdError(error) if self.outstanding().count() == 1 => {
                let text = error.raw.text();
                self.pending_error.get_or_insert_with(|| text.to_owned());
            }
            Incoming::NullIdError(_) | Incoming::Unrelated | Incoming::Noise => {}
        }
    }

    /// Nothing better came: the error without an id is the answer.
    pub(super) fn accept_pending_error(&mut self) {
        let Some(text) = self.pending_error.take() else {
            return;
        };
        let request = self.outstanding().next().cloned();
        let (Some(request), Ok(json)) = (request, Json::parse(&text)) else {
            return;
        };
        self.presumed_answered.extend(request.id);
        let error = RpcError::read(json, &mut self.remarks);
        self.accept(request.method, Reply::Error(error));
    }

    pub(super) fn accept(&mut self, method: Method, reply: Reply<'_>) {
        self.pending_error = None;
        if self.hand_over == HandOver::Asking {
            return self.hand_over_answered(reply);
        }
        self.answers += 1;
        match method {
            Method::Discover => self.discover_answered(reply),
            Method::Initialize => self.initialize_answered(reply),
        }
    }

    /// The open requests that no error without id was taken to answer.
    fn outstanding(&self) -> impl Iterator<Item = &Open<'static>> {
        let presumed = |id: &Id<'static>| self.presumed_answered.contains(id);
        self.open
            .iter()
            .filter(move |request| !request.id.as_ref().is_some_and(presumed))
    }

    pub(super) fn is_outstanding(&self, method: Method) -> bool {
        self.outstanding().any(|request| request.method == method)
    }

    /// The id of an outstanding request whose deadline has not passed.
    pub(super) fn open_in_time(&self, method: Method) -> Option<Id<'static>> {
        self.outstanding()
            .filter(|request| request.method == method)
            .filter_map(|request| request.id.as_ref())
            .find(|id| !self.overdue.contains(id))
            .cloned()
    }
}
