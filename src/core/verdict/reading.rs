//! A verdict from JSON, also from what a later version of the library wrote: members that this one does not know are
//! passed over, and codes that it does not know are unrecognized. The text is kept, so that nothing gets lost.

use std::borrow::Cow;
use std::fmt;

use super::{Exit, Next, Outcome, ProcessRecord, Shutdown, Timing, Verdict};
use crate::core::json::{Json, Kind, SyntaxError, escape_line_breaks, repair_surrogates};
use crate::core::memory;
use crate::core::remark::{Remark, RemarkCode, Remarks};
use crate::core::transcript::{Direction, Entry, Transcript};
use crate::core::version::Era;

/// What a verdict was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The JSON, as one line.
    pub(super) json: Box<str>,
    /// Whoever wrote it held the verdict for storable.
    pub(super) storable: bool,
}

/// Why a text is no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// It is no JSON.
    Syntax(SyntaxError),
    /// It is JSON of another form.
    Form {
        /// Which member is at fault, what was expected, and what is there.
        problem: String,
        /// Where, in bytes from the start of the text.
        offset: usize,
    },
    /// There is no memory for it.
    OutOfMemory,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Syntax(error) => error.fmt(f),
            ReadError::Form { problem, offset } => write!(f, "{problem} at byte {offset}"),
            ReadError::OutOfMemory => f.write_str("no memory is left"),
        }
    }
}

impl Verdict {
    /// Reads what [`to_json`](Verdict::to_json) wrote, in this or a later version.
    ///
    /// # Errors
    ///
    /// When the text is no JSON or has another form, or when there is no memory for what it holds.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        // The text is kept beside its parts, and what is escaped in it becomes up to three times as long.
        if !memory::has_room_for(memory::to_read(text.as_bytes()).saturating_mul(3)) {
            return Err(ReadError::OutOfMemory);
        }
        // No byte moves, so faults are where they were.
        let text = &*repair_surrogates(text);
        let json = Json::parse(text).map_err(ReadError::Syntax)?;
        let mut reader = Reader {
            text,
            first_fault: None,
        };
        let verdict = reader.verdict(json);
        match reader.first_fault {
            None => Ok(verdict),
            Some(fault) => Err(fault),
        }
    }
}

/// A member that the form has, or an element of one; its value, if it is there.
#[derive(Clone, Copy)]
struct Member<'a> {
    name: &'static str,
    value: Option<Json<'a>>,
}

/// Reads on where something is wrong, as if it were absent, and tells in the end.
struct Reader<'a> {
    text: &'a str,
    first_fault: Option<ReadError>,
}

impl<'a> Reader<'a> {
    fn wrong(&mut self, member: Member<'a>, expected: &str) {
        if self.first_fault.is_some() {
            return;
        }
        let name = member.name;
        self.first_fault = Some(match member.value {
            None => ReadError::Form {
                problem: format!("{name}: expected {expected}, found none"),
                offset: 0,
            },
            Some(value) => ReadError::Form {
                problem: format!("{name}: expected {expected}, found {}", value.kind()),
                offset: value.text().as_ptr() as usize - self.text.as_ptr() as usize,
            },
        });
    }

    /// What the value is read as, if it is there.
    fn given<T>(
        &mut self,
        member: Member<'a>,
        expected: &str,
        read: fn(Json<'a>) -> Option<T>,
    ) -> Option<T> {
        let read = read(member.value?);
        if read.is_none() {
            self.wrong(member, expected);
        }
        read
    }

    fn string(&mut self, member: Member<'a>) -> Option<Cow<'a, str>> {
        self.given(member, "a string", Json::as_str)
    }

    fn text(&mut self, member: Member<'a>) -> String {
        self.string(member).unwrap_or_default().into_owned()
    }

    fn flag(&mut self, member: Member<'a>) -> bool {
        self.given(member, "a boolean", Json::as_bool)
            .unwrap_or(false)
    }

    fn integer<T: TryFrom<i64>>(&mut self, member: Member<'a>) -> Option<T> {
        let number = self.given(member, "an integer in range", Json::as_integer)?;
        let number = T::try_from(number).ok();
        if number.is_none() {
            self.wrong(member, "an integer in range");
        }
        number
    }

    fn milliseconds(&mut self, member: Member<'a>) -> Option<f64> {
        self.given(member, "a number in range", |value| {
            value.as_f64().filter(|number| number.is_finite())
        })
    }

    fn object(&mut self, member: Member<'a>) -> Option<Json<'a>> {
        self.given(member, "an object", |value| {
            (value.kind() == Kind::Object).then_some(value)
        })
    }

    /// An answer of the server's.
    fn answer(&mut self, member: Member<'a>) -> Option<Box<str>> {
        self.object(member).map(one_line)
    }

    fn code<T: Copy>(
        &mut self,
        member: Member<'a>,
        all: &[T],
        name: fn(T) -> &'static str,
        unrecognized: T,
    ) -> Option<T> {
        let given = self.string(member)?;
        let known = all.iter().find(|code| name(**code) == given);
        Some(*known.unwrap_or(&unrecognized))
    }

    fn required<T: Copy>(
        &mut self,
        member: Member<'a>,
        all: &[T],
        name: fn(T) -> &'static str,
        unrecognized: T,
    ) -> T {
        if member.value.is_none() {
            self.wrong(member, "a string");
        }
        let code = self.code(member, all, name, unrecognized);
        code.unwrap_or(unrecognized)
    }

    fn outcome(&mut self, member: Member<'a>) -> Outcome {
        self.code(member, Outcome::ALL, Outcome::name, Outcome::Unrecognized)
            .unwrap_or(Outcome::NotAsked)
    }

    /// The members of these names of an object.
    fn members<const N: usize>(
        &mut self,
        object: Member<'a>,
        names: [&'static str; N],
    ) -> [Member<'a>; N] {
        let mut members = names.map(|name| Member { name, value: None });
        self.find(object, &mut members);
        members
    }

    /// Finds the values of members; of duplicates the last, and null is absence.
    fn find(&mut self, object: Member<'a>, members: &mut [Member<'a>]) {
        for (name, value) in self.object(object).into_iter().flat_map(Json::members) {
            if let Some(known) = members.iter_mut().find(|member| member.name == name) {
                known.value = Some(value).filter(|value| !value.is_null());
            }
        }
    }

    fn elements(&mut self, member: Member<'a>) -> Vec<Member<'a>> {
        let array = self.given(member, "an array", |value| {
            (value.kind() == Kind::Array).then_some(value)
        });
        let elements = array.into_iter().flat_map(Json::elements);
        let named = |element| Member {
            name: member.name,
            value: Some(element),
        };
        elements.map(named).collect()
    }

    fn verdict(&mut self, json: Json<'a>) -> Verdict {
        let document = Member {
            name: "the verdict",
            value: Some(json),
        };
        let [
            schema,
            era,
            next,
            version,
            confirmed,
            storable,
            summary,
            discover_outcome,
            initialize_outcome,
            received_at,
            discover,
            initialize,
            discover_error,
            initialize_error,
            remarks,
            processes,
            timing,
            transcript,
        ] = self.members(
            document,
            [
                "schema",
                "era",
                "next",
                "version",
                "confirmed",
                "storable",
                "summary",
                "discoverOutcome",
                "initializeOutcome",
                "receivedAt",
                "discover",
                "initialize",
                "discoverError",
                "initializeError",
                "remarks",
                "processes",
                "timing",
                "transcript",
            ],
        );
        if self.integer(schema).unwrap_or(0) < 1 {
            self.wrong(schema, "1, or a later one");
        }
        Verdict {
            era: self.required(era, Era::ALL, Era::name, Era::Unrecognized),
            next: self.required(next, Next::ALL, Next::name, Next::Unrecognized),
            version: self.string(version).map(Cow::into_owned),
            confirmed: self.flag(confirmed),
            summary: self.text(summary),
            discover_outcome: self.outcome(discover_outcome),
            initialize_outcome: self.outcome(initialize_outcome),
            received_at: self.integer(received_at),
            discover: self.answer(discover),
            initialize: self.answer(initialize),
            discover_error: self.answer(discover_error),
            initialize_error: self.answer(initialize_error),
            remarks: Remarks::restored(
                self.elements(remarks)
                    .into_iter()
                    .map(|remark| self.remark(remark))
                    .collect(),
            ),
            processes: self
                .elements(processes)
                .into_iter()
                .map(|process| self.process(process))
                .collect(),
            timing: self.timing(timing),
            transcript: self.transcript(transcript),
            origin: Some(Origin {
                json: one_line(json),
                storable: self.flag(storable),
            }),
        }
    }

    fn remark(&mut self, member: Member<'a>) -> Remark {
        let [code, text] = self.members(member, ["code", "text"]);
        let unrecognized = RemarkCode::Unrecognized;
        let code = self.code(code, RemarkCode::ALL, RemarkCode::name, unrecognized);
        Remark {
            code: code.unwrap_or(unrecognized),
            text: self.text(text).into(),
        }
    }

    fn process(&mut self, member: Member<'a>) -> ProcessRecord {
        let [
            exit,
            shutdown,
            bytes_received,
            skipped_lines,
            skipped_sample,
            stderr_tail,
        ] = self.members(
            member,
            [
                "exit",
                "shutdown",
                "bytesReceived",
                "skippedLines",
                "skippedSample",
                "stderrTail",
            ],
        );
        let [code, signal] = self.members(exit, ["code", "signal"]);
        let (code, signal) = (self.integer(code), self.integer(signal));
        ProcessRecord {
            exit: code.map(Exit::Code).or(signal.map(Exit::Signal)),
            shutdown: self.code(
                shutdown,
                Shutdown::ALL,
                Shutdown::name,
                Shutdown::Unrecognized,
            ),
            bytes_received: self.integer(bytes_received).unwrap_or(0),
            skipped_lines: self.integer(skipped_lines).unwrap_or(0),
            skipped_sample: self
                .elements(skipped_sample)
                .into_iter()
                .map(|line| self.text(line))
                .collect(),
            stderr_tail: self.text(stderr_tail),
        }
    }

    fn timing(&mut self, member: Member<'a>) -> Timing {
        let [elapsed, reply] = self.members(member, ["elapsedMs", "replyMs"]);
        Timing {
            elapsed_ms: self.milliseconds(elapsed).unwrap_or(0.0),
            reply_ms: self.milliseconds(reply),
        }
    }

    fn transcript(&mut self, member: Member<'a>) -> Transcript {
        let [truncated, entries] = self.members(member, ["truncated", "entries"]);
        let entries = self.elements(entries);
        let entries = entries.into_iter().map(|entry| self.entry(entry)).collect();
        Transcript::restored(entries, self.flag(truncated))
    }

    fn entry(&mut self, member: Member<'a>) -> Entry {
        let [at, process, direction, text] =
            self.members(member, ["atMs", "process", "direction", "text"]);
        let unrecognized = Direction::Unrecognized;
        let direction = self.code(direction, Direction::ALL, Direction::name, unrecognized);
        Entry {
            at_ms: self.milliseconds(at).unwrap_or(0.0),
            process: self.integer(process).unwrap_or(0),
            direction: direction.unwrap_or(unrecognized),
            bytes: self.text(text).into_bytes(),
        }
    }
}

/// A value as a verdict's JSON holds it.
fn one_line(value: Json<'_>) -> Box<str> {
    escape_line_breaks(value.compact().into_owned()).into()
}
