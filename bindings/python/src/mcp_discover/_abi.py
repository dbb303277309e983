"""Layouts, constants and functions of the C library.

Written from the C header by tools/generate.py; change it there.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint64, c_void_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Optional

VERSION = "0.1.0"
MCPD_OK = 0
MCPD_INVALID_ARGUMENT = 1
MCPD_INVALID_JSON = 2
MCPD_INVALID_UTF8 = 3
MCPD_COMMAND_NOT_FOUND = 4
MCPD_PERMISSION_DENIED = 5
MCPD_START_FAILED = 6
MCPD_OUT_OF_RESOURCES = 7
MCPD_OUT_OF_MEMORY = 8
MCPD_CANCELLED = 9
MCPD_WRONG_PROCESS = 10
MCPD_NOT_SUPPORTED = 11
MCPD_INTERNAL_ERROR = 12
MCPD_TIMED_OUT = 13
MCPD_ERA_UNKNOWN = 0
MCPD_ERA_MODERN = 1
MCPD_ERA_LEGACY = 2
MCPD_METHOD_DISCOVER = 0
MCPD_METHOD_INITIALIZE = 1
MCPD_ID_DEFAULT = 0
MCPD_ID_STRING = 1
MCPD_ID_INTEGER = 2
MCPD_CACHE_SCOPE_PRIVATE = 0
MCPD_CACHE_SCOPE_PUBLIC = 1
MCPD_REMARK_MISSING_TTL = 1
MCPD_REMARK_MALFORMED_TTL = 2
MCPD_REMARK_NEGATIVE_TTL = 3
MCPD_REMARK_FRACTIONAL_TTL = 4
MCPD_REMARK_HUGE_TTL = 5
MCPD_REMARK_MISSING_CACHE_SCOPE = 6
MCPD_REMARK_MALFORMED_CACHE_SCOPE = 7
MCPD_REMARK_UNKNOWN_CACHE_SCOPE = 8
MCPD_REMARK_MISSING_SERVER_INFO = 9
MCPD_REMARK_MISPLACED_SERVER_INFO = 10
MCPD_REMARK_MALFORMED_SERVER_INFO = 11
MCPD_REMARK_MISSING_RESULT_TYPE = 12
MCPD_REMARK_UNKNOWN_RESULT_TYPE = 13
MCPD_REMARK_MISSING_CAPABILITIES = 14
MCPD_REMARK_MALFORMED_CAPABILITIES = 15
MCPD_REMARK_MISSING_VERSIONS = 16
MCPD_REMARK_MALFORMED_VERSIONS = 17
MCPD_REMARK_EMPTY_VERSIONS = 18
MCPD_REMARK_MALFORMED_INSTRUCTIONS = 19
MCPD_REMARK_MALFORMED_META = 20
MCPD_REMARK_MALFORMED_ERROR = 21
MCPD_REMARK_MALFORMED_SUPPORTED = 22
MCPD_REMARK_MISSING_PROTOCOL_VERSION = 23
MCPD_REMARK_RESULT_AND_ERROR = 24
MCPD_REMARK_NO_RESULT_OR_ERROR = 25
MCPD_REMARK_MALFORMED_RESULT = 26
MCPD_REMARK_NOISE = 27
MCPD_REMARK_BYTE_ORDER_MARK = 28
MCPD_REMARK_CRLF = 29
MCPD_REMARK_INVALID_UTF8 = 30
MCPD_REMARK_UTF16 = 31
MCPD_REMARK_LONE_SURROGATE = 32
MCPD_REMARK_SPLIT_JSON = 33
MCPD_REMARK_SEVERAL_MESSAGES = 34
MCPD_REMARK_MISSING_JSONRPC = 35
MCPD_REMARK_NULL_ID = 36
MCPD_REMARK_FOREIGN_ID = 37
MCPD_REMARK_BATCH = 38
MCPD_REMARK_SERVER_REQUEST = 39
MCPD_REMARK_ECHOED_REQUEST = 40
MCPD_REMARK_CONTENT_LENGTH = 41
MCPD_REMARK_LATE_REPLY = 42
MCPD_REMARK_UNTERMINATED_REPLY = 43
MCPD_REMARK_LINE_TOO_LONG = 44
MCPD_REMARK_TOO_DEEP = 45
MCPD_REMARK_RETRY_FAILED = 46
MCPD_REMARK_TERMINATED = 47
MCPD_REMARK_KILLED = 48
MCPD_REMARK_ABANDONED = 49
MCPD_REMARK_EXITED_EARLY = 50
MCPD_REMARK_STDERR_TRUNCATED = 51
MCPD_REMARK_HTTP_STATUS = 52
MCPD_REMARK_CONTENT_TYPE = 53
MCPD_REMARK_STALE_VERDICT = 54
MCPD_REMARK_NOT_HANDED_OVER = 55
MCPD_REPLY_UNRELATED = 0
MCPD_REPLY_DISCOVER = 1
MCPD_REPLY_INITIALIZE = 2
MCPD_REPLY_RPC_ERROR = 3
MCPD_REPLY_UNUSABLE = 4
MCPD_NEXT_GIVE_UP = 0
MCPD_NEXT_USE_MODERN = 1
MCPD_NEXT_INITIALIZE = 2
MCPD_NEXT_CORRECT_REQUEST = 3
MCPD_NEXT_INITIALIZE_OR_SSE = 4
MCPD_NEXT_AUTHORIZE = 5
MCPD_NEXT_RETRY = 6
MCPD_OUTCOME_NOT_ASKED = 0
MCPD_OUTCOME_RESULT = 1
MCPD_OUTCOME_UNUSABLE = 2
MCPD_OUTCOME_ERROR = 3
MCPD_OUTCOME_SILENCE = 4
MCPD_OUTCOME_EXIT = 5
MCPD_OUTCOME_STDOUT_CLOSED = 6
MCPD_EXIT_UNKNOWN = 0
MCPD_EXIT_CODE = 1
MCPD_EXIT_SIGNAL = 2
MCPD_SHUTDOWN_NONE = 0
MCPD_SHUTDOWN_EXITED = 1
MCPD_SHUTDOWN_STDIN_CLOSED = 2
MCPD_SHUTDOWN_TERMINATED = 3
MCPD_SHUTDOWN_KILLED = 4
MCPD_SHUTDOWN_ABANDONED = 5
MCPD_SHUTDOWN_KEPT = 6
MCPD_DIRECTION_TO_SERVER = 0
MCPD_DIRECTION_FROM_SERVER = 1
MCPD_FALLBACK_INITIALIZE = 0
MCPD_FALLBACK_NONE = 1
MCPD_ENV_INHERIT = 0
MCPD_ENV_EXACT = 1
MCPD_STDERR_CAPTURE = 0
MCPD_STDERR_INHERIT = 1
MCPD_STDERR_DISCARD = 2
MCPD_STEP_START = 0
MCPD_STEP_SEND = 1
MCPD_STEP_WAIT = 2
MCPD_STEP_CLOSE = 3
MCPD_STEP_FINISH = 4
MCPD_ABI_VERSION = 0
MCPD_RPC_HEADER_MISMATCH = -32020
MCPD_RPC_MISSING_REQUIRED_CLIENT_CAPABILITY = -32021
MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION = -32022
MCPD_UNRECOGNIZED = -1
MCPD_NO_GRACE = -1
MCPD_NO_WAIT = -1


class mcpd_str(Structure):
    _fields_ = [  # noqa: RUF012
        ("ptr", c_char_p),
        ("len", c_size_t),
    ]


class mcpd_member(Structure):
    _fields_ = [  # noqa: RUF012
        ("name", mcpd_str),
        ("json", mcpd_str),
    ]


class mcpd_error(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("status", c_int32),
        ("reserved", c_int32),
        ("message", mcpd_str),
        ("argument", mcpd_str),
        ("offset", c_int64),
    ]


class mcpd_text(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("text", mcpd_str),
    ]


class mcpd_request_options(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("method", c_int32),
        ("id_kind", c_int32),
        ("id_string", c_char_p),
        ("id_integer", c_int64),
        ("protocol_version", c_char_p),
        ("client_name", c_char_p),
        ("client_version", c_char_p),
        ("client_title", c_char_p),
        ("client_description", c_char_p),
        ("client_website_url", c_char_p),
        ("client_icons_json", c_char_p),
        ("client_capabilities_json", c_char_p),
        ("log_level", c_char_p),
        ("meta_json", c_char_p),
    ]


class mcpd_icon(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("src", mcpd_str),
        ("mime_type", mcpd_str),
        ("sizes", c_void_p),  # const mcpd_str *
        ("sizes_count", c_size_t),
        ("theme", mcpd_str),
    ]


class mcpd_implementation(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("name", mcpd_str),
        ("version", mcpd_str),
        ("title", mcpd_str),
        ("description", mcpd_str),
        ("website_url", mcpd_str),
        ("icons", c_void_p),  # const mcpd_icon *const *
        ("icons_count", c_size_t),
    ]


class mcpd_server_capabilities(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("tools", c_int32),
        ("tools_list_changed", c_int32),
        ("resources", c_int32),
        ("resources_subscribe", c_int32),
        ("resources_list_changed", c_int32),
        ("prompts", c_int32),
        ("prompts_list_changed", c_int32),
        ("completions", c_int32),
        ("logging", c_int32),
        ("reserved", c_int32),
        ("extensions", c_void_p),  # const mcpd_member *
        ("extensions_count", c_size_t),
        ("experimental", c_void_p),  # const mcpd_member *
        ("experimental_count", c_size_t),
        ("json", mcpd_str),
    ]


class mcpd_discover_result(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("result_type", mcpd_str),
        ("supported_versions", c_void_p),  # const mcpd_str *
        ("supported_versions_count", c_size_t),
        ("capabilities", c_void_p),  # const mcpd_server_capabilities *
        ("server", c_void_p),  # const mcpd_implementation *
        ("instructions", mcpd_str),
        ("ttl_ms", c_int64),
        ("has_ttl_ms", c_int32),
        ("cache_scope", c_int32),
        ("has_cache_scope", c_int32),
        ("reserved", c_int32),
        ("meta_json", mcpd_str),
        ("json", mcpd_str),
    ]


class mcpd_initialize_result(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("protocol_version", mcpd_str),
        ("capabilities", c_void_p),  # const mcpd_server_capabilities *
        ("server", c_void_p),  # const mcpd_implementation *
        ("instructions", mcpd_str),
        ("meta_json", mcpd_str),
        ("json", mcpd_str),
    ]


class mcpd_rpc_error(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("code", c_int64),
        ("message", mcpd_str),
        ("data_json", mcpd_str),
        ("supported", c_void_p),  # const mcpd_str *
        ("supported_count", c_size_t),
        ("requested", mcpd_str),
        ("required_capabilities_json", mcpd_str),
        ("json", mcpd_str),
    ]


class mcpd_remark(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("code", c_int32),
        ("reserved", c_int32),
        ("text", mcpd_str),
    ]


class mcpd_reply_options(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("method", c_int32),
        ("id_kind", c_int32),
        ("id_string", c_char_p),
        ("id_integer", c_int64),
    ]


class mcpd_reply(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("kind", c_int32),
        ("reserved", c_int32),
        ("discover", c_void_p),  # const mcpd_discover_result *
        ("initialize", c_void_p),  # const mcpd_initialize_result *
        ("rpc_error", c_void_p),  # const mcpd_rpc_error *
        ("json", mcpd_str),
        ("remarks", c_void_p),  # const mcpd_remark *const *
        ("remarks_count", c_size_t),
    ]


class mcpd_flat_reply(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("size", c_size_t),
        ("texts_offset", c_size_t),
        ("texts_count", c_size_t),
        ("json_offset", c_size_t),
        ("json_length", c_size_t),
        ("ttl_ms", c_int64),
        ("rpc_code", c_int64),
        ("versions_count", c_size_t),
        ("extensions_count", c_size_t),
        ("experimental_count", c_size_t),
        ("remarks_count", c_size_t),
        ("kind", c_int32),
        ("present", c_int32),
        ("capabilities", c_int32),
        ("has_server", c_int32),
        ("has_ttl_ms", c_int32),
        ("cache_scope", c_int32),
        ("has_cache_scope", c_int32),
        ("reserved", c_int32),
    ]


class mcpd_process(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("exit_kind", c_int32),
        ("exit_value", c_int32),
        ("shutdown", c_int32),
        ("reserved", c_int32),
        ("bytes_received", c_uint64),
        ("skipped_lines", c_uint64),
        ("skipped_sample", c_void_p),  # const mcpd_str *
        ("skipped_sample_count", c_size_t),
        ("stderr_tail", mcpd_str),
    ]


class mcpd_transcript_entry(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("at_ms", c_double),
        ("process", c_int32),
        ("direction", c_int32),
        ("data", c_void_p),  # const unsigned char *
        ("length", c_size_t),
    ]


class mcpd_verdict(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("era", c_int32),
        ("next", c_int32),
        ("version", mcpd_str),
        ("confirmed", c_int32),
        ("storable", c_int32),
        ("discover_outcome", c_int32),
        ("initialize_outcome", c_int32),
        ("summary", mcpd_str),
        ("received_at_ms", c_int64),
        ("has_received_at_ms", c_int32),
        ("starts", c_int32),
        ("server", c_void_p),  # const mcpd_implementation *
        ("capabilities", c_void_p),  # const mcpd_server_capabilities *
        ("instructions", mcpd_str),
        ("supported_versions", c_void_p),  # const mcpd_str *
        ("supported_versions_count", c_size_t),
        ("discover", c_void_p),  # const mcpd_discover_result *
        ("initialize", c_void_p),  # const mcpd_initialize_result *
        ("discover_error", c_void_p),  # const mcpd_rpc_error *
        ("initialize_error", c_void_p),  # const mcpd_rpc_error *
        ("remarks", c_void_p),  # const mcpd_remark *const *
        ("remarks_count", c_size_t),
        ("processes", c_void_p),  # const mcpd_process *const *
        ("processes_count", c_size_t),
        ("elapsed_ms", c_double),
        ("reply_ms", c_double),
        ("has_reply_ms", c_int32),
        ("transcript_truncated", c_int32),
        ("transcript", c_void_p),  # const mcpd_transcript_entry *const *
        ("transcript_count", c_size_t),
    ]


class mcpd_probe_options(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("argv", POINTER(c_char_p)),
        ("env", POINTER(c_char_p)),
        ("cwd", c_char_p),
        ("client_name", c_char_p),
        ("client_version", c_char_p),
        ("client_title", c_char_p),
        ("client_description", c_char_p),
        ("client_website_url", c_char_p),
        ("client_icons_json", c_char_p),
        ("client_capabilities_json", c_char_p),
        ("cancel", c_void_p),  # const mcpd_cancel *
        ("modern_versions", POINTER(c_char_p)),
        ("legacy_versions", POINTER(c_char_p)),
        ("timeout_ms", c_int64),
        ("discover_timeout_ms", c_int64),
        ("grace_ms", c_int64),
        ("max_line_bytes", c_size_t),
        ("max_stderr_bytes", c_size_t),
        ("max_transcript_bytes", c_size_t),
        ("max_starts", c_int32),
        ("fallback", c_int32),
        ("env_mode", c_int32),
        ("stderr_mode", c_int32),
    ]


class mcpd_scan_item(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("tag", c_uint64),
        ("status", c_int32),
        ("reserved", c_int32),
        ("verdict", c_void_p),  # const mcpd_verdict *
        ("error", c_void_p),  # const mcpd_error *
    ]


class mcpd_scan_options(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("max_running", c_int32),
        ("reserved", c_int32),
    ]


class mcpd_http_header(Structure):
    _fields_ = [  # noqa: RUF012
        ("name", mcpd_str),
        ("value", mcpd_str),
    ]


class mcpd_http_post(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("headers", c_void_p),  # const mcpd_http_header *
        ("headers_count", c_size_t),
        ("body", mcpd_str),
    ]


class mcpd_http_options(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("client_name", c_char_p),
        ("client_version", c_char_p),
        ("client_title", c_char_p),
        ("client_description", c_char_p),
        ("client_website_url", c_char_p),
        ("client_icons_json", c_char_p),
        ("client_capabilities_json", c_char_p),
        ("modern_versions", POINTER(c_char_p)),
        ("legacy_versions", POINTER(c_char_p)),
        ("max_body_bytes", c_size_t),
    ]


class mcpd_connection(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("version", mcpd_str),
        ("pid", c_int64),
        ("unread", c_void_p),  # const unsigned char *
        ("unread_length", c_size_t),
        ("era", c_int32),
        ("stdin_fd", c_int32),
        ("stdout_fd", c_int32),
        ("stderr_fd", c_int32),
        ("exit_kind", c_int32),
        ("exit_value", c_int32),
        ("shutdown", c_int32),
        ("reserved", c_int32),
    ]


class mcpd_negotiation(Structure):
    _fields_ = [  # noqa: RUF012
        ("struct_size", c_size_t),
        ("step", c_int32),
        ("reserved", c_int32),
        ("line", mcpd_str),
        ("deadline_ms", c_int64),
    ]


STRUCTS: dict[str, type[Structure]] = {
    "mcpd_str": mcpd_str,
    "mcpd_member": mcpd_member,
    "mcpd_error": mcpd_error,
    "mcpd_text": mcpd_text,
    "mcpd_request_options": mcpd_request_options,
    "mcpd_icon": mcpd_icon,
    "mcpd_implementation": mcpd_implementation,
    "mcpd_server_capabilities": mcpd_server_capabilities,
    "mcpd_discover_result": mcpd_discover_result,
    "mcpd_initialize_result": mcpd_initialize_result,
    "mcpd_rpc_error": mcpd_rpc_error,
    "mcpd_remark": mcpd_remark,
    "mcpd_reply_options": mcpd_reply_options,
    "mcpd_reply": mcpd_reply,
    "mcpd_flat_reply": mcpd_flat_reply,
    "mcpd_process": mcpd_process,
    "mcpd_transcript_entry": mcpd_transcript_entry,
    "mcpd_verdict": mcpd_verdict,
    "mcpd_probe_options": mcpd_probe_options,
    "mcpd_scan_item": mcpd_scan_item,
    "mcpd_scan_options": mcpd_scan_options,
    "mcpd_http_header": mcpd_http_header,
    "mcpd_http_post": mcpd_http_post,
    "mcpd_http_options": mcpd_http_options,
    "mcpd_connection": mcpd_connection,
    "mcpd_negotiation": mcpd_negotiation,
}

# How the struct module reads what the library fills.
mcpd_str_format = "@PN"
mcpd_member_format = "@PNPN"
mcpd_error_format = "@NiiPNPNq"
mcpd_text_format = "@NPN"
mcpd_icon_format = "@NPNPNPNPN"
mcpd_implementation_format = "@NPNPNPNPNPNPN"
mcpd_server_capabilities_format = "@NiiiiiiiiiiPNPNPN"
mcpd_discover_result_format = "@NPNPNPPPNqiiiiPNPN"
mcpd_initialize_result_format = "@NPNPPPNPNPN"
mcpd_rpc_error_format = "@NqPNPNPNPNPNPN"
mcpd_remark_format = "@NiiPN"
mcpd_reply_format = "@NiiPPPPNPN"
mcpd_flat_reply_format = "@NNNNNNqqNNNNiiiiiiii"
mcpd_process_format = "@NiiiiQQPNPN"
mcpd_transcript_entry_format = "@NdiiPN"
mcpd_verdict_format = "@NiiPNiiiiPNqiiPPPNPNPPPPPNPNddiiPN"
mcpd_scan_item_format = "@NQiiPP"
mcpd_http_header_format = "@PNPN"
mcpd_http_post_format = "@NPNPN"
mcpd_connection_format = "@NPNqPNiiiiiiii"
mcpd_negotiation_format = "@NiiPNq"


class Functions:
    """The functions of a loaded library, with their types."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.mcpd_version: Callable[..., bytes] = _bind(
            library, "mcpd_version", c_char_p, []
        )
        self.mcpd_abi_version: Callable[..., int] = _bind(
            library, "mcpd_abi_version", c_int32, []
        )
        self.mcpd_status_name: Callable[..., bytes] = _bind(
            library, "mcpd_status_name", c_char_p, [c_int32]
        )
        self.mcpd_error_free: Callable[..., None] = _bind(
            library, "mcpd_error_free", None, [c_void_p]
        )
        self.mcpd_text_printable: Callable[..., int] = _bind(
            library, "mcpd_text_printable", c_int32, [c_char_p, c_size_t, POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_text_free: Callable[..., None] = _bind(
            library, "mcpd_text_free", None, [c_void_p]
        )
        self.mcpd_era_name: Callable[..., bytes] = _bind(
            library, "mcpd_era_name", c_char_p, [c_int32]
        )
        self.mcpd_versions_modern: Callable[..., Any] = _bind(
            library, "mcpd_versions_modern", POINTER(c_char_p), []
        )
        self.mcpd_versions_legacy: Callable[..., Any] = _bind(
            library, "mcpd_versions_legacy", POINTER(c_char_p), []
        )
        self.mcpd_version_era: Callable[..., int] = _bind(
            library, "mcpd_version_era", c_int32, [c_char_p]
        )
        self.mcpd_versions_select: Callable[..., int] = _bind(
            library, "mcpd_versions_select", c_int32, [POINTER(c_char_p), POINTER(c_char_p), c_void_p, c_size_t, POINTER(c_char_p), POINTER(c_void_p)]
        )
        self.mcpd_request_build: Callable[..., int] = _bind(
            library, "mcpd_request_build", c_int32, [POINTER(mcpd_request_options), POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_cache_scope_name: Callable[..., bytes] = _bind(
            library, "mcpd_cache_scope_name", c_char_p, [c_int32]
        )
        self.mcpd_remark_name: Callable[..., bytes] = _bind(
            library, "mcpd_remark_name", c_char_p, [c_int32]
        )
        self.mcpd_remark_sentence: Callable[..., bytes] = _bind(
            library, "mcpd_remark_sentence", c_char_p, [c_int32]
        )
        self.mcpd_reply_kind_name: Callable[..., bytes] = _bind(
            library, "mcpd_reply_kind_name", c_char_p, [c_int32]
        )
        self.mcpd_reply_parse: Callable[..., int] = _bind(
            library, "mcpd_reply_parse", c_int32, [c_char_p, c_size_t, POINTER(mcpd_reply_options), POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_reply_free: Callable[..., None] = _bind(
            library, "mcpd_reply_free", None, [c_void_p]
        )
        self.mcpd_flat_reply_parse: Callable[..., int] = _bind(
            library, "mcpd_flat_reply_parse", c_int32, [c_char_p, c_size_t, POINTER(mcpd_reply_options), c_void_p, c_size_t, POINTER(c_void_p)]
        )
        self.mcpd_next_name: Callable[..., bytes] = _bind(
            library, "mcpd_next_name", c_char_p, [c_int32]
        )
        self.mcpd_outcome_name: Callable[..., bytes] = _bind(
            library, "mcpd_outcome_name", c_char_p, [c_int32]
        )
        self.mcpd_exit_kind_name: Callable[..., bytes] = _bind(
            library, "mcpd_exit_kind_name", c_char_p, [c_int32]
        )
        self.mcpd_shutdown_name: Callable[..., bytes] = _bind(
            library, "mcpd_shutdown_name", c_char_p, [c_int32]
        )
        self.mcpd_direction_name: Callable[..., bytes] = _bind(
            library, "mcpd_direction_name", c_char_p, [c_int32]
        )
        self.mcpd_verdict_to_json: Callable[..., int] = _bind(
            library, "mcpd_verdict_to_json", c_int32, [c_void_p, POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_verdict_from_json: Callable[..., int] = _bind(
            library, "mcpd_verdict_from_json", c_int32, [c_char_p, c_size_t, POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_verdict_is_fresh: Callable[..., int] = _bind(
            library, "mcpd_verdict_is_fresh", c_int32, [c_void_p, c_int64]
        )
        self.mcpd_verdict_free: Callable[..., None] = _bind(
            library, "mcpd_verdict_free", None, [c_void_p]
        )
        self.mcpd_cancel_new: Callable[..., int] = _bind(
            library, "mcpd_cancel_new", c_int32, [POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_cancel_fire: Callable[..., int] = _bind(
            library, "mcpd_cancel_fire", c_int32, [c_void_p]
        )
        self.mcpd_cancel_free: Callable[..., None] = _bind(
            library, "mcpd_cancel_free", None, [c_void_p]
        )
        self.mcpd_probe_stdio: Callable[..., int] = _bind(
            library, "mcpd_probe_stdio", c_int32, [POINTER(mcpd_probe_options), POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_scan_item_free: Callable[..., None] = _bind(
            library, "mcpd_scan_item_free", None, [c_void_p]
        )
        self.mcpd_scan_new: Callable[..., int] = _bind(
            library, "mcpd_scan_new", c_int32, [POINTER(mcpd_scan_options), POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_scan_add: Callable[..., int] = _bind(
            library, "mcpd_scan_add", c_int32, [c_void_p, POINTER(mcpd_probe_options), c_uint64, POINTER(c_void_p)]
        )
        self.mcpd_scan_next: Callable[..., int] = _bind(
            library, "mcpd_scan_next", c_int32, [c_void_p, c_int64, POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_scan_cancel: Callable[..., int] = _bind(
            library, "mcpd_scan_cancel", c_int32, [c_void_p]
        )
        self.mcpd_scan_free: Callable[..., None] = _bind(
            library, "mcpd_scan_free", None, [c_void_p]
        )
        self.mcpd_http_new: Callable[..., int] = _bind(
            library, "mcpd_http_new", c_int32, [POINTER(mcpd_http_options), POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_http_request: Callable[..., int] = _bind(
            library, "mcpd_http_request", c_int32, [c_void_p, c_void_p, POINTER(c_void_p)]
        )
        self.mcpd_http_status: Callable[..., int] = _bind(
            library, "mcpd_http_status", c_int32, [c_void_p, c_int32, c_char_p, POINTER(c_void_p)]
        )
        self.mcpd_http_feed: Callable[..., int] = _bind(
            library, "mcpd_http_feed", c_int32, [c_void_p, c_char_p, c_size_t, c_void_p, POINTER(c_void_p)]
        )
        self.mcpd_http_verdict: Callable[..., int] = _bind(
            library, "mcpd_http_verdict", c_int32, [c_void_p, POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_http_free: Callable[..., None] = _bind(
            library, "mcpd_http_free", None, [c_void_p]
        )
        self.mcpd_connection_open: Callable[..., int] = _bind(
            library, "mcpd_connection_open", c_int32, [POINTER(mcpd_probe_options), c_void_p, POINTER(c_void_p), POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_probe_descriptors: Callable[..., int] = _bind(
            library, "mcpd_probe_descriptors", c_int32, [POINTER(mcpd_probe_options), c_int32, c_int32, c_void_p, POINTER(c_void_p), POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_connection_close: Callable[..., int] = _bind(
            library, "mcpd_connection_close", c_int32, [c_void_p, c_int64, c_void_p, POINTER(c_void_p)]
        )
        self.mcpd_connection_release: Callable[..., int] = _bind(
            library, "mcpd_connection_release", c_int32, [c_void_p, POINTER(c_void_p)]
        )
        self.mcpd_connection_free: Callable[..., None] = _bind(
            library, "mcpd_connection_free", None, [c_void_p]
        )
        self.mcpd_step_name: Callable[..., bytes] = _bind(
            library, "mcpd_step_name", c_char_p, [c_int32]
        )
        self.mcpd_negotiation_new: Callable[..., int] = _bind(
            library, "mcpd_negotiation_new", c_int32, [POINTER(mcpd_probe_options), POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_negotiation_next: Callable[..., int] = _bind(
            library, "mcpd_negotiation_next", c_int32, [c_void_p, c_int64, POINTER(c_void_p)]
        )
        self.mcpd_negotiation_started: Callable[..., int] = _bind(
            library, "mcpd_negotiation_started", c_int32, [c_void_p, c_int64, POINTER(c_void_p)]
        )
        self.mcpd_negotiation_received: Callable[..., int] = _bind(
            library, "mcpd_negotiation_received", c_int32, [c_void_p, c_char_p, c_size_t, c_int64, POINTER(c_void_p)]
        )
        self.mcpd_negotiation_received_message: Callable[..., int] = _bind(
            library, "mcpd_negotiation_received_message", c_int32, [c_void_p, c_char_p, c_size_t, c_int64, POINTER(c_void_p)]
        )
        self.mcpd_negotiation_closed: Callable[..., int] = _bind(
            library, "mcpd_negotiation_closed", c_int32, [c_void_p, c_int32, c_int64, POINTER(c_void_p)]
        )
        self.mcpd_negotiation_verdict: Callable[..., int] = _bind(
            library, "mcpd_negotiation_verdict", c_int32, [c_void_p, c_int64, POINTER(c_void_p), POINTER(c_void_p)]
        )
        self.mcpd_negotiation_free: Callable[..., None] = _bind(
            library, "mcpd_negotiation_free", None, [c_void_p]
        )


def _bind(library: ctypes.CDLL, name: str, result: Optional[type[Any]], parameters: list[Any]) -> Any:
    function = getattr(library, name)
    function.restype = result
    function.argtypes = parameters
    return function
