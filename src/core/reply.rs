//! A line of bytes to what it means for the requests that are open.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use super::json::{Fault, Json, Kind, Reader, SyntaxError, repair_surrogates};
use super::remark::{RemarkCode, Remarks};
use super::request::{Id, Method};
use super::result::{DiscoverResult, InitializeResult};
use super::rpc_error::RpcError;

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply<'a> {
    /// The result of `server/discover`.
    Discover(DiscoverResult<'a>),
    /// The result of `initialize`.
    Initialize(InitializeResult<'a>),
    /// An error.
    Error(RpcError<'a>),
    /// A response that answers nothing; the remarks say why.
    Unusable,
}

/// A request that an answer may belong to. `None` as id is any id.
#[derive(Debug, Clone, PartialEq)]
pub struct Open<'a> {
    /// The request's id.
    pub id: Option<Id<'a>>,
    /// What was asked.
    pub method: Method,
}

/// What a message is to us.
#[expect(
    clippy::large_enum_variant,
    reason = "it lives for one call; a box would cost every reply an allocation"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming<'a> {
    /// The answer to the open request of this index.
    Reply(usize, Reply<'a>),
    /// A well-formed error without an id: the answer to the only open request, unless a better one comes.
    NullIdError(RpcError<'a>),
    /// A JSON-RPC message that answers no open request: the server's own, an echo, a foreign id.
    Unrelated,
    /// No JSON-RPC message.
    Noise,
}

/// The text of a line, made readable: UTF-8, without byte order mark and line ending, surrogates paired.
pub fn text_of<'a>(line: &'a [u8], remarks: &mut Remarks) -> Cow<'a, str> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let mut line = line;
    if let Some(rest) = line.strip_prefix(BYTE_ORDER_MARK) {
        remarks.note(RemarkCode::ByteOrderMark);
        line = rest;
    }
    if let Some(rest) = line.strip_suffix(b"\r") {
        remarks.note(RemarkCode::Crlf);
        line = rest;
    }
    // The check alone is much faster than the repair, which is seldom needed.
    let text = str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
    if looks_like_utf16(line) {
        remarks.note(RemarkCode::Utf16);
    } else if let Cow::Owned(_) = text {
        remarks.note(RemarkCode::InvalidUtf8);
    }
    match text {
        Cow::Borrowed(text) => repair(text, remarks),
        Cow::Owned(text) => Cow::Owned(repair(&text, remarks).into_owned()),
    }
}

fn repair<'a>(text: &'a str, remarks: &mut Remarks) -> Cow<'a, str> {
    let repaired = repair_surrogates(text);
    if let Cow::Owned(_) = repaired {
        remarks.note(RemarkCode::LoneSurrogate);
    }
    repaired
}

/// In UTF-16, every other byte of ASCII text is NUL; the line feed that cuts it leaves one of them behind.
fn looks_like_utf16(line: &[u8]) -> bool {
    let marked = line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff");
    let start = &line[..line.len().min(64)];
    marked || {
        // Most texts have none, and to find that is sooner done than to count.
        memchr(0, start).is_some() && memchr_iter(0, start).count() * 3 >= start.len()
    }
}

/// Reads the first message of a text; gives what it is to us, its JSON, and what stands behind it.
pub fn read_first<'a>(
    text: &'a str,
    open: &[Open<'_>],
    remarks: &mut Remarks,
) -> Result<(Incoming<'a>, Json<'a>, &'a str), SyntaxError> {
    let mut reader = Reader::new(text);
    let mut envelope = Envelope::default();
    let json = reader.json_of(|reader| envelope.read(reader, open));
    let rest = reader.rest()?;
    let incoming = match json.kind() {
        Kind::Object => envelope.incoming(open, remarks),
        Kind::Array => read_batch(json, open, remarks),
        _ => Incoming::Noise,
    };
    Ok((incoming, json, rest))
}

/// The error that a message brings which is no reply by its id.
pub fn error_without_our_id<'a>(json: Json<'a>, incoming: &Incoming<'a>) -> Option<Json<'a>> {
    let mut envelope = Envelope::default();
    envelope.read(&mut json.reader(), &[]);
    match (incoming, envelope.method, envelope.result, envelope.error) {
        (Incoming::NullIdError(error), ..) => Some(error.raw),
        (_, None, None, Some(error)) => {
            Some(error).filter(|_| envelope.has_jsonrpc && RpcError::has_integer_code(error))
        }
        _ => None,
    }
}

/// Of arrays only one that holds nothing but our reply counts.
fn read_batch<'a>(json: Json<'a>, open: &[Open<'_>], remarks: &mut Remarks) -> Incoming<'a> {
    let mut elements = json.elements();
    let (Some(only), None) = (elements.next(), elements.next()) else {
        return Incoming::Noise;
    };
    if only.kind() != Kind::Object {
        return Incoming::Noise;
    }
    let mut envelope = Envelope::default();
    envelope.read(&mut only.reader(), open);
    let mut of_the_element = Remarks::default();
    match envelope.incoming(open, &mut of_the_element) {
        Incoming::Noise => Incoming::Noise,
        incoming => {
            remarks.note(RemarkCode::Batch);
            remarks.extend(of_the_element);
            incoming
        }
    }
}

/// Notes what a line that is no JSON shows about the server.
pub fn note_broken(text: &str, error: SyntaxError, remarks: &mut Remarks) {
    let is_header = |line: &str| {
        line.get(..15)
            .is_some_and(|start| start.eq_ignore_ascii_case("content-length:"))
    };
    let text = text.trim();
    match error.fault {
        Fault::TooDeep => remarks.note(RemarkCode::TooDeep),
        Fault::Unfinished if text.starts_with('{') => remarks.note(RemarkCode::SplitJson),
        _ if is_header(text) => remarks.note(RemarkCode::ContentLength),
        _ => {}
    }
}

/// The members of a JSON-RPC message; `null` is absence.
#[derive(Default)]
struct Envelope<'a> {
    /// It is marked as JSON-RPC 2.0.
    has_jsonrpc: bool,
    id: Option<Json<'a>>,
    method: Option<Json<'a>>,
    result: Option<Json<'a>>,
    error: Option<Json<'a>>,
    /// The result as an answer to a request of this method, and the remarks on it.
    answer: Option<(Method, Reply<'a>, Remarks)>,
}

impl<'a> Envelope<'a> {
    /// Reads an object; of anything else there are no members.
    fn read(&mut self, reader: &mut Reader<'a>, open: &[Open<'_>]) {
        let _ = reader.object(|reader, name| {
            let member = match name.as_ref() {
                "jsonrpc" => {
                    self.has_jsonrpc = reader.string().right().is_some_and(|it| it == "2.0");
                    return;
                }
                "id" => &mut self.id,
                "method" => &mut self.method,
                "result" => return self.read_result(reader, open),
                "error" => &mut self.error,
                _ => return reader.skip(),
            };
            *member = Some(reader.value()).filter(|value| !value.is_null());
        });
    }

    /// Reads the result as it stands there, in the one pass over the message. What it answers is known by now, or likely.
    fn read_result(&mut self, reader: &mut Reader<'a>, open: &[Open<'_>]) {
        let request = match open {
            [only] => Some(only),
            _ => open.get(self.answers(open).unwrap_or(0)),
        };
        let result = reader.json_of(|reader| match request {
            Some(request) => {
                let mut remarks = Remarks::default();
                let reply = read_result(request.method, reader, &mut remarks);
                self.answer = Some((request.method, reply, remarks));
            }
            None => reader.skip(),
        });
        self.result = Some(result).filter(|result| !result.is_null());
    }

    fn incoming(mut self, open: &[Open<'_>], remarks: &mut Remarks) -> Incoming<'a> {
        if let Some(method) = self.method {
            return self.read_call(method, open, remarks);
        }
        if let Some(index) = self.answers(open) {
            if !self.has_jsonrpc {
                remarks.note(RemarkCode::MissingJsonrpc);
            }
            let reply = self.reply(open[index].method, remarks);
            return Incoming::Reply(index, reply);
        }
        match (self.id, self.result, self.error) {
            (_, None, None) => Incoming::Noise,
            (None, None, Some(error)) if self.has_jsonrpc && RpcError::has_integer_code(error) => {
                remarks.note(RemarkCode::NullId);
                Incoming::NullIdError(RpcError::read(error, remarks))
            }
            (None, ..) => {
                remarks.note(RemarkCode::NullId);
                Incoming::Unrelated
            }
            (Some(id), ..) => {
                note_foreign_id(id, remarks);
                Incoming::Unrelated
            }
        }
    }

    /// A request or notification of the server's, or our own request come back; never a reply, whatever its id.
    fn read_call(
        &self,
        method: Json<'a>,
        open: &[Open<'_>],
        remarks: &mut Remarks,
    ) -> Incoming<'a> {
        let Some(method) = method.as_str() else {
            return Incoming::Noise;
        };
        let echo = |request: &Open<'_>| request.method.name() == method;
        if self.answers(open).is_some_and(|index| echo(&open[index])) {
            remarks.note(RemarkCode::EchoedRequest);
        } else if self.id.is_some() {
            remarks.note(RemarkCode::ServerRequest);
        }
        Incoming::Unrelated
    }

    /// The open request that has the message's id.
    fn answers(&self, open: &[Open<'_>]) -> Option<usize> {
        let id = self.id?;
        open.iter().position(|request| match &request.id {
            Some(expected) => expected.is(id),
            None => true,
        })
    }

    fn reply(&mut self, method: Method, remarks: &mut Remarks) -> Reply<'a> {
        let (result, error) = (self.result, self.error);
        if let (None, Some(error)) = (result, error) {
            return Reply::Error(RpcError::read(error, remarks));
        }
        let Some(result) = result.filter(|_| error.is_none()) else {
            remarks.note(match error {
                Some(_) => RemarkCode::ResultAndError,
                None => RemarkCode::NoResultOrError,
            });
            return Reply::Unusable;
        };
        if result.kind() != Kind::Object {
            remarks.note(RemarkCode::MalformedResult);
            return Reply::Unusable;
        }
        match self
            .answer
            .take()
            .filter(|(read_for, ..)| *read_for == method)
        {
            Some((_, reply, of_the_result)) => {
                remarks.extend(of_the_result);
                reply
            }
            None => read_result(method, &mut result.reader(), remarks),
        }
    }
}

fn read_result<'a>(method: Method, reader: &mut Reader<'a>, remarks: &mut Remarks) -> Reply<'a> {
    let reply = match method {
        Method::Discover => DiscoverResult::read(reader, remarks).map(Reply::Discover),
        Method::Initialize => InitializeResult::read(reader, remarks).map(Reply::Initialize),
    };
    reply.unwrap_or(Reply::Unusable)
}

/// As much of a server's text as fits into a sentence.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    const SHOWN: usize = 64;
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => Cow::Owned(format!("{}…", &text[..cut])),
        None => Cow::Borrowed(text),
    }
}

fn note_foreign_id(id: Json<'_>, remarks: &mut Remarks) {
    if !remarks.has(RemarkCode::ForeignId) {
        let text = shortened(id.text());
        let sentence = format!("A response came with the id {text}, which no open request has.");
        remarks.note_with(RemarkCode::ForeignId, sentence);
    }
}
