"""What servers say, as frozen results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Optional

from . import _abi
from ._codes import CacheScope, RemarkCode, ReplyKind
from ._reading import (
    Address,
    addresses_at,
    bytes_at,
    json_value,
    members_at,
    reader,
    text,
    text_at,
    texts_at,
)
from ._record import Record, make

__all__ = [
    "DiscoverResult",
    "Icon",
    "Implementation",
    "InitializeResult",
    "Remark",
    "Reply",
    "RpcError",
    "ServerCapabilities",
]


@dataclass(frozen=True, repr=False)
class Icon(Record):
    """An icon of a program (`Icon` in the schema). A server's address is to be fetched with care, or not at all."""

    #: Where it is: a URI, which may be a data: URI.
    src: str
    #: Its MIME type, such as ``"image/png"``.
    mime_type: Optional[str] = None
    #: Its sizes, such as ``"48x48"`` or ``"any"``.
    sizes: tuple[str, ...] = ()
    #: The theme it is for, ``"light"`` or ``"dark"``.
    theme: Optional[str] = None


@dataclass(frozen=True, repr=False)
class Implementation(Record):
    """A program's name and version (`Implementation` in the schema): who a server says it is, or the client that asks.

    Nobody has checked what a server says here: it is for display, logs and debugging, never for a decision. Any of
    it may be absent, and may hold control characters: pass it through `printable` before a terminal sees it.
    """

    #: The program's name.
    name: Optional[str] = None
    #: The program's own version, not the protocol's.
    version: Optional[str] = None
    #: A name for people.
    title: Optional[str] = None
    #: What the program does.
    description: Optional[str] = None
    #: The program's home page.
    website_url: Optional[str] = None
    #: Its icons.
    icons: tuple[Icon, ...] = ()


class Source:
    """The JSON of a message, which all results that are read from it share; it is parsed when it is asked for."""

    __slots__ = ("_value", "text")

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._value: Any = None

    def value(self) -> Any:
        if self._value is None:
            self._value = json_value(self.text)
        return self._value

    def __reduce__(self) -> tuple[Any, ...]:
        return Source, (self.text,)


class _Raw:
    """The JSON behind a result, read when it is asked for."""

    _source: Source = Source(b"{}")
    #: Where in the message the result is.
    _place: tuple[str, ...] = ()

    @cached_property
    def raw(self) -> dict[str, Any]:
        """The whole object as the server sent it, with what this package does not know."""
        value = self._source.value()
        if isinstance(value, list):
            # A message that came inside of an array counts too.
            first = self._place[:1]
            value = next((item for item in value if isinstance(item, dict) and {*first} <= item.keys()), {})
        for name in self._place:
            value = value.get(name) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}


class _Meta(_Raw):
    """The `_meta` of a result, read when it is asked for."""

    @cached_property
    def meta(self) -> Optional[dict[str, Any]]:
        """The result's _meta, if it has one."""
        value = self.raw.get("_meta")
        return value if isinstance(value, dict) else None


@dataclass(frozen=True, repr=False)
class ServerCapabilities(Record, _Raw):
    """What a server can do (`ServerCapabilities` in the schema)."""

    #: It offers tools.
    tools: bool = False
    #: It tells when its list of tools changes.
    tools_list_changed: bool = False
    #: It offers resources.
    resources: bool = False
    #: It tells when a resource changes, to those who subscribe.
    resources_subscribe: bool = False
    #: It tells when its list of resources changes.
    resources_list_changed: bool = False
    #: It offers prompts.
    prompts: bool = False
    #: It tells when its list of prompts changes.
    prompts_list_changed: bool = False
    #: It completes arguments.
    completions: bool = False
    #: It sends log messages.
    logging: bool = False
    #: Extensions it supports, by identifier, with their settings.
    extensions: Mapping[str, Any] = field(default_factory=dict)
    #: What it can do outside of the standard, by name.
    experimental: Mapping[str, Any] = field(default_factory=dict)

    def names(self) -> tuple[str, ...]:
        """What the server offers, by name: ``("tools", "resources")``."""
        told = ("tools", "resources", "prompts", "completions", "logging")
        return tuple(name for name in told if getattr(self, name))


@dataclass(frozen=True, repr=False)
class DiscoverResult(Record, _Meta):
    """The answer to server/discover (`DiscoverResult` in the schema). Only `supported_versions` is sure to be there."""

    #: The protocol versions that the server speaks, in its order, which says nothing about its preference.
    supported_versions: tuple[str, ...]
    #: What the server can do, if it says so.
    capabilities: Optional[ServerCapabilities] = None
    #: Who the server says it is, if it does.
    server: Optional[Implementation] = None
    #: How to use the server, written for a language model.
    instructions: Optional[str] = None
    #: How long the result stays fresh, in milliseconds from its arrival; None if the server does not say.
    ttl_ms: Optional[int] = None
    #: Who may be given the result from a cache: private where the server does not say.
    cache_scope: CacheScope = CacheScope.PRIVATE
    #: Whether the server gave a cacheScope.
    has_cache_scope: bool = False
    #: ``"complete"``, or absent, which means the same.
    result_type: Optional[str] = None


@dataclass(frozen=True, repr=False)
class InitializeResult(Record, _Meta):
    """The answer to the legacy initialize (`InitializeResult` in the schema). Only `protocol_version` is sure."""

    #: The protocol version that the server chose; it may be another than the one asked for.
    protocol_version: str
    #: What the server can do, if it says so.
    capabilities: Optional[ServerCapabilities] = None
    #: Who the server says it is, if it does.
    server: Optional[Implementation] = None
    #: How to use the server, written for a language model.
    instructions: Optional[str] = None


@dataclass(frozen=True, repr=False)
class RpcError(Record, _Raw):
    """A JSON-RPC error (`Error` in the schema), whatever it lacks."""

    #: The code; 0 if there is no integer code.
    code: int
    #: The message.
    message: Optional[str] = None
    #: The data, of whatever type.
    data: Any = None
    #: With -32022: the protocol versions that the server speaks.
    supported: tuple[str, ...] = ()
    #: With -32022: the version that was asked for.
    requested: Optional[str] = None
    #: With -32021: the client capabilities to declare.
    required_capabilities: Optional[Mapping[str, Any]] = None


@dataclass(frozen=True, repr=False)
class Remark(Record):
    """Something odd that the server did, told so that its author can mend it. Remarks never change a verdict."""

    #: What it is about.
    code: RemarkCode
    #: One English sentence. It may quote the server.
    text: str


@dataclass(frozen=True, repr=False)
class Reply(Record, _Raw):
    """A message from a server, read. `kind` tells which of the other fields is there."""

    #: What the message is.
    kind: ReplyKind
    #: The result, if `kind` is ``ReplyKind.DISCOVER``.
    discover: Optional[DiscoverResult] = None
    #: The result, if `kind` is ``ReplyKind.INITIALIZE``.
    initialize: Optional[InitializeResult] = None
    #: The error, if `kind` is ``ReplyKind.RPC_ERROR``.
    error: Optional[RpcError] = None
    #: Everything odd about the message.
    remarks: tuple[Remark, ...] = ()

    @cached_property
    def json(self) -> str:
        """The whole message as JSON."""
        return self._source.text.decode()


_icon = reader(_abi.mcpd_icon, _abi.mcpd_icon_format)
_implementation = reader(_abi.mcpd_implementation, _abi.mcpd_implementation_format)
_capabilities = reader(_abi.mcpd_server_capabilities, _abi.mcpd_server_capabilities_format)
_discover = reader(_abi.mcpd_discover_result, _abi.mcpd_discover_result_format)
_initialize = reader(_abi.mcpd_initialize_result, _abi.mcpd_initialize_result_format)
_rpc_error = reader(_abi.mcpd_rpc_error, _abi.mcpd_rpc_error_format)
_remark = reader(_abi.mcpd_remark, _abi.mcpd_remark_format)
_reply = reader(_abi.mcpd_reply, _abi.mcpd_reply_format)

_RESULT, _ERROR, _IN_RESULT = ("result",), ("error",), ("result", "capabilities")

_scope: dict[int, CacheScope] = {scope.code: scope for scope in CacheScope}
_kind: dict[int, ReplyKind] = {kind.code: kind for kind in ReplyKind}
_remark_code: dict[int, RemarkCode] = {code.code: code for code in RemarkCode}


def _icon_at(address: Address) -> Icon:
    view, (_, src, src_n, mime, mime_n, sizes, sizes_n, theme, theme_n) = _icon(address)
    return make(
        Icon,
        {
            "src": text_at(src, src_n),
            "mime_type": text(view.mime_type, mime, mime_n),
            "sizes": texts_at(sizes, sizes_n),
            "theme": text(view.theme, theme, theme_n),
        },
    )


def _implementation_at(address: Address) -> Optional[Implementation]:
    if not address:
        return None
    view, numbers = _implementation(address)
    _, name, name_n, version, version_n, title, title_n, about, about_n, url, url_n, icons, icons_n = numbers
    return make(
        Implementation,
        {
            "name": text(view.name, name, name_n),
            "version": text(view.version, version, version_n),
            "title": text(view.title, title, title_n) if title else None,
            "description": text(view.description, about, about_n) if about else None,
            "website_url": text(view.website_url, url, url_n) if url else None,
            "icons": tuple([_icon_at(icon) for icon in addresses_at(icons, icons_n)]) if icons_n else (),
        },
    )


def _capabilities_at(address: Address, source: Source) -> Optional[ServerCapabilities]:
    if not address:
        return None
    _, numbers = _capabilities(address)
    (
        _,
        tools,
        tools_list_changed,
        resources,
        resources_subscribe,
        resources_list_changed,
        prompts,
        prompts_list_changed,
        completions,
        logging,
        _,
        extensions,
        extensions_n,
        experimental,
        experimental_n,
        *_,
    ) = numbers
    return make(
        ServerCapabilities,
        {
            "tools": tools == 1,
            "tools_list_changed": tools_list_changed == 1,
            "resources": resources == 1,
            "resources_subscribe": resources_subscribe == 1,
            "resources_list_changed": resources_list_changed == 1,
            "prompts": prompts == 1,
            "prompts_list_changed": prompts_list_changed == 1,
            "completions": completions == 1,
            "logging": logging == 1,
            "extensions": members_at(extensions, extensions_n) if extensions_n else {},
            "experimental": members_at(experimental, experimental_n) if experimental_n else {},
            "_source": source,
            "_place": _IN_RESULT,
        },
    )


def _discover_at(address: Address, source: Source) -> Optional[DiscoverResult]:
    if not address:
        return None
    view, numbers = _discover(address)
    (
        _,
        kind,
        kind_n,
        versions,
        versions_n,
        capabilities,
        server,
        instructions,
        instructions_n,
        ttl,
        has_ttl,
        scope,
        has_scope,
        *_,
    ) = numbers
    return make(
        DiscoverResult,
        {
            "supported_versions": texts_at(versions, versions_n),
            "capabilities": _capabilities_at(capabilities, source),
            "server": _implementation_at(server),
            "instructions": text(view.instructions, instructions, instructions_n),
            "ttl_ms": ttl if has_ttl else None,
            "cache_scope": _scope.get(scope) or CacheScope.of(scope),
            "has_cache_scope": has_scope == 1,
            "result_type": text(view.result_type, kind, kind_n),
            "_source": source,
            "_place": _RESULT,
        },
    )


def _initialize_at(address: Address, source: Source) -> Optional[InitializeResult]:
    if not address:
        return None
    view, (_, version, version_n, capabilities, server, instructions, instructions_n, *_) = _initialize(address)
    return make(
        InitializeResult,
        {
            "protocol_version": text_at(version, version_n),
            "capabilities": _capabilities_at(capabilities, source),
            "server": _implementation_at(server),
            "instructions": text(view.instructions, instructions, instructions_n),
            "_source": source,
            "_place": _RESULT,
        },
    )


def _rpc_error_at(address: Address, source: Source) -> Optional[RpcError]:
    if not address:
        return None
    view, numbers = _rpc_error(address)
    _, code, message, message_n, data, data_n, supported, supported_n, asked, asked_n, needed, needed_n, *_ = numbers
    return make(
        RpcError,
        {
            "code": code,
            "message": text(view.message, message, message_n),
            "data": json_value(bytes_at(data, data_n)) if data else None,
            "supported": texts_at(supported, supported_n),
            "requested": text(view.requested, asked, asked_n),
            "required_capabilities": json_value(bytes_at(needed, needed_n)) if needed else None,
            "_source": source,
            "_place": _ERROR,
        },
    )


def _remark_at(address: Address) -> Remark:
    _, (_, code, _, words, words_n) = _remark(address)
    return make(Remark, {"code": _remark_code.get(code) or RemarkCode.of(code), "text": text_at(words, words_n)})


def reply_at(address: Address) -> Reply:
    """Reads a reply of the library, all of it."""
    _, (_, kind, _, discover, initialize, error, json, json_n, remarks, remarks_n) = _reply(address)
    source = Source(bytes_at(json, json_n))
    return make(
        Reply,
        {
            "kind": _kind.get(kind) or ReplyKind.of(kind),
            "discover": _discover_at(discover, source) if discover else None,
            "initialize": _initialize_at(initialize, source) if initialize else None,
            "error": _rpc_error_at(error, source) if error else None,
            "remarks": tuple([_remark_at(remark) for remark in addresses_at(remarks, remarks_n)]) if remarks_n else (),
            "_source": source,
        },
    )
