//! Asking a server over HTTP, without an HTTP client.

use std::ffi::c_char;
use std::mem;
use std::ptr;
use std::time::{SystemTime, UNIX_EPOCH};

use super::arena::Arena;
use super::client::client_fields;
use super::error::{Failure, mcpd_error};
use super::handle;
use super::http_post::mcpd_http_post;
use super::options::{self, CallerStruct, number, text};
use super::probe::GIBIBYTE;
use super::status::mcpd_status;
use super::verdict::mcpd_verdict;
use super::versions;
use crate::core::http::{Http, Outcome, is_header_value};
use crate::core::version::Preference;

/// Who asks over HTTP, and how. All texts are UTF-8 that ends with NUL, and lists end with NULL.
/// The function copies what it needs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcpd_http_options {
    /// Set it to sizeof(mcpd_http_options).
    pub struct_size: usize,
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
    /// The modern protocol versions that the client speaks, best first; at least one, and each
    /// visible ASCII, since it goes into a header. Default: mcpd_versions_modern().
    pub modern_versions: *const *const c_char,
    /// The legacy protocol versions that the client speaks, best first. A list that begins with
    /// NULL is a modern-only client. Default: mcpd_versions_legacy().
    pub legacy_versions: *const *const c_char,
    /// The longest body that is read, or of an event stream the longest message, in bytes; what is
    /// longer is skipped, with a remark. Default: 10,485,760 (10 MiB); at most 1 GiB.
    pub max_body_bytes: usize,
}

// SAFETY: `repr(C)`, the size first, integers and pointers only.
unsafe impl CallerStruct for mcpd_http_options {
    const NAME: &'static str = "mcpd_http_options";
    const FIRST_SIZE: usize =
        mem::offset_of!(mcpd_http_options, max_body_bytes) + mem::size_of::<usize>();
}

/// An exchange with one server over Streamable HTTP (basic/transports, streamable-http). It says
/// what to POST, reads what comes back, and gives the verdict; the HTTP client is the program's.
/// The caller owns it and frees it with mcpd_http_free. It is for one thread at a time, does no
/// I/O and never blocks.
///
/// \code
/// mcpd_http *http;
/// mcpd_verdict *verdict = NULL;
/// mcpd_status status = mcpd_http_new(NULL, &http, NULL);
/// while (status == MCPD_OK && verdict == NULL) {
///     const mcpd_http_post *post;
///     status = mcpd_http_request(http, &post, NULL);
///     // Send it: post->headers and post->body. When the response begins:
///     mcpd_http_status(http, 200, "application/json", NULL);
///     // For each piece of its body, until the body ends or enough is 1:
///     mcpd_http_feed(http, data, length, &enough, NULL);
///     // And then:
///     status = mcpd_http_verdict(http, &verdict, NULL);
/// }
/// \endcode
///
/// The body is judged first, whatever the status: a DiscoverResult, or an error that only modern
/// servers have, means what it means over stdio. Any other JSON-RPC error gives legacy,
/// MCPD_NEXT_INITIALIZE, not confirmed, for a modern server has to know server/discover; but with
/// a status that speaks for itself, 401, 403, 407, 408, 421, 425, 429, 502, 503 or 504, the status
/// counts. So it does where no answer came:
///
/// - 400, 404, 405: legacy, MCPD_NEXT_INITIALIZE_OR_SSE; any other 4xx that is not named below:
///   legacy, MCPD_NEXT_INITIALIZE;
/// - 401, 403, 407: unknown, MCPD_NEXT_AUTHORIZE;
/// - 408, 425, 429, 5xx: unknown, MCPD_NEXT_RETRY;
/// - 3xx, 406, 415, 421: unknown, MCPD_NEXT_CORRECT_REQUEST;
/// - 2xx: unknown, MCPD_NEXT_GIVE_UP: an answer should have come, and the summary says what came.
///
/// Where no response begins, because no connection came about or it broke, there is nothing to
/// judge: send the same request again, or free the exchange.
///
/// The verdict has no processes, and elapsed_ms is 0: only the program knows when it asked.
/// initialize is never asked; that is what next says to do.
pub struct mcpd_http {
    /// None once there was a verdict.
    exchange: Option<Http>,
    /// The requests that the caller has seen.
    posts: Arena,
    /// The one to send now; NULL as long as nobody has asked for it.
    post: *const mcpd_http_post,
}

/// Begins an exchange.
///
/// \param options who asks; NULL for all defaults.
/// \param http gets the exchange. The caller frees it with mcpd_http_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option
///     that ends in _json.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_http_new(
    options: *const mcpd_http_options,
    http: *mut *mut mcpd_http,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: http, needs: [], {
        // SAFETY: it is NULL or a struct of the caller's.
        let options = unsafe { options::read(options) }?;
        // SAFETY: its texts and lists are the caller's.
        let exchange = unsafe { begin(&options) }?;
        Ok(Box::into_raw(Box::new(mcpd_http {
            exchange: Some(exchange),
            posts: Arena::default(),
            post: ptr::null(),
        })))
    })
}

/// Gives the request to send now. Until mcpd_http_verdict has asked for another one it is always
/// the same.
///
/// \param http the exchange.
/// \param post gets the request. It belongs to the exchange, and lives until mcpd_http_free.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also where the verdict was given; MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_http_request(
    http: *mut mcpd_http,
    post: *mut *const mcpd_http_post,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: post, needs: [http], {
        // SAFETY: it is not NULL, so it is a handle of the caller's, which no other thread uses.
        let http = unsafe { &mut *http };
        let exchange = http.exchange.as_ref().ok_or_else(over)?;
        if http.post.is_null() {
            http.post = http.posts.optional(Some(exchange.post()))?;
        }
        Ok(http.post)
    })
}

/// Tells how the response to the request begins: once for each request, before its body.
///
/// \param http the exchange.
/// \param status the HTTP status, 200 to 999; redirects may be followed before, where the program
///     trusts them.
/// \param content_type the value of the Content-Type header; NULL if there is none. An event stream is
///     only read as one if it says so.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also where it was told before, or the verdict was given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_http_status(
    http: *mut mcpd_http,
    status: i32,
    content_type: *const c_char,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, needs: [http], {
        // SAFETY: it is not NULL, so it is a handle of the caller's, which no other thread uses.
        let exchange = unsafe { &mut *http }.exchange.as_mut().ok_or_else(over)?;
        if exchange.is_answered() {
            return Err(Failure::argument(
                "http",
                "has a response already; expected mcpd_http_verdict, which ends it",
            ));
        }
        let status = u16::try_from(status).ok().filter(|status| (200..=999).contains(status)).ok_or_else(|| {
            Failure::argument("status", format_args!("is {status}; expected a final HTTP status, 200 to 999"))
        })?;
        // SAFETY: it is a text of the caller's. One that is not UTF-8 names no type that matters.
        let content_type = unsafe { text(content_type, "content_type") }.unwrap_or_default();
        exchange.answered(status, content_type);
        Ok(())
    })
}

/// Reads a piece of the response's body, after the content coding, such as gzip, is removed.
///
/// \param http the exchange.
/// \param data the piece, of any size, cut anywhere; may be NULL if length is 0.
/// \param length how many bytes it has.
/// \param enough gets 1 if nothing more is needed, so that the response can be closed, which for an
///     event stream may otherwise take for ever; 0 if the body should be read on.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also where mcpd_http_status was not called before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_http_feed(
    http: *mut mcpd_http,
    data: *const c_char,
    length: usize,
    enough: *mut i32,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: enough, needs: [http], {
        // SAFETY: it is not NULL, so it is a handle of the caller's, which no other thread uses.
        let exchange = answered(unsafe { &mut *http })?;
        // SAFETY: the caller says how long it is.
        let data = unsafe { options::optional_bytes(data, length) }?;
        Ok(exchange.feed(data).into())
    })
}

/// Ends the response, also one that is not waited for any longer, and gives the verdict; or asks
/// for one request more, where the server has named a version to ask with: at most one for each of
/// modern_versions.
///
/// \param http the exchange.
/// \param verdict gets the verdict, which does not need the exchange any more, and which the caller
///     frees with mcpd_verdict_free; or NULL with MCPD_OK, if mcpd_http_request now has another
///     request.
/// \param error gets why the call failed; may be NULL.
/// \return MCPD_OK; MCPD_INVALID_ARGUMENT, also where mcpd_http_status was not called before, or
///     the verdict was given; MCPD_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_http_verdict(
    http: *mut mcpd_http,
    verdict: *mut *mut mcpd_verdict,
    error: *mut *mut mcpd_error,
) -> mcpd_status {
    guard!(error: error, out: verdict, needs: [http], {
        // SAFETY: it is not NULL, so it is a handle of the caller's, which no other thread uses.
        let http = unsafe { &mut *http };
        answered(http)?;
        match http.exchange.take().map(Http::ended) {
            Some(Outcome::AskAgain(exchange)) => {
                http.exchange = Some(exchange);
                http.post = ptr::null();
                Ok(ptr::null_mut())
            }
            Some(Outcome::Verdict(mut verdict)) => {
                if verdict.discover.is_some() || verdict.discover_error.is_some() {
                    verdict.received_at = now();
                }
                Ok(mcpd_verdict::give(verdict)?)
            }
            None => Err(over()),
        }
    })
}

/// Frees an exchange and the requests it gave, in whatever state it is. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcpd_http_free(http: *mut mcpd_http) {
    // SAFETY: the caller owns it, and gives it up.
    unsafe { handle::free(http) };
}

unsafe fn begin(raw: &mcpd_http_options) -> Result<Http, Failure> {
    // SAFETY: these are lists of the caller's.
    let versions = unsafe { versions::preference(raw.modern_versions, raw.legacy_versions) }?;
    check_header_values(&versions)?;
    let max_body_bytes = number(raw.max_body_bytes, "max_body_bytes", 10 << 20, GIBIBYTE)?;
    // SAFETY: these are texts of the caller's.
    let client = unsafe { client_fields!(raw).read() }?.into_owned();
    Ok(Http::new(client, versions, max_body_bytes))
}

/// Refuses a version that would be something else as a header.
fn check_header_values(versions: &Preference) -> Result<(), Failure> {
    let mut versions = versions.modern().enumerate();
    match versions.find(|(_, version)| !is_header_value(version)) {
        Some((i, version)) => Err(Failure::argument(
            &format!("modern_versions[{i}]"),
            format_args!("is {version:?}; expected visible ASCII, since it goes into a header"),
        )),
        None => Ok(()),
    }
}

/// The exchange, which has a response.
fn answered(http: &mut mcpd_http) -> Result<&mut Http, Failure> {
    let exchange = http.exchange.as_mut().ok_or_else(over)?;
    match exchange.is_answered() {
        true => Ok(exchange),
        false => Err(Failure::argument(
            "http",
            "has no response yet; expected mcpd_http_status before",
        )),
    }
}

fn over() -> Failure {
    Failure::argument("http", "is over: its verdict was given")
}

/// Milliseconds since 1970.
fn now() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}
