"""The verdict on a server, and its form as JSON."""

import json
from dataclasses import dataclass, field
from dataclasses import fields as fields_of
from datetime import datetime, timedelta, timezone
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _abi
from ._codes import CacheScope, Direction, Era, Method, Next, Outcome, RemarkCode, ReplyKind, Shutdown
from ._library import lib
from ._options import message
from ._reading import Address, Output, json_value, read, take_text, text_at
from ._record import Record, make
from ._reply import parse_reply
from ._results import (
    DiscoverResult,
    Implementation,
    InitializeResult,
    Remark,
    Reply,
    RpcError,
    ServerCapabilities,
)

__all__ = ["Process", "TranscriptEntry", "Verdict"]

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

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """A field that was not read yet."""
            if name not in _LATER:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            fields = vars(self)
            for field_name, value in _later(json_value(self._text)).items():
                # Another thread may have been sooner.
                fields.setdefault(field_name, value)
            return fields[name]

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

        A verdict whose `era` or `next` this version does not know is not `storable`: ask the server again.

        :raises InvalidArgument: if the text is not the JSON of a verdict; it is a ValueError.
        """
        data = message(text, "json")
        output = Output()
        status = lib.mcpd_verdict_from_json(data, len(data), output.reference, output.error_reference)
        if status:
            raise output.failure(status)
        try:
            return _read_whole(output.address.value or 0)
        finally:
            lib.mcpd_verdict_free(output.address)

    def is_fresh(self, now: Optional[datetime] = None) -> bool:
        """Whether what the server said in its DiscoverResult is still fresh: its capabilities, its instructions.

        It is until `ttl_ms` have passed since `received_at`. Without either it is not, and neither if it is from the
        future, which means that the clock was set back. How to speak to the server can be known for longer: see
        `storable`.

        :param now: a time with its time zone. Default: now.
        """
        if self.received_at is None or self.ttl_ms is None:
            return False
        age = (now or datetime.now(timezone.utc)) - self.received_at
        return 0 <= age / timedelta(milliseconds=1) < self.ttl_ms


# What a program goes on with is read at once, and the rest when it is asked for: the class has no defaults for that.
_LATER = {field.name for field in fields_of(Verdict)} - {
    *("era", "next", "version", "confirmed", "storable", "summary", "_text")
}
for _name in _LATER:
    delattr(Verdict, _name)


def give_verdict(verdict: Verdict) -> Output:
    """A verdict as the library has it, to be freed."""
    data = verdict.to_json().encode()
    output = Output()
    status = lib.mcpd_verdict_from_json(data, len(data), output.reference, output.error_reference)
    if status:
        raise output.failure(status)
    return output


def take_verdict(output: Output) -> Verdict:
    """A verdict of the library, which is freed."""
    try:
        return read_verdict(output.address.value or 0)
    finally:
        lib.mcpd_verdict_free(output.address)


def read_verdict(address: Address) -> Verdict:
    """A verdict of the library, which stays."""
    numbers = read(_abi.mcpd_verdict, _abi.mcpd_verdict_format, address)
    _, era, following, version, version_length, confirmed, storable, _, _, summary, summary_length, *_ = numbers
    if era not in _ERAS or following not in _STEPS:
        return _read_whole(address)
    fields = {
        "era": _ERAS[era],
        "next": _STEPS[following],
        "version": text_at(version, version_length),
        "confirmed": confirmed == 1,
        "storable": storable == 1,
        "summary": text_at(summary, summary_length) or "",
        "_text": _text_of(address).decode(),
    }
    return make(Verdict, fields)


# By their numbers; those of later versions are known by their names alone.
_ERAS = {era.code: era for era in Era}
_STEPS = {step.code: step for step in Next}


def _read_whole(address: Address) -> Verdict:
    """A verdict by its JSON, in which the names of later versions are kept."""
    text = _text_of(address)
    document = json_value(text)
    fields = {
        "era": Era(document["era"]),
        "next": Next(document["next"]),
        "version": document.get("version"),
        "confirmed": document.get("confirmed") is True,
        "storable": _abi.mcpd_verdict.from_address(address).storable == 1,
        "summary": document.get("summary") or "",
        **_later(document),
        "_text": text.decode(),
    }
    return make(Verdict, fields)


def _text_of(address: Address) -> bytes:
    written = Output()
    status = lib.mcpd_verdict_to_json(address, written.reference, written.error_reference)
    if status:
        raise written.failure(status)
    assert written.address.value is not None
    return take_text(written.address.value)


def _later(document: dict[str, Any]) -> dict[str, Any]:
    """The rest of a verdict, from its JSON, in which the library has checked the types."""
    discover = _answer("discover", "result", document.get("discover")).discover
    initialize = _answer("initialize", "result", document.get("initialize")).initialize
    discover_error = _answer("discover", "error", document.get("discoverError")).error
    initialize_error = _answer("initialize", "error", document.get("initializeError")).error
    answer = discover or initialize
    named = [who.supported for who in (discover_error, initialize_error) if who is not None and who.supported]
    timing = document.get("timing") or {}
    transcript = document.get("transcript") or {}
    return {
        "server": answer.server if answer is not None else None,
        "supported_versions": discover.supported_versions if discover is not None else (*named, ())[0],
        "capabilities": answer.capabilities if answer is not None else None,
        "instructions": answer.instructions if answer is not None else None,
        "discover_outcome": Outcome(document.get("discoverOutcome") or Outcome.NOT_ASKED),
        "initialize_outcome": Outcome(document.get("initializeOutcome") or Outcome.NOT_ASKED),
        "discover": discover,
        "initialize": initialize,
        "discover_error": discover_error,
        "initialize_error": initialize_error,
        "ttl_ms": discover.ttl_ms if discover is not None else None,
        "cache_scope": discover.cache_scope if discover is not None and discover.has_cache_scope else None,
        "received_at": _time(document.get("receivedAt")),
        "remarks": tuple(
            Remark(code=RemarkCode(remark.get("code") or ""), text=remark.get("text") or "")
            for remark in document.get("remarks") or ()
        ),
        "processes": tuple(_process(process) for process in document.get("processes") or ()),
        "elapsed": _seconds(timing.get("elapsedMs")) or 0.0,
        "reply_time": _seconds(timing.get("replyMs")),
        "transcript": tuple(
            TranscriptEntry(
                at=_seconds(entry.get("atMs")) or 0.0,
                process=entry.get("process") or 0,
                direction=Direction(entry.get("direction") or ""),
                text=entry.get("text") or "",
            )
            for entry in transcript.get("entries") or ()
        ),
        "transcript_truncated": transcript.get("truncated") is True,
    }


def _answer(method: str, member: str, value: Optional[dict[str, Any]]) -> Reply:
    """A result or error that the verdict keeps, read as the library reads a reply; an empty reply for none."""
    if value is None:
        return Reply(ReplyKind.UNRELATED)
    return parse_reply(json.dumps({"jsonrpc": "2.0", "id": 0, member: value}), method=Method(method))


def _process(process: dict[str, Any]) -> Process:
    ended = process.get("exit") or {}
    shutdown = process.get("shutdown")
    return Process(
        exit_code=ended.get("code"),
        exit_signal=ended.get("signal"),
        shutdown=None if shutdown is None else Shutdown(shutdown),
        bytes_received=process.get("bytesReceived") or 0,
        skipped_lines=process.get("skippedLines") or 0,
        skipped_sample=tuple(process.get("skippedSample") or ()),
        stderr_tail=process.get("stderrTail") or "",
    )


def _seconds(milliseconds: Optional[float]) -> Optional[float]:
    return None if milliseconds is None else milliseconds / 1000


def _time(milliseconds: Optional[int]) -> Optional[datetime]:
    if milliseconds is None:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
