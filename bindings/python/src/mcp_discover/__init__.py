"""Tells which MCP server you are talking to.

>>> import mcp_discover
>>> mcp_discover.probe(["my-server", "--verbose"])
<Verdict modern use_modern version='2026-07-28' server=Implementation(name='my-server', version='1.0') ...>

`probe` starts a server, asks it, ends it, and gives a `Verdict`; `aio.probe` does so from asyncio, and `scan` with many
servers at once. `open_connection` keeps the server running. `discover_http` asks a server over HTTP, with an HTTP
client of yours, and a `Negotiation` over any other transport. `build_request` and `parse_reply` are the request and the
answer by themselves.
"""

from importlib import import_module

from . import _library as _library
from ._abi import VERSION as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import aio
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
    from ._connection import Connection, NoConnection, open_connection, open_descriptors, probe_descriptors
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
    "Connection",
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
    "NoConnection",
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
    "open_connection",
    "open_descriptors",
    "parse_reply",
    "printable",
    "probe",
    "probe_descriptors",
    "scan",
    "select_version",
]

# Where the names are. To load all of them takes several times as long as to start Python, and no program needs all; so
# a module is loaded when one of its names is used. The library is loaded at once, so that an import tells of faults.
_HOMES = {
    "_cancel": ["Cancel"],
    "_codes": [
        "CacheScope",
        "Direction",
        "EnvMode",
        "Era",
        "Fallback",
        "Method",
        "Next",
        "Outcome",
        "RemarkCode",
        "ReplyKind",
        "Shutdown",
        "Status",
        "StderrMode",
        "Step",
    ],
    "_connection": ["Connection", "NoConnection", "open_connection", "open_descriptors", "probe_descriptors"],
    "_errors": [
        "Cancelled",
        "CommandNotFound",
        "InvalidArgument",
        "InvalidReply",
        "McpDiscoverError",
        "PermissionDenied",
        "StartFailed",
    ],
    "_http": ["HttpExchange", "HttpRequest", "discover_http"],
    "_messages": [
        "LEGACY_VERSIONS",
        "MODERN_VERSIONS",
        "build_request",
        "era_of",
        "library_version",
        "printable",
        "select_version",
    ],
    "_negotiation": ["Negotiation"],
    "_probe": ["probe"],
    "_reply": ["parse_reply"],
    "_results": [
        "DiscoverResult",
        "Icon",
        "Implementation",
        "InitializeResult",
        "Remark",
        "Reply",
        "RpcError",
        "ServerCapabilities",
    ],
    "_scan": ["Scan", "Server", "scan"],
    "_verdict": ["Process", "TranscriptEntry", "Verdict"],
}
_home_of = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:

    def __getattr__(name):
        if name == "aio":
            return import_module(".aio", __name__)
        if name not in _home_of:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{_home_of[name]}", __name__), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
