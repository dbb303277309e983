"""Tells which MCP server you are talking to.

>>> import mcp_discover
>>> mcp_discover.probe(["my-server", "--verbose"])
<Verdict modern use_modern version='2026-07-28' server=Implementation(name='my-server', version='1.0') ...>

`probe` starts a server, asks it, ends it, and gives a `Verdict`; `aio.probe` does so from asyncio. `discover_http` asks
a server over HTTP, with an HTTP client of yours. `build_request` and `parse_reply` are the two halves of that for
programs with a transport of their own.
"""

from . import aio
from ._abi import VERSION as __version__
from ._cancel import Cancel
from ._codes import (
    CacheScope,
    Direction,
    EnvMode,
    Era,
    Fallback,
    Method,
    Next,
    Outcome,
    RemarkCode,
    ReplyKind,
    Shutdown,
    Status,
    StderrMode,
)
from ._errors import (
    Cancelled,
    CommandNotFound,
    InvalidArgument,
    InvalidReply,
    McpDiscoverError,
    PermissionDenied,
    StartFailed,
)
from ._http import HttpExchange, HttpRequest, discover_http
from ._messages import (
    LEGACY_VERSIONS,
    MODERN_VERSIONS,
    build_request,
    era_of,
    library_version,
    printable,
    select_version,
)
from ._probe import probe
from ._reply import parse_reply
from ._results import (
    DiscoverResult,
    Icon,
    Implementation,
    InitializeResult,
    Remark,
    Reply,
    RpcError,
    ServerCapabilities,
)
from ._verdict import Process, TranscriptEntry, Verdict

__all__ = [
    "LEGACY_VERSIONS",
    "MODERN_VERSIONS",
    "CacheScope",
    "Cancel",
    "Cancelled",
    "CommandNotFound",
    "Direction",
    "DiscoverResult",
    "EnvMode",
    "Era",
    "Fallback",
    "HttpExchange",
    "HttpRequest",
    "Icon",
    "Implementation",
    "InitializeResult",
    "InvalidArgument",
    "InvalidReply",
    "McpDiscoverError",
    "Method",
    "Next",
    "Outcome",
    "PermissionDenied",
    "Process",
    "Remark",
    "RemarkCode",
    "Reply",
    "ReplyKind",
    "RpcError",
    "ServerCapabilities",
    "Shutdown",
    "StartFailed",
    "Status",
    "StderrMode",
    "TranscriptEntry",
    "Verdict",
    "__version__",
    "aio",
    "build_request",
    "discover_http",
    "era_of",
    "library_version",
    "parse_reply",
    "printable",
    "probe",
    "select_version",
]
