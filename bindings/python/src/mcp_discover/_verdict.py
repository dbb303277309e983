"""The verdict on a server, and its form as JSON."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import cached_property
from typing import Any, Optional, Union

from ._codes import CacheScope, Direction, Era, Method, Next, Outcome, RemarkCode, Shutdown
from ._errors import McpDiscoverError
from ._library import lib
from ._messages import parse_reply
from ._reading import Address, Output, json_value, take_text
from ._record import Record, make
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

__all__ = ["Process", "TranscriptEntry", "Verdict"]

_SCHEMA = 1
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True, repr=False)
class Process(Record):
    """What is known of a process that was started for a probe."""

    #: Its exit code; None if a signal ended it, or if that is not known. Many servers exit with 1 though all is well.
    exit_code: Optional[int] = None
    #: The number of the signal that ended it.
    exit_signal: Optional[int] = None
    #: What it took to end it; None if there was nothing to end.
    shutdown: Optional[Shutdown] = None
    #: Bytes read from its standard output.
    bytes_received: int = 0
    #: Lines on its standard output that were no JSON-RPC messages.
    skipped_lines: int = 0
    #: The first 200 bytes of each of the first 5 such lines.
    skipped_sample: tuple[str, ...] = ()
    #: The end of what it wrote to standard error.
    stderr_tail: str = ""


@dataclass(frozen=True, repr=False)
class TranscriptEntry(Record):
    """What went over a pipe in one piece."""

    #: When, in seconds since the start of the first process.
    at: float
    #: Which process: an index into the verdict's processes.
    process: int
    #: Who said it.
    direction: Direction
    #: What was said; bytes that are not UTF-8 are U+FFFD.
    text: str


@dataclass(frozen=True, repr=False)
class Verdict(Record):
    """What a server is, what to do next, and why."""

    #: How the server is spoken to.
    era: Era
    #: What to do next.
    next: Next
    #: The protocol version to do it with, if `next` is ``use_modern``, ``initialize`` or
    #: ``initialize_or_sse``.
    version: Optional[str] = None
    #: Whether the server said so itself, by a result or by an error that only modern servers have.
    confirmed: bool = False
    #: Whether the verdict may be stored and used for later connections.
    storable: bool = False
    #: Why, in one English sentence. It may quote the server.
    summary: str = ""
    #: Who the server says it is, if it does.
    server: Optional[Implementation] = None
    #: The protocol versions that the server named, in a result or an error.
    supported_versions: tuple[str, ...] = ()
    #: What the server can do, if it says so.
    capabilities: Optional[ServerCapabilities] = None
    #: How to use the server, written for a language model.
    instructions: Optional[str] = None
    #: What came of server/discover.
    discover_outcome: Outcome = Outcome.NOT_ASKED
    #: What came of initialize.
    initialize_outcome: Outcome = Outcome.NOT_ASKED
    #: The result of server/discover.
    discover: Optional[DiscoverResult] = None
    #: The result of initialize.
    initialize: Optional[InitializeResult] = None
    #: The error that answered server/discover. Of several the one that proved the server modern.
    discover_error: Optional[RpcError] = None
    #: The error that answered initialize.
    initialize_error: Optional[RpcError] = None
    #: How long the result stays fresh, in milliseconds after `received_at`.
    ttl_ms: Optional[int] = None
    #: Who may be given the result from a cache; None if the server does not say, which means private.
    cache_scope: Optional[CacheScope] = None
    #: When the last answer that counted arrived.
    received_at: Optional[datetime] = None
    #: Everything odd that the server did.
    remarks: tuple[Remark, ...] = ()
    #: The processes that were started, in order.
    processes: tuple[Process, ...] = ()
    #: From the start of the first process to the end of the last, in seconds.
    elapsed: float = 0.0
    #: From the start of the first process to the last answer that counted, in seconds.
    reply_time: Optional[float] = None
    #: What was said, both ways, as far as the probe was asked for it.
    transcript: tuple[TranscriptEntry, ...] = ()
    #: Whether more was said than the transcript was allowed to hold.
    transcript_truncated: bool = False

    _text: str = field(default="", repr=False, compare=False)

    def __repr__(self) -> str:
        shown = [f"{self.era} {self.next}"]
        if self.version is not None:
            shown.append(f"version={self.version!r}")
        if self.server is not None:
            shown.append(f"server={self.server!r}")
        shown.append(f"confirmed={self.confirmed}")
        if self.remarks:
            shown.append(f"remarks=[{', '.join(str(remark.code) for remark in self.remarks)}]")
        shown.append(f"summary={self.summary!r}")
        return f"<Verdict {' '.join(shown)}>"

    @property
    def starts(self) -> int:
        """How many processes were started."""
        return len(self.processes)

    @cached_property
    def raw(self) -> dict[str, Any]:
        """The JSON form as Python values, with members that this version does not know."""
        value: dict[str, Any] = json_value(self._text)
        return value

    def to_json(self) -> str:
        """The verdict as one line of JSON, for logs and caches; it holds neither arguments nor environment."""
        return self._text

    @classmethod
    def from_json(cls, text: Union[str, bytes]) -> "Verdict":
        """Reads what `to_json` wrote, or any program with this library. Codes and members of later versions are kept.

        :raises ValueError: if the text is not the JSON of a verdict.
        """
        try:
            document = json_value(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"this is no JSON: {error}") from None
        if not isinstance(document, dict) or not isinstance(document.get("schema"), int) or document["schema"] < 1:
            raise ValueError('this is no verdict: expected an object with "schema": 1')
        if not isinstance(document.get("era"), str) or not isinstance(document.get("next"), str):
            raise ValueError('this is no verdict: expected the texts "era" and "next"')
        line = (text if isinstance(text, str) else text.decode("utf-8", "replace")).strip()
        if "\n" in line or "\r" in line:
            line = json.dumps(document, separators=(",", ":"))
        return _verdict(_Members(document), line)


def take_verdict(address: Address) -> Verdict:
    """A verdict of the library's, which is freed."""
    json = Output()
    try:
        status = lib.mcpd_verdict_to_json(address, json.reference, json.error_reference)
    finally:
        lib.mcpd_verdict_free(address)
    if status:
        raise json.failure(status)
    assert json.address.value is not None
    return Verdict.from_json(take_text(json.address.value))


class _Members:
    """The members of an object; what is missing or of another type is absent, for a later version may change it."""

    def __init__(self, value: Any) -> None:
        self._members = value if isinstance(value, dict) else {}

    def text(self, name: str) -> Optional[str]:
        value = self._members.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> Optional[float]:
        value = self._members.get(name)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def integer(self, name: str) -> Optional[int]:
        value = self.number(name)
        return value if isinstance(value, int) else None

    def flag(self, name: str) -> bool:
        return self._members.get(name) is True

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(value for value in self.items(name) if isinstance(value, str))

    def items(self, name: str) -> list[Any]:
        value = self._members.get(name)
        return value if isinstance(value, list) else []

    def object(self, name: str) -> Optional[dict[str, Any]]:
        value = self._members.get(name)
        return value if isinstance(value, dict) else None

    def outcome(self, name: str) -> Outcome:
        value = self.text(name)
        return Outcome.NOT_ASKED if value is None else Outcome(value)

    def milliseconds(self, name: str) -> Optional[float]:
        value = self.number(name)
        return None if value is None else value / 1000


def _verdict(document: _Members, text: str) -> Verdict:
    discover = _answer("discover", document.object("discover"))
    initialize = _answer("initialize", document.object("initialize"))
    answer = (discover and discover.discover) or (initialize and initialize.initialize) or None
    discover_error = _answer("discover", document.object("discoverError"), "error")
    initialize_error = _answer("initialize", document.object("initializeError"), "error")
    scope = document.text("cacheScope")
    timing = _Members(document.object("timing"))
    transcript = _Members(document.object("transcript"))
    entries = (_Members(entry) for entry in transcript.items("entries"))
    return make(
        Verdict,
        {
            "era": Era(document.text("era") or ""),
            "next": Next(document.text("next") or ""),
            "version": document.text("version"),
            "confirmed": document.flag("confirmed"),
            "storable": document.flag("storable"),
            "summary": document.text("summary") or "",
            "server": _server(document.object("server")),
            "supported_versions": document.texts("supportedVersions"),
            "capabilities": answer.capabilities if answer is not None else None,
            "instructions": document.text("instructions"),
            "discover_outcome": document.outcome("discoverOutcome"),
            "initialize_outcome": document.outcome("initializeOutcome"),
            "discover": discover.discover if discover is not None else None,
            "initialize": initialize.initialize if initialize is not None else None,
            "discover_error": discover_error.error if discover_error is not None else None,
            "initialize_error": initialize_error.error if initialize_error is not None else None,
            "ttl_ms": document.integer("ttlMs"),
            "cache_scope": CacheScope(scope) if scope is not None else None,
            "received_at": _time(document.integer("receivedAt")),
            "remarks": tuple(_remark(_Members(remark)) for remark in document.items("remarks")),
            "processes": tuple(_process(_Members(process)) for process in document.items("processes")),
            "elapsed": timing.milliseconds("elapsedMs") or 0.0,
            "reply_time": timing.milliseconds("replyMs"),
            "transcript": tuple(
                TranscriptEntry(
                    at=entry.milliseconds("atMs") or 0.0,
                    process=entry.integer("process") or 0,
                    direction=Direction(entry.text("direction") or ""),
                    text=entry.text("text") or "",
                )
                for entry in entries
            ),
            "transcript_truncated": transcript.flag("truncated"),
            "_text": text,
        },
    )


def _answer(method: str, value: Optional[dict[str, Any]], member: str = "result") -> Optional[Reply]:
    """A result or error that the verdict keeps, read as the library reads a reply."""
    if value is None:
        return None
    message = json.dumps({"jsonrpc": "2.0", "id": 0, member: value})
    try:
        return parse_reply(message, method=Method(method))
    except McpDiscoverError:
        return None


def _server(value: Optional[dict[str, Any]]) -> Optional[Implementation]:
    if value is None:
        return None
    server = _Members(value)
    icons = [_Members(icon) for icon in server.items("icons")]
    return Implementation(
        name=server.text("name"),
        version=server.text("version"),
        title=server.text("title"),
        description=server.text("description"),
        website_url=server.text("websiteUrl"),
        icons=tuple(
            Icon(
                src=icon.text("src") or "",
                mime_type=icon.text("mimeType"),
                sizes=icon.texts("sizes"),
                theme=icon.text("theme"),
            )
            for icon in icons
        ),
    )


def _remark(remark: _Members) -> Remark:
    return Remark(code=RemarkCode(remark.text("code") or ""), text=remark.text("text") or "")


def _process(process: _Members) -> Process:
    ended = _Members(process.object("exit"))
    shutdown = process.text("shutdown")
    return Process(
        exit_code=ended.integer("code"),
        exit_signal=ended.integer("signal"),
        shutdown=Shutdown(shutdown) if shutdown is not None else None,
        bytes_received=process.integer("bytesReceived") or 0,
        skipped_lines=process.integer("skippedLines") or 0,
        skipped_sample=process.texts("skippedSample"),
        stderr_tail=process.text("stderrTail") or "",
    )


def _time(milliseconds: Optional[int]) -> Optional[datetime]:
    if milliseconds is None:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
