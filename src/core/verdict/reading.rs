//! A verdict from JSON, also from what a later version of the library wrote: members that this one does not know are
//! passed over, and codes that it does not know are unrecognized. The text is kept, so that nothing gets lost.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::{Exit, Next, Outcome, ProcessRecord, Shutdown, Timing, Verdict};
use crate::core::json::{Json, Kind, SyntaxError, escape_line_breaks};
use crate::core::memory;
use crate::core::remark::{RemarkCode, Remarks};
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
        if !memory::has_room_for(memory::to_read(text.as_bytes()).saturating_mul(2)) {
            return Err(ReadError::OutOfMemory);
        }
        let json = Json::parse(text).map_err(ReadError::Syntax)?;
        let document = Member {
            whole: text,
            name: "the verdict",
            value: Some(json),
        };
        let json = || escape_line_breaks(json.compact().into_owned()).into();
        document.verdict(json)
    }
}

/// A member that the form has, or an element of it; its value, if it is there.
#[derive(Clone, Copy)]
struct Member<'a> {
    whole: &'a str,
    name: &'static str,
    value: Option<Json<'a>>,
}

impl<'a> Member<'a> {
    fn wrong(&self, expected: &str) -> ReadError {
        let start = self.whole.as_ptr() as usize;
        let (found, offset) = match self.value {
            Some(value) => (
                value.kind().to_string(),
                value.text().as_ptr() as usize - start,
            ),
            None => ("none".to_owned(), 0),
        };
        ReadError::Form {
            problem: format!("{}: expected {expected}, found {found}", self.name),
            offset,
        }
    }

    /// What the value is read as, if it is there.
    fn given<T>(
        self,
        expected: &str,
        read: impl FnOnce(Json<'a>) -> Option<T>,
    ) -> Result<Option<T>, ReadError> {
        let value = self
            .value
            .map(|value| read(value).ok_or_else(|| self.wrong(expected)));
        value.transpose()
    }

    fn text(self) -> Result<Option<String>, ReadError> {
        self.given("a string", |value| value.as_str().map(Cow::into_owned))
    }

    fn flag(self) -> Result<bool, ReadError> {
        Ok(self.given("a boolean", Json::as_bool)?.unwrap_or(false))
    }

    fn integer<T: FromStr>(self) -> Result<Option<T>, ReadError> {
        self.given("an integer in range", |value| value.text().parse().ok())
    }

    fn milliseconds(self) -> Result<Option<f64>, ReadError> {
        let finite = |value: Json<'_>| value.as_f64().filter(|number| number.is_finite());
        self.given("a number in range", finite)
    }

    /// An answer of the server's, as it stands there.
    fn answer(self) -> Result<Option<Box<str>>, ReadError> {
        let object = |value: Json<'_>| (value.kind() == Kind::Object).then(|| value.text().into());
        self.given("an object", object)
    }

    fn code<T: Copy>(
        self,
        all: &[T],
        name: fn(T) -> &'static str,
        unrecognized: T,
    ) -> Result<Option<T>, ReadError> {
        self.given("a string", |value| {
            let given = value.as_str()?;
            let mut all = all.iter().copied();
            Some(
                all.find(|code| name(*code) == given)
                    .unwrap_or(unrecognized),
            )
        })
    }

    fn outcome(self) -> Result<Outcome, ReadError> {
        let outcome = self.code(Outcome::ALL, Outcome::name, Outcome::Unrecognized)?;
        Ok(outcome.unwrap_or(Outcome::NotAsked))
    }

    /// The members of these names; of duplicates the last, and null is absence.
    fn members<const N: usize>(self, names: [&'static str; N]) -> Result<[Self; N], ReadError> {
        let mut members = names.map(|name| Member {
            name,
            value: None,
            ..self
        });
        let object = self.given("an object", |v| (v.kind() == Kind::Object).then_some(v))?;
        for (name, value) in object.into_iter().flat_map(Json::members) {
            if let Some(known) = members.iter_mut().find(|member| member.name == name) {
                known.value = Some(value).filter(|value| !value.is_null());
            }
        }
        Ok(members)
    }

    fn elements<T>(self, read: impl Fn(Self) -> Result<T, ReadError>) -> Result<Vec<T>, ReadError> {
        let array = self.given("an array", |v| (v.kind() == Kind::Array).then_some(v))?;
        let elements = array.into_iter().flat_map(Json::elements);
        let read = |element| {
            read(Member {
                value: Some(element),
                ..self
            })
        };
        elements.map(read).collect()
    }

    fn verdict(self, json: impl FnOnce() -> Box<str>) -> Result<Verdict, ReadError> {
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
        ] = self.members([
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
        ])?;
        if schema.integer()?.unwrap_or(0) < 1 {
            return Err(schema.wrong("1, or a later one"));
        }
        let era_of = era.code(Era::ALL, Era::name, Era::Unrecognized)?;
        let next_of = next.code(Next::ALL, Next::name, Next::Unrecognized)?;
        Ok(Verdict {
            era: era_of.ok_or_else(|| era.wrong("a string"))?,
            next: next_of.ok_or_else(|| next.wrong("a string"))?,
            version: version.text()?,
            confirmed: confirmed.flag()?,
            summary: summary.text()?.unwrap_or_default(),
            discover_outcome: discover_outcome.outcome()?,
            initialize_outcome: initialize_outcome.outcome()?,
            received_at: received_at.integer()?,
            discover: discover.answer()?,
            initialize: initialize.answer()?,
            discover_error: discover_error.answer()?,
            initialize_error: initialize_error.answer()?,
            remarks: remarks.remarks()?,
            processes: processes.elements(Member::process)?,
            timing: timing.timing()?,
            transcript: transcript.transcript()?,
            origin: Some(Origin {
                json: json(),
                storable: storable.flag()?,
            }),
        })
    }

    fn remarks(self) -> Result<Remarks, ReadError> {
        let mut remarks = Remarks::default();
        for remark in self.elements(|remark| remark.members(["code", "text"]))? {
            let [code, text] = remark;
            let code = code.code(RemarkCode::ALL, RemarkCode::name, RemarkCode::Unrecognized)?;
            let text = text.text()?.unwrap_or_default();
            remarks.note_with(code.unwrap_or(RemarkCode::Unrecognized), text);
        }
        Ok(remarks)
    }

    fn process(self) -> Result<ProcessRecord, ReadError> {
        let [
            exit,
            shutdown,
            bytes_received,
            skipped_lines,
            skipped_sample,
            stderr_tail,
        ] = self.members([
            "exit",
            "shutdown",
            "bytesReceived",
            "skippedLines",
            "skippedSample",
            "stderrTail",
        ])?;
        let [code, signal] = exit.members(["code", "signal"])?;
        let exit = match (code.integer()?, signal.integer()?) {
            (Some(code), _) => Some(Exit::Code(code)),
            (None, Some(signal)) => Some(Exit::Signal(signal)),
            (None, None) => None,
        };
        let sample = |line: Self| line.text().map(Option::unwrap_or_default);
        Ok(ProcessRecord {
            exit,
            shutdown: shutdown.code(Shutdown::ALL, Shutdown::name, Shutdown::Unrecognized)?,
            bytes_received: bytes_received.integer()?.unwrap_or(0),
            skipped_lines: skipped_lines.integer()?.unwrap_or(0),
            skipped_sample: skipped_sample.elements(sample)?,
            stderr_tail: stderr_tail.text()?.unwrap_or_default(),
        })
    }

    fn timing(self) -> Result<Timing, ReadError> {
        let [elapsed, reply] = self.members(["elapsedMs", "replyMs"])?;
        Ok(Timing {
            elapsed_ms: elapsed.milliseconds()?.unwrap_or(0.0),
            reply_ms: reply.milliseconds()?,
        })
    }

    fn transcript(self) -> Result<Transcript, ReadError> {
        let [truncated, entries] = self.members(["truncated", "entries"])?;
        let entries = entries.elements(Member::entry)?;
        Ok(Transcript::restored(entries, truncated.flag()?))
    }

    fn entry(self) -> Result<Entry, ReadError> {
        let [at, process, direction, text] =
            self.members(["atMs", "process", "direction", "text"])?;
        let direction = direction.code(Direction::ALL, Direction::name, Direction::Unrecognized)?;
        Ok(Entry {
            at_ms: at.milliseconds()?.unwrap_or(0.0),
            process: process.integer()?.unwrap_or(0),
            direction: direction.unwrap_or(Direction::Unrecognized),
            bytes: text.text()?.unwrap_or_default().into_bytes(),
        })
    }
}
