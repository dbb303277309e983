//! Building a request.

use std::borrow::Cow;
use std::ffi::c_char;
use std::mem;

use super::client::{client_fields, fragment};
use super::error::{Failure, mcpd_error};
use super::id_kind::{self, mcpd_id_kind};
use super::method::{METHODS, mcpd_method};
use super::options::{self, CallerStruct, choice, text};
use super::status::mcpd_status;
use super::text::mcpd_text;
use super::versions::check_version;
use crate::core::request::{Fragment, Id, LOG_LEVELS, Method, Request};
use crate::core::version::{self, Era};

/// What request to build. All texts are UTF-8 that ends with NUL; NULL stands for the default.
/// The function copies what it needs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcpd_request_options {
    /// Set it to sizeof(mcpd_request_options).
    pub struct_size: usize,
    /// What to ask. Default: MCPD_METHOD_DISCOVER.
    pub method: mcpd_method,
    /// What the id is. Default: "discover-1" or "initialize-1", by the method.
    pub id_kind: mcpd_id_kind,
    /// The id, if id_kind is MCPD_ID_STRING; else NULL.
    pub id_string: *const c_char,
    /// The id, if id_kind is MCPD_ID_INTEGER; else 0.
    pub id_integer: i64,
    /// The protocol version to ask with, of the method's era. Default: the first of
    /// mcpd_versions_modern() or mcpd_versions_legacy(), by the method.
    pub protocol_version: *const c_char,
    /// Who asks: the client's name. Default: "mcp-discover", with the library's version.
    pub client_name: *const c_char,
    /// The client's own version: required with client_name, refused without. So are the four that
    /// follow refused without client_name; with it they are optional.
    pub client_version: *const c_char,
    /// The client's name for people. Default: none.
    pub client_title: *const c_char,
    /// What the client does. Default: none.
    pub client_description: *const c_char,
    /// The client's home page. Default: none.
    pub client_website_url: *const c_char,
    /// Icons of the client, as JSON: an array of objects with a string "src" (Icon in the
    /// schema). Default: none.
    pub client_icons_json: *const c_char,
    /// What the client can do, as JSON: an object (ClientCapabilities in the schema). Default:
    /// {}. It needs no client_name. Only that it is an object is checked.
    pub client_capabilities_json: *const c_char,
    /// The least severe log messages that the server should send: "debug", "info", "notice",
    /// "warning", "error", "critical", "alert" or "emergency" (LoggingLevel in the schema).
    /// Refused with MCPD_METHOD_INITIALIZE, which has no place for it. Default: none.
    pub log_level: *const c_char,
    /// Further members of the request's _meta, as JSON: an object, such as {"progressToken": 7}.
    /// Keys whose prefix is reserved for the protocol (basic/index, _meta) are refused. Default:
    /// none.
    pub meta_json: *const c_char,
}

// SAFETY: `repr(C)`, the size first, integers and pointers only.
unsafe impl CallerStruct for mcpd_request_options {
    const NAME: &'static str = "mcpd_request_options";
    const FIRST_SIZE: usize =
        mem::offset_of!(mcpd_request_options, meta_json) + mem::size_of::<*const c_char>();
}

/// Builds a request that opens a connection: server/discover (server/discover in the
/// specification), or the legacy initialize (basic/lifecycle up to 2025-11-25).
///
/// \param options what to build; NULL for all defaults.
/// \param request gets the request: one line of JSON without the line feed, whatever the options
///     hold. Over stdio a line feed has to follow it. The caller frees it with mcpd_text_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option
///     that ends in _json; MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_request_build(
    options: *const mcpd_request_options,
    request: *mut *mut mcpd_text,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: request, needs: [], {
        // SAFETY: it is NULL or a struct of the caller's.
        let options = unsafe { options::read(options) }?;
        // SAFETY: its texts are the caller's.
        let json = unsafe { build(&options) }?;
        Ok(mcpd_text::give(json)?)
    })
}

unsafe fn build(options: &mcpd_request_options) -> Result<String, Failure> {
    // SAFETY: these are texts of the caller's.
    let read = |pointer, argument| unsafe { text(pointer, argument) };
    let method = choice(options.method, "method", METHODS)?;
    // SAFETY: as above.
    let id = unsafe { id_kind::read(options.id_kind, options.id_string, options.id_integer) }?;
    let version = match read(options.protocol_version, "protocol_version")? {
        Some(version) => {
            check_version(era_of(method), version, "protocol_version")?;
            version
        }
        None => default_version(method),
    };
    // SAFETY: as above.
    let client = unsafe { client_fields!(options).read() }?;
    let log_level = read(options.log_level, "log_level")?;
    check_log_level(method, log_level)?;
    let meta = fragment(
        read(options.meta_json, "meta_json")?,
        "meta_json",
        Fragment::meta,
    )?;
    let request = Request {
        method,
        id: id.unwrap_or_else(|| default_id(method)),
        version,
        client: &client,
        log_level,
        meta: meta.as_ref(),
    };
    Ok(request.to_json())
}

fn era_of(method: Method) -> Era {
    match method {
        Method::Discover => Era::Modern,
        Method::Initialize => Era::Legacy,
    }
}

fn default_version(method: Method) -> &'static str {
    match method {
        Method::Discover => version::MODERN[0],
        Method::Initialize => version::LEGACY[0],
    }
}

fn default_id(method: Method) -> Id<'static> {
    Id::Text(Cow::Borrowed(match method {
        Method::Discover => "discover-1",
        Method::Initialize => "initialize-1",
    }))
}

fn check_log_level(method: Method, level: Option<&str>) -> Result<(), Failure> {
    match level {
        Some(_) if method == Method::Initialize => Err(Failure::argument(
            "log_level",
            "is set; expected NULL, since initialize has no place for it",
        )),
        Some(level) if !LOG_LEVELS.contains(&level) => Err(Failure::argument(
            "log_level",
            format_args!("is {level:?}; expected one of {}", LOG_LEVELS.join(", ")),
        )),
        _ => Ok(()),
    }
}
