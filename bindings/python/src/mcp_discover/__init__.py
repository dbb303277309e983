"""Tells which MCP server you are talking to.

>>> import mcp_discover
>>> mcp_discover.probe(["my-server", "--verbose"])
<Verdict modern use_modern version='2026-07-28' server=Implementation(name='my-server', version='1.0') ...>

`probe` starts a server, asks it, ends it, and gives a `Verdict`; `aio.probe` does so from asyncio, and `scan` with many
servers at once. `discover_http` asks a server over HTTP, with an HTTP client of yours, and a `Negotiation` over any
other transport. `build_request` and `parse_reply` are the request and the answer by themselves.
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
    Step,
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
from ._negotiation import Negotiation
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
from ._scan import Scan, Server, scan
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
    "Negotiation",
    "Next",
    "Outcome",
    "PermissionDenied",
    "Process",
    "Remark",
    "RemarkCode",
    "Reply",
    "ReplyKind",
    "RpcError",
    "Scan",
    "Server",
    "ServerCapabilities",
    "Shutdown",
    "StartFailed",
    "Status",
    "StderrMode",
    "Step",
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
    "scan",
    "select_version",
]
