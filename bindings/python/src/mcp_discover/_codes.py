"""Codes of the C library, as enumerations.

Written from the C header by tools/generate.py; change it there.
"""

from ._code import Code

__all__ = ["CacheScope", "Direction", "EnvMode", "Era", "ExitKind", "Fallback", "IdKind", "Method", "Next", "Outcome", "RemarkCode", "ReplyKind", "Shutdown", "Status", "StderrMode", "Step"]


class Status(Code):
    """What a call came to: MCPD_OK, or why it did not do what was asked. A server that answers with an error, or not
    at all, is no failure of a call: that is what a verdict tells."""

    #: The call did what was asked.
    OK = "ok", 0

    #: An argument or an option is not what the function takes. The error's argument names it, and its message says
    #: what was expected.
    INVALID_ARGUMENT = "invalid_argument", 1

    #: A text is no JSON, or nests arrays and objects deeper than 128 levels. The error's offset tells where.
    INVALID_JSON = "invalid_json", 2

    #: A text is not UTF-8. The error's offset tells where.
    INVALID_UTF8 = "invalid_utf8", 3

    #: There is no such program, or the interpreter that its first line names is missing.
    COMMAND_NOT_FOUND = "command_not_found", 4

    #: The program is there, but may not be run.
    PERMISSION_DENIED = "permission_denied", 5

    #: The program could not be started for another reason; a working directory that cannot be entered is one.
    START_FAILED = "start_failed", 6

    #: The system has no descriptors or processes left for this program or user.
    OUT_OF_RESOURCES = "out_of_resources", 7

    #: There is not enough memory.
    OUT_OF_MEMORY = "out_of_memory", 8

    #: A cancel handle was fired before there was a verdict.
    CANCELLED = "cancelled", 9

    #: The handle was made before a fork, by the parent process.
    WRONG_PROCESS = "wrong_process", 10

    #: This version of the library cannot do it yet on this system.
    NOT_SUPPORTED = "not_supported", 11

    #: The library failed in a way it should not: please report it with the error's message.
    INTERNAL_ERROR = "internal_error", 12

    #: Nothing has come within the time that the call was given.
    TIMED_OUT = "timed_out", 13


class Era(Code):
    """How a server is spoken to."""

    #: Nothing the server did tells.
    UNKNOWN = "unknown", 0

    #: Stateless requests; protocol versions from 2026-07-28 on.
    MODERN = "modern", 1

    #: A session that the client opens with initialize; protocol versions up to 2025-11-25.
    LEGACY = "legacy", 2


class Method(Code):
    """What is asked."""

    #: server/discover of protocol version 2026-07-28.
    DISCOVER = "discover", 0

    #: initialize of the protocol versions up to 2025-11-25.
    INITIALIZE = "initialize", 1


class IdKind(Code):
    """What the id of a request is. JSON-RPC ids are strings or integers, and "1" is another id than 1."""

    #: In a request: "discover-1" or "initialize-1", by the method. In a reply: any id.
    DEFAULT = "default", 0

    #: The string in id_string.
    STRING = "string", 1

    #: The integer in id_integer.
    INTEGER = "integer", 2


class CacheScope(Code):
    """Who may be given a cached result (CacheableResult.cacheScope in the schema)."""

    #: Only whoever asked, with the same authorization. The safe choice, so it stands for an absent or unknown scope
    #: too.
    PRIVATE = "private", 0

    #: Anyone.
    PUBLIC = "public", 1


class RemarkCode(Code):
    """What a remark is about: one number for each oddity this library looks for. Later versions add numbers and
    change none."""

    #: The result has no ttlMs, which the specification requires.
    MISSING_TTL = "missing_ttl", 1

    #: The result's ttlMs is no number; it counts as absent.
    MALFORMED_TTL = "malformed_ttl", 2

    #: The result's ttlMs is negative; it counts as 0.
    NEGATIVE_TTL = "negative_ttl", 3

    #: The result's ttlMs is no whole number; the fraction is dropped.
    FRACTIONAL_TTL = "fractional_ttl", 4

    #: The result's ttlMs is beyond 64 bits; the largest number is taken for it.
    HUGE_TTL = "huge_ttl", 5

    #: The result has no cacheScope, which the specification requires; private is assumed.
    MISSING_CACHE_SCOPE = "missing_cache_scope", 6

    #: The result's cacheScope is no string; it counts as absent.
    MALFORMED_CACHE_SCOPE = "malformed_cache_scope", 7

    #: The result's cacheScope is neither public nor private; private is assumed.
    UNKNOWN_CACHE_SCOPE = "unknown_cache_scope", 8

    #: The result does not say who the server is (serverInfo).
    MISSING_SERVER_INFO = "missing_server_info", 9

    #: serverInfo stands in the result itself; its place is _meta, as io.modelcontextprotocol/serverInfo.
    MISPLACED_SERVER_INFO = "misplaced_server_info", 10

    #: serverInfo or a member of it has the wrong type, or lacks its name or version.
    MALFORMED_SERVER_INFO = "malformed_server_info", 11

    #: The result has no resultType, which the specification requires; complete is assumed.
    MISSING_RESULT_TYPE = "missing_result_type", 12

    #: The result's resultType is not complete, so it answers nothing.
    UNKNOWN_RESULT_TYPE = "unknown_result_type", 13

    #: The result has no capabilities, which the specification requires.
    MISSING_CAPABILITIES = "missing_capabilities", 14

    #: A capability has the wrong type; it counts as absent.
    MALFORMED_CAPABILITIES = "malformed_capabilities", 15

    #: The result has no supportedVersions, so it is no DiscoverResult.
    MISSING_VERSIONS = "missing_versions", 16

    #: supportedVersions is no array, or holds something that is no string.
    MALFORMED_VERSIONS = "malformed_versions", 17

    #: supportedVersions is empty, so the result is no DiscoverResult.
    EMPTY_VERSIONS = "empty_versions", 18

    #: The result's instructions are no string; they count as absent.
    MALFORMED_INSTRUCTIONS = "malformed_instructions", 19

    #: The result's _meta is no object; it counts as absent.
    MALFORMED_META = "malformed_meta", 20

    #: The error lacks an integer code or a string message.
    MALFORMED_ERROR = "malformed_error", 21

    #: The unsupported-version error does not list the supported versions as an array of strings.
    MALFORMED_SUPPORTED = "malformed_supported", 22

    #: The result has no protocolVersion string, so it is no InitializeResult.
    MISSING_PROTOCOL_VERSION = "missing_protocol_version", 23

    #: The response has both a result and an error.
    RESULT_AND_ERROR = "result_and_error", 24

    #: The response has neither a result nor an error.
    NO_RESULT_OR_ERROR = "no_result_or_error", 25

    #: The response's result is no object.
    MALFORMED_RESULT = "malformed_result", 26

    #: Standard output carries something that is no JSON-RPC message; logs belong on standard error.
    NOISE = "noise", 27

    #: A message starts with a byte order mark.
    BYTE_ORDER_MARK = "byte_order_mark", 28

    #: Lines end in CR LF; the delimiter is LF alone.
    CRLF = "crlf", 29

    #: Standard output carries bytes that are not UTF-8; in a reply they are read as U+FFFD.
    INVALID_UTF8 = "invalid_utf8", 30

    #: Standard output looks like UTF-16; messages are UTF-8.
    UTF16 = "utf16", 31

    #: A string escape is half of a surrogate pair; it is read as U+FFFD.
    LONE_SURROGATE = "lone_surrogate", 32

    #: A JSON text is spread over several lines; a message is one line.
    SPLIT_JSON = "split_json", 33

    #: One line holds several messages; a message is one line.
    SEVERAL_MESSAGES = "several_messages", 34

    #: A response lacks "jsonrpc": "2.0".
    MISSING_JSONRPC = "missing_jsonrpc", 35

    #: A response came without the id of the request it answers.
    NULL_ID = "null_id", 36

    #: A response came with an id that no open request has.
    FOREIGN_ID = "foreign_id", 37

    #: A message came inside an array; batches are not part of the protocol.
    BATCH = "batch", 38

    #: The server sent a request before any reply; it was not answered.
    SERVER_REQUEST = "server_request", 39

    #: The server sent our own request back.
    ECHOED_REQUEST = "echoed_request", 40

    #: Messages come with Content-Length headers; the delimiter is LF alone.
    CONTENT_LENGTH = "content_length", 41

    #: An answer came after the deadline of its request.
    LATE_REPLY = "late_reply", 42

    #: An answer came without the line feed that ends a message.
    UNTERMINATED_REPLY = "unterminated_reply", 43

    #: A line on standard output passed the limit and was skipped.
    LINE_TOO_LONG = "line_too_long", 44

    #: A message nests arrays or objects too deeply and was skipped.
    TOO_DEEP = "too_deep", 45

    #: The server named a version that it then did not answer for.
    RETRY_FAILED = "retry_failed", 46

    #: The server did not leave when its standard input ended; SIGTERM ended it.
    TERMINATED = "terminated", 47

    #: The server did not leave on SIGTERM; SIGKILL ended it.
    KILLED = "killed", 48

    #: The server outlived SIGKILL and was left behind.
    ABANDONED = "abandoned", 49

    #: The server ended before it was asked to.
    EXITED_EARLY = "exited_early", 50

    #: Standard error passed the limit; only its tail is kept.
    STDERR_TRUNCATED = "stderr_truncated", 51

    #: The answer came with another HTTP status than the specification has for it.
    HTTP_STATUS = "http_status", 52

    #: The answer's Content-Type is neither application/json nor text/event-stream.
    CONTENT_TYPE = "content_type", 53

    #: The stored verdict proved to be wrong, so the server was probed again.
    STALE_VERDICT = "stale_verdict", 54

    #: The server could be used, but no process of it could be opened and handed over.
    NOT_HANDED_OVER = "not_handed_over", 55


class ReplyKind(Code):
    """What a message is to the client that waits for an answer."""

    #: No answer to the request: a request or notification of the server's, an answer to another id, or JSON that is
    #: no JSON-RPC message at all. Go on waiting for the answer.
    UNRELATED = "unrelated", 0

    #: The result of server/discover; see discover.
    DISCOVER = "discover", 1

    #: The result of initialize; see initialize.
    INITIALIZE = "initialize", 2

    #: A JSON-RPC error; see rpc_error. An error whose id is null or missing counts as the answer too.
    RPC_ERROR = "rpc_error", 3

    #: The answer to the request, but one that can't be used; the remarks say why.
    UNUSABLE = "unusable", 4


class Next(Code):
    """What the client should do next."""

    #: Do not go on: client and server have no version in common, or nothing is known.
    GIVE_UP = "give_up", 0

    #: Send modern requests with the verdict's version.
    USE_MODERN = "use_modern", 1

    #: Send initialize with the verdict's version. Over stdio it has to be the first message of a new process: one
    #: that has seen server/discover may not answer initialize any more.
    INITIALIZE = "initialize", 2

    #: The request is refused as it was. Where the era is modern, the server did so, and the error in the verdict says
    #: what to correct, for example the client capabilities it requires. Where it is unknown, the way to the server
    #: did, over HTTP: the address or the headers have to be corrected.
    CORRECT_REQUEST = "correct_request", 3

    #: Over HTTP: send initialize with the verdict's version; if that gets no JSON-RPC answer either, try the HTTP+SSE
    #: transport of protocol version 2024-11-05, which begins with a GET.
    INITIALIZE_OR_SSE = "initialize_or_sse", 4

    #: Over HTTP: get authorization, then ask again. What the server is cannot be told before.
    AUTHORIZE = "authorize", 5

    #: Over HTTP: ask again later.
    RETRY = "retry", 6


class Outcome(Code):
    """What came of a request."""

    #: The request was not sent.
    NOT_ASKED = "not_asked", 0

    #: The server answered with a result that can be used.
    RESULT = "result", 1

    #: The server answered with something that can't be used; the remarks or the summary say why.
    UNUSABLE = "unusable", 2

    #: The server answered with a JSON-RPC error.
    ERROR = "error", 3

    #: No answer came up to the deadline.
    SILENCE = "silence", 4

    #: The server exited without an answer.
    EXIT = "exit", 5

    #: The server closed its standard output without an answer, and lived on.
    STDOUT_CLOSED = "stdout_closed", 6


class ExitKind(Code):
    """How a process ended."""

    #: It is not known: the process was left behind, or the host program ignores or reaps children itself.
    UNKNOWN = "unknown", 0

    #: It exited; exit_value is its exit code, 0 to 255. Many servers exit with 1 though nothing is wrong.
    CODE = "code", 1

    #: A signal ended it; exit_value is the signal's number.
    SIGNAL = "signal", 2


class Shutdown(Code):
    """What it took to end a process (basic/transports, stdio, shutdown)."""

    #: There was nothing to end.
    NONE = "none", 0

    #: Nothing: it ended before it was asked to.
    EXITED = "exited", 1

    #: The end of its standard input, as the specification wants it.
    STDIN_CLOSED = "stdin_closed", 2

    #: SIGTERM to its process group.
    TERMINATED = "terminated", 3

    #: SIGKILL to its process group.
    KILLED = "killed", 4

    #: Nothing did: it outlived SIGKILL by 2 seconds and was left behind.
    ABANDONED = "abandoned", 5

    #: Nothing was done: it was handed over, and runs. See mcpd_connection.
    KEPT = "kept", 6


class Direction(Code):
    """Who said a piece of a transcript."""

    #: The library, on the server's standard input.
    TO_SERVER = "to_server", 0

    #: The server, on its standard output.
    FROM_SERVER = "from_server", 1


class Fallback(Code):
    """What to do where server/discover proves nothing."""

    #: Ask initialize for proof, in a fresh process where the first one has ended.
    INITIALIZE = "initialize", 0

    #: Never send initialize. Silence, an unknown error and an unusable answer then mean a legacy server, not
    #: confirmed; an exit leaves the era unknown, and next is MCPD_NEXT_INITIALIZE.
    NONE = "none", 1


class EnvMode(Code):
    """What a server's environment is made from."""

    #: The environment of the calling process, changed by env.
    INHERIT = "inherit", 0

    #: Only the variables that env sets.
    EXACT = "exact", 1


class StderrMode(Code):
    """What becomes of a server's standard error. It carries logs, and says nothing about failure."""

    #: It is read, and its end kept for the verdict.
    CAPTURE = "capture", 0

    #: It goes where the standard error of the calling process goes.
    INHERIT = "inherit", 1

    #: It goes to /dev/null.
    DISCARD = "discard", 2


class Step(Code):
    """What a negotiation wants done."""

    #: Start a server, or connect to one that has seen nothing yet, and call mcpd_negotiation_started.
    START = "start", 0

    #: Send the negotiation's line to the server.
    SEND = "send", 1

    #: Wait for what the server says, for its end, or for the negotiation's deadline_ms. Pass on what has come, by
    #: mcpd_negotiation_received or mcpd_negotiation_closed.
    WAIT = "wait", 2

    #: End the server, or the connection: close the side that sends, pass on what still comes, as long as you care to
    #: wait for the end, and call mcpd_negotiation_closed.
    CLOSE = "close", 3

    #: Take the verdict, by mcpd_negotiation_verdict. Nothing is open any more.
    FINISH = "finish", 4
