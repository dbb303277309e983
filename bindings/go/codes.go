package mcpdiscover

// #include <mcp_discover.h>
import "C"

// Unrecognized stands for a code of a later version in whatever is read from JSON. A [Verdict] keeps the name, and
// gives it back when it is written.
const Unrecognized = C.MCPD_UNRECOGNIZED

// Status says what a call came to. A server that answers with an error, or not at all, is no failure of a call:
// that is what a [Verdict] tells.
type Status int32

// The values of Status.
const (
	// The call did what was asked.
	StatusOK Status = C.MCPD_OK
	// An argument or an option is not what the function takes. [Error.Argument] names it, and the message says what
	// was expected.
	StatusInvalidArgument Status = C.MCPD_INVALID_ARGUMENT
	// A text is no JSON, or nests arrays and objects deeper than 128 levels. [Error.Offset] tells where.
	StatusInvalidJSON Status = C.MCPD_INVALID_JSON
	// A text is not UTF-8. [Error.Offset] tells where.
	StatusInvalidUTF8 Status = C.MCPD_INVALID_UTF8
	// There is no such program, or the interpreter that its first line names is missing.
	StatusCommandNotFound Status = C.MCPD_COMMAND_NOT_FOUND
	// The program is there, but may not be run.
	StatusPermissionDenied Status = C.MCPD_PERMISSION_DENIED
	// The program could not be started for another reason; a working directory that cannot be entered is one.
	StatusStartFailed Status = C.MCPD_START_FAILED
	// The system has no descriptors or processes left for this program or user.
	StatusOutOfResources Status = C.MCPD_OUT_OF_RESOURCES
	// There is not enough memory.
	StatusOutOfMemory Status = C.MCPD_OUT_OF_MEMORY
	// The context was cancelled, or its deadline passed, before there was a verdict.
	StatusCancelled Status = C.MCPD_CANCELLED
	// A handle was made before a fork, by the parent process.
	StatusWrongProcess Status = C.MCPD_WRONG_PROCESS
	// The option is known, but this version of the library cannot do it yet.
	StatusNotSupported Status = C.MCPD_NOT_SUPPORTED
	// The library failed in a way it should not: please report it with the error's message.
	StatusInternalError Status = C.MCPD_INTERNAL_ERROR
	// Nothing has come within the time that the call was given.
	StatusTimedOut Status = C.MCPD_TIMED_OUT
)

// Era is how a server is spoken to.
type Era int32

// The values of Era.
const (
	// Nothing the server did tells.
	EraUnknown Era = C.MCPD_ERA_UNKNOWN
	// Stateless requests; protocol versions from 2026-07-28 on.
	EraModern Era = C.MCPD_ERA_MODERN
	// A session that the client opens with initialize; protocol versions up to 2025-11-25.
	EraLegacy Era = C.MCPD_ERA_LEGACY
)

// Method is what is asked.
type Method int32

// The values of Method.
const (
	// server/discover of protocol version 2026-07-28.
	MethodDiscover Method = C.MCPD_METHOD_DISCOVER
	// initialize of the protocol versions up to 2025-11-25.
	MethodInitialize Method = C.MCPD_METHOD_INITIALIZE
)

// CacheScope says who may be given a cached result.
type CacheScope int32

// The values of CacheScope.
const (
	// Only whoever asked, with the same authorization. The safe choice, so it stands for an absent or unknown scope
	// too.
	CacheScopePrivate CacheScope = C.MCPD_CACHE_SCOPE_PRIVATE
	// Anyone.
	CacheScopePublic CacheScope = C.MCPD_CACHE_SCOPE_PUBLIC
)

// Next is what the client should do next.
type Next int32

// The values of Next.
const (
	// Do not go on: client and server have no version in common, or nothing is known.
	NextGiveUp Next = C.MCPD_NEXT_GIVE_UP
	// Send modern requests with the verdict's version.
	NextUseModern Next = C.MCPD_NEXT_USE_MODERN
	// Send initialize with the verdict's version. Over stdio it has to be the first message of a new process: one that
	// has seen server/discover may not answer initialize any more.
	NextInitialize Next = C.MCPD_NEXT_INITIALIZE
	// The request is refused as it was. Where the era is modern, the server did so, and the error in the verdict says
	// what to correct, for example the client capabilities it requires. Where it is unknown, the way to the server did,
	// over HTTP: the address or the headers have to be corrected.
	NextCorrectRequest Next = C.MCPD_NEXT_CORRECT_REQUEST
	// Over HTTP: send initialize with the verdict's version; if that gets no JSON-RPC answer either, try the HTTP+SSE
	// transport of protocol version 2024-11-05, which begins with a GET.
	NextInitializeOrSSE Next = C.MCPD_NEXT_INITIALIZE_OR_SSE
	// Over HTTP: get authorization, then ask again. What the server is cannot be told before.
	NextAuthorize Next = C.MCPD_NEXT_AUTHORIZE
	// Over HTTP: ask again later.
	NextRetry Next = C.MCPD_NEXT_RETRY
)

// Outcome is what came of a request.
type Outcome int32

// The values of Outcome.
const (
	// The request was not sent.
	OutcomeNotAsked Outcome = C.MCPD_OUTCOME_NOT_ASKED
	// The server answered with a result that can be used.
	OutcomeResult Outcome = C.MCPD_OUTCOME_RESULT
	// The server answered with something that can't be used; the remarks or the summary say why.
	OutcomeUnusable Outcome = C.MCPD_OUTCOME_UNUSABLE
	// The server answered with a JSON-RPC error.
	OutcomeError Outcome = C.MCPD_OUTCOME_ERROR
	// No answer came up to the deadline.
	OutcomeSilence Outcome = C.MCPD_OUTCOME_SILENCE
	// The server exited without an answer.
	OutcomeExit Outcome = C.MCPD_OUTCOME_EXIT
	// The server closed its standard output without an answer, and lived on.
	OutcomeStdoutClosed Outcome = C.MCPD_OUTCOME_STDOUT_CLOSED
)

// ExitKind is how a process ended.
type ExitKind int32

// The values of ExitKind.
const (
	// It is not known: the process was left behind, or the host program ignores or reaps children itself.
	ExitUnknown ExitKind = C.MCPD_EXIT_UNKNOWN
	// It exited; its exit code is the exit value, 0 to 255. Many servers exit with 1 though nothing is wrong.
	ExitCode ExitKind = C.MCPD_EXIT_CODE
	// A signal ended it; the exit value is the signal's number.
	ExitSignal ExitKind = C.MCPD_EXIT_SIGNAL
)

// Shutdown is what it took to end a process.
type Shutdown int32

// The values of Shutdown.
const (
	// There was nothing to end.
	ShutdownNone Shutdown = C.MCPD_SHUTDOWN_NONE
	// Nothing: it ended before it was asked to.
	ShutdownExited Shutdown = C.MCPD_SHUTDOWN_EXITED
	// The end of its standard input, as the specification wants it.
	ShutdownStdinClosed Shutdown = C.MCPD_SHUTDOWN_STDIN_CLOSED
	// SIGTERM to its process group.
	ShutdownTerminated Shutdown = C.MCPD_SHUTDOWN_TERMINATED
	// SIGKILL to its process group.
	ShutdownKilled Shutdown = C.MCPD_SHUTDOWN_KILLED
	// Nothing did: it outlived SIGKILL by 2 seconds and was left behind.
	ShutdownAbandoned Shutdown = C.MCPD_SHUTDOWN_ABANDONED
	// Nothing was done: it was handed over, and runs. See [Connection].
	ShutdownKept Shutdown = C.MCPD_SHUTDOWN_KEPT
)

// ReplyKind is what a message is to the client that waits for an answer.
type ReplyKind int32

// The values of ReplyKind.
const (
	// No answer to the request: a request or notification of the server's, an answer to another id, or JSON that is no
	// JSON-RPC message at all. Read on.
	ReplyUnrelated ReplyKind = C.MCPD_REPLY_UNRELATED
	// The result of server/discover; see [Reply.Discover].
	ReplyDiscover ReplyKind = C.MCPD_REPLY_DISCOVER
	// The result of initialize; see [Reply.Initialize].
	ReplyInitialize ReplyKind = C.MCPD_REPLY_INITIALIZE
	// A JSON-RPC error; see [Reply.Error]. An error whose id is null or missing counts as the answer too.
	ReplyRPCError ReplyKind = C.MCPD_REPLY_RPC_ERROR
	// The answer to the request, but one that can't be used; the remarks say why.
	ReplyUnusable ReplyKind = C.MCPD_REPLY_UNUSABLE
)

// Fallback is what to do where server/discover proves nothing.
type Fallback int32

// The values of Fallback.
const (
	// Ask initialize for proof, in a fresh process where the first one has ended.
	FallbackInitialize Fallback = C.MCPD_FALLBACK_INITIALIZE
	// Never send initialize. Silence and unknown errors then mean a legacy server, not confirmed.
	FallbackNone Fallback = C.MCPD_FALLBACK_NONE
)

// StderrMode is what becomes of a server's standard error.
type StderrMode int32

// The values of StderrMode.
const (
	// It is read, and its end kept for the verdict.
	StderrCapture StderrMode = C.MCPD_STDERR_CAPTURE
	// It goes where the standard error of the calling process goes.
	StderrInherit StderrMode = C.MCPD_STDERR_INHERIT
	// It goes to /dev/null.
	StderrDiscard StderrMode = C.MCPD_STDERR_DISCARD
)

// Direction says who said a piece of a transcript.
type Direction int32

// The values of Direction.
const (
	// The library, on the server's standard input.
	DirectionToServer Direction = C.MCPD_DIRECTION_TO_SERVER
	// The server, on its standard output.
	DirectionFromServer Direction = C.MCPD_DIRECTION_FROM_SERVER
)

// RemarkCode is what a remark is about: one number for each oddity that the library looks for. Later versions of
// the library add numbers and change none.
type RemarkCode int32

// The values of RemarkCode.
const (
	// The result has no ttlMs, which the specification requires.
	RemarkMissingTTL RemarkCode = C.MCPD_REMARK_MISSING_TTL
	// The result's ttlMs is no number; it counts as absent.
	RemarkMalformedTTL RemarkCode = C.MCPD_REMARK_MALFORMED_TTL
	// The result's ttlMs is negative; it counts as 0.
	RemarkNegativeTTL RemarkCode = C.MCPD_REMARK_NEGATIVE_TTL
	// The result's ttlMs is no whole number; the fraction is dropped.
	RemarkFractionalTTL RemarkCode = C.MCPD_REMARK_FRACTIONAL_TTL
	// The result's ttlMs is beyond 64 bits; the largest number is taken for it.
	RemarkHugeTTL RemarkCode = C.MCPD_REMARK_HUGE_TTL
	// The result has no cacheScope, which the specification requires; private is assumed.
	RemarkMissingCacheScope RemarkCode = C.MCPD_REMARK_MISSING_CACHE_SCOPE
	// The result's cacheScope is no string; it counts as absent.
	RemarkMalformedCacheScope RemarkCode = C.MCPD_REMARK_MALFORMED_CACHE_SCOPE
	// The result's cacheScope is neither public nor private; private is assumed.
	RemarkUnknownCacheScope RemarkCode = C.MCPD_REMARK_UNKNOWN_CACHE_SCOPE
	// The result does not say who the server is (serverInfo).
	RemarkMissingServerInfo RemarkCode = C.MCPD_REMARK_MISSING_SERVER_INFO
	// serverInfo stands in the result itself; its place is _meta, as io.modelcontextprotocol/serverInfo.
	RemarkMisplacedServerInfo RemarkCode = C.MCPD_REMARK_MISPLACED_SERVER_INFO
	// serverInfo or a member of it has the wrong type, or lacks its name or version.
	RemarkMalformedServerInfo RemarkCode = C.MCPD_REMARK_MALFORMED_SERVER_INFO
	// The result has no resultType, which the specification requires; complete is assumed.
	RemarkMissingResultType RemarkCode = C.MCPD_REMARK_MISSING_RESULT_TYPE
	// The result's resultType is not complete, so it answers nothing.
	RemarkUnknownResultType RemarkCode = C.MCPD_REMARK_UNKNOWN_RESULT_TYPE
	// The result has no capabilities, which the specification requires.
	RemarkMissingCapabilities RemarkCode = C.MCPD_REMARK_MISSING_CAPABILITIES
	// A capability has the wrong type; it counts as absent.
	RemarkMalformedCapabilities RemarkCode = C.MCPD_REMARK_MALFORMED_CAPABILITIES
	// The result has no supportedVersions, so it is no DiscoverResult.
	RemarkMissingVersions RemarkCode = C.MCPD_REMARK_MISSING_VERSIONS
	// supportedVersions is no array, or holds something that is no string.
	RemarkMalformedVersions RemarkCode = C.MCPD_REMARK_MALFORMED_VERSIONS
	// supportedVersions is empty, so the result is no DiscoverResult.
	RemarkEmptyVersions RemarkCode = C.MCPD_REMARK_EMPTY_VERSIONS
	// The result's instructions are no string; they count as absent.
	RemarkMalformedInstructions RemarkCode = C.MCPD_REMARK_MALFORMED_INSTRUCTIONS
	// The result's _meta is no object; it counts as absent.
	RemarkMalformedMeta RemarkCode = C.MCPD_REMARK_MALFORMED_META
	// The error lacks an integer code or a string message.
	RemarkMalformedError RemarkCode = C.MCPD_REMARK_MALFORMED_ERROR
	// The unsupported-version error does not list the supported versions.
	RemarkMalformedSupported RemarkCode = C.MCPD_REMARK_MALFORMED_SUPPORTED
	// The result has no protocolVersion string, so it is no InitializeResult.
	RemarkMissingProtocolVersion RemarkCode = C.MCPD_REMARK_MISSING_PROTOCOL_VERSION
	// The response has both a result and an error.
	RemarkResultAndError RemarkCode = C.MCPD_REMARK_RESULT_AND_ERROR
	// The response has neither a result nor an error.
	RemarkNoResultOrError RemarkCode = C.MCPD_REMARK_NO_RESULT_OR_ERROR
	// The response's result is no object.
	RemarkMalformedResult RemarkCode = C.MCPD_REMARK_MALFORMED_RESULT
	// Standard output carries something that is no JSON-RPC message; logs belong on standard error.
	RemarkNoise RemarkCode = C.MCPD_REMARK_NOISE
	// A message starts with a byte order mark.
	RemarkByteOrderMark RemarkCode = C.MCPD_REMARK_BYTE_ORDER_MARK
	// Lines end in CR LF; the delimiter is LF alone.
	RemarkCRLF RemarkCode = C.MCPD_REMARK_CRLF
	// Standard output carries bytes that are not UTF-8; in a reply they are read as U+FFFD.
	RemarkInvalidUTF8 RemarkCode = C.MCPD_REMARK_INVALID_UTF8
	// Standard output looks like UTF-16; messages are UTF-8.
	RemarkUTF16 RemarkCode = C.MCPD_REMARK_UTF16
	// A string escape is half of a surrogate pair; it is read as U+FFFD.
	RemarkLoneSurrogate RemarkCode = C.MCPD_REMARK_LONE_SURROGATE
	// A JSON text is spread over several lines; a message is one line.
	RemarkSplitJSON RemarkCode = C.MCPD_REMARK_SPLIT_JSON
	// One line holds several messages; a message is one line.
	RemarkSeveralMessages RemarkCode = C.MCPD_REMARK_SEVERAL_MESSAGES
	// A response lacks "jsonrpc": "2.0".
	RemarkMissingJSONRPC RemarkCode = C.MCPD_REMARK_MISSING_JSONRPC
	// A response came without the id of the request it answers.
	RemarkNullID RemarkCode = C.MCPD_REMARK_NULL_ID
	// A response came with an id that no open request has.
	RemarkForeignID RemarkCode = C.MCPD_REMARK_FOREIGN_ID
	// A message came inside an array; batches are not part of the protocol.
	RemarkBatch RemarkCode = C.MCPD_REMARK_BATCH
	// The server sent a request before any reply; it was not answered.
	RemarkServerRequest RemarkCode = C.MCPD_REMARK_SERVER_REQUEST
	// The server sent our own request back.
	RemarkEchoedRequest RemarkCode = C.MCPD_REMARK_ECHOED_REQUEST
	// Messages come with Content-Length headers; the delimiter is LF alone.
	RemarkContentLength RemarkCode = C.MCPD_REMARK_CONTENT_LENGTH
	// An answer came after the deadline of its request.
	RemarkLateReply RemarkCode = C.MCPD_REMARK_LATE_REPLY
	// An answer came without the line feed that ends a message.
	RemarkUnterminatedReply RemarkCode = C.MCPD_REMARK_UNTERMINATED_REPLY
	// A line on standard output passed the limit and was skipped.
	RemarkLineTooLong RemarkCode = C.MCPD_REMARK_LINE_TOO_LONG
	// A message nests arrays or objects too deeply and was skipped.
	RemarkTooDeep RemarkCode = C.MCPD_REMARK_TOO_DEEP
	// The server named a version that it then did not answer for.
	RemarkRetryFailed RemarkCode = C.MCPD_REMARK_RETRY_FAILED
	// The server did not leave when its standard input ended; SIGTERM ended it.
	RemarkTerminated RemarkCode = C.MCPD_REMARK_TERMINATED
	// The server did not leave on SIGTERM; SIGKILL ended it.
	RemarkKilled RemarkCode = C.MCPD_REMARK_KILLED
	// The server outlived SIGKILL and was left behind.
	RemarkAbandoned RemarkCode = C.MCPD_REMARK_ABANDONED
	// The server ended before it was asked to.
	RemarkExitedEarly RemarkCode = C.MCPD_REMARK_EXITED_EARLY
	// Standard error passed the limit; only its tail is kept.
	RemarkStderrTruncated RemarkCode = C.MCPD_REMARK_STDERR_TRUNCATED
	// The answer came with another HTTP status than the specification has for it.
	RemarkHTTPStatus RemarkCode = C.MCPD_REMARK_HTTP_STATUS
	// The answer's Content-Type is neither application/json nor text/event-stream.
	RemarkContentType RemarkCode = C.MCPD_REMARK_CONTENT_TYPE
	// The stored verdict proved to be wrong, so the server was probed again.
	RemarkStaleVerdict RemarkCode = C.MCPD_REMARK_STALE_VERDICT
	// The server could be used, but no process of it could be opened and handed over.
	RemarkNotHandedOver RemarkCode = C.MCPD_REMARK_NOT_HANDED_OVER
)

// Step is what a [Negotiation] wants done.
type Step int32

// The values of Step.
const (
	// Start a server, or connect to one that has seen nothing yet, and call [Negotiation.Started].
	StepStart Step = C.MCPD_STEP_START
	// Send [Negotiation.Line] to the server.
	StepSend Step = C.MCPD_STEP_SEND
	// Wait for what the server says, for its end, or for [Negotiation.Deadline]. Pass on what has come, by
	// [Negotiation.Received] or [Negotiation.Closed].
	StepWait Step = C.MCPD_STEP_WAIT
	// End the server, or the connection: close the side that sends, pass on what still comes, as long as you care to
	// wait for the end, and call [Negotiation.Closed].
	StepClose Step = C.MCPD_STEP_CLOSE
	// Take the verdict, by [Negotiation.Verdict]. Nothing is open any more.
	StepFinish Step = C.MCPD_STEP_FINISH
)

// The codes of the errors that only modern servers have.
const (
	// The request's headers and body disagree (HeaderMismatchError in the schema).
	RPCHeaderMismatch = C.MCPD_RPC_HEADER_MISMATCH
	// The request needs a client capability that it does not declare (MissingRequiredClientCapabilityError in the
	// schema).
	RPCMissingRequiredClientCapability = C.MCPD_RPC_MISSING_REQUIRED_CLIENT_CAPABILITY
	// The server does not speak the request's protocol version (UnsupportedProtocolVersionError in the schema).
	RPCUnsupportedProtocolVersion = C.MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION
)
