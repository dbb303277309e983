//! JSON-RPC errors, and the three with which a modern server proves to be one.

use std::borrow::Cow;

use super::json::{Json, Kind};
use super::remark::{RemarkCode, Remarks};
use super::result::Strings;

/// `HeaderMismatchError`: the headers of the request do not match its body.
pub const HEADER_MISMATCH: i64 = -32020;
/// `MissingRequiredClientCapabilityError`: the request needs a capability that the client did not declare.
pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
/// `UnsupportedProtocolVersionError`: the server does not speak the request's version.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// An error that answers a request.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError<'a> {
    /// The code; 0 where the error has no integer code.
    pub code: i64,
    /// The message.
    pub message: Option<Cow<'a, str>>,
    /// The data, whatever it is.
    pub data: Option<Json<'a>>,
    /// Of [`UNSUPPORTED_PROTOCOL_VERSION`]: the versions the server speaks.
    pub supported: Vec<Cow<'a, str>>,
    /// Of [`UNSUPPORTED_PROTOCOL_VERSION`]: the version that was asked for.
    pub requested: Option<Cow<'a, str>>,
    /// Of [`MISSING_REQUIRED_CLIENT_CAPABILITY`]: the capabilities the client should have declared.
    pub required_capabilities: Option<Json<'a>>,
    /// The whole error.
    pub raw: Json<'a>,
}

impl<'a> RpcError<'a> {
    /// Reads an error, whatever it lacks.
    pub fn read(raw: Json<'a>, remarks: &mut Remarks) -> Self {
        let mut code = None;
        let mut error = Self {
            code: 0,
            // Some servers send the bare message in the error's place.
            message: raw.as_str(),
            data: None,
            supported: Vec::new(),
            requested: None,
            required_capabilities: None,
            raw,
        };
        for (name, value) in raw.members() {
            match name.as_ref() {
                "code" => code = integer_code(value),
                "message" => error.message = value.as_str(),
                "data" => error.data = Some(value).filter(|value| !value.is_null()),
                _ => {}
            }
        }
        if code.is_none() || error.message.is_none() {
            remarks.note(RemarkCode::MalformedError);
        }
        error.code = code.unwrap_or(0);
        match error.code {
            UNSUPPORTED_PROTOCOL_VERSION => error.read_versions(remarks),
            MISSING_REQUIRED_CLIENT_CAPABILITY => error.read_required_capabilities(),
            _ => {}
        }
        error
    }

    /// Whether only a modern server has this error, so that it proves to be one.
    pub fn is_modern(&self) -> bool {
        matches!(
            self.code,
            HEADER_MISMATCH | MISSING_REQUIRED_CLIENT_CAPABILITY | UNSUPPORTED_PROTOCOL_VERSION
        )
    }

    /// Whether the error has an integer code, as every JSON-RPC error must.
    pub fn has_integer_code(raw: Json<'_>) -> bool {
        raw.members()
            .filter(|(name, _)| name == "code")
            .last()
            .is_some_and(|(_, code)| integer_code(code).is_some())
    }

    fn data_members(&self) -> impl Iterator<Item = (Cow<'a, str>, Json<'a>)> + use<'a> {
        self.data.into_iter().flat_map(Json::members)
    }

    fn read_versions(&mut self, remarks: &mut Remarks) {
        for (name, value) in self.data_members() {
            match name.as_ref() {
                "supported" => {
                    let supported = Strings::read(&mut value.reader());
                    self.supported = supported
                        .right()
                        .unwrap_or_default()
                        .noted(RemarkCode::MalformedSupported, remarks);
                }
                "requested" => self.requested = value.as_str(),
                _ => {}
            }
        }
        if self.supported.is_empty() {
            remarks.note(RemarkCode::MalformedSupported);
        }
    }

    fn read_required_capabilities(&mut self) {
        self.required_capabilities = self
            .data_members()
            .filter(|(name, value)| name == "requiredCapabilities" && value.kind() == Kind::Object)
            .map(|(_, value)| value)
            .last();
    }
}

/// The code, if it is a whole number; some serializers write all numbers as floats.
fn integer_code(value: Json<'_>) -> Option<i64> {
    value.as_integer().or_else(|| {
        let number = value.as_f64()?;
        (number.fract() == 0.0 && number.abs() < i64::MAX as f64).then_some(number as i64)
    })
}
