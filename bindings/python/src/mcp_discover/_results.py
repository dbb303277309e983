"""What servers say, as frozen results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Optional

from ._codes import CacheScope, RemarkCode, ReplyKind
from ._reading import json_value
from ._record import Record

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


class _Raw:
    """The JSON behind a result, read when it is asked for."""

    #: The data in which the message stands, where it begins there, and how long it is; behind that its value, once
    #: somebody asked for it. All results of a message share it. There is none behind what a program makes.
    _source: list[Any] = [b"{}", 0, 2, None]  # noqa: RUF012
    #: Where in the message the result is.
    _place: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def raw(self) -> dict[str, Any]:
        """The whole object as the server sent it, with what this package does not know."""
        source = self._source
        if len(source) == 3:
            source.append(json_value(_message(source)))
        value = source[3]
        if isinstance(value, list):
            # A message that came inside of an array counts too.
            first = self._place[:1]
            value = next((item for item in value if isinstance(item, dict) and {*first} <= item.keys()), {})
        for name in self._place:
            value = value.get(name) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}


def _message(source: list[Any]) -> bytes:
    data, start, length = source[:3]
    message: bytes = data[start : start + length]
    return message


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

    _place: ClassVar[tuple[str, ...]] = ("result", "capabilities")

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

    _place: ClassVar[tuple[str, ...]] = ("result",)


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

    _place: ClassVar[tuple[str, ...]] = ("result",)


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

    _place: ClassVar[tuple[str, ...]] = ("error",)


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
        return _message(self._source).decode()
