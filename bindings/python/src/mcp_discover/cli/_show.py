"""Results as text for people. What comes from a server passes `printable` first."""

import os
from collections.abc import Iterable
from typing import Optional, TextIO

from .. import (
    DiscoverResult,
    Era,
    Implementation,
    InitializeResult,
    Next,
    Process,
    Remark,
    Reply,
    RpcError,
    ServerCapabilities,
    Verdict,
    printable,
)

LABEL = 14
MOST_LINES = 5

_COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
ERA_COLOURS = {Era.MODERN: "green", Era.LEGACY: "yellow", Era.UNKNOWN: "red"}
NEXT_TEXTS = {
    Next.USE_MODERN: "send modern requests",
    Next.INITIALIZE: "send initialize, as the first message of a new process",
    Next.CORRECT_REQUEST: "correct the request as the error says",
    Next.INITIALIZE_OR_SSE: "send initialize, and if that fails try the HTTP+SSE transport",
    Next.AUTHORIZE: "get authorization, then ask again",
    Next.RETRY: "ask again later",
    Next.GIVE_UP: "give up",
}


class Page:
    """Lines of labels and texts; colour only where a terminal shows it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._colours = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def paint(self, text: str, colour: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._colours and text else text

    def title(self, text: str) -> None:
        print(self.paint(text, "bold"), file=self._stream)

    def line(self, label: str, text: Optional[str]) -> None:
        """One line; none if there is nothing to tell. The text has to be safe to print."""
        if text:
            print(f"  {self.paint(label.ljust(LABEL), 'cyan')}{text}", file=self._stream)

    def lines(self, label: str, texts: Iterable[str]) -> None:
        for text in texts:
            self.line(label, text)
            label = ""

    def block(self, label: str, text: Optional[str], last: bool = False) -> None:
        """A text of several lines, the first or the last of them."""
        if not text or not text.strip():
            return
        lines = [printable(line.rstrip("\r")) for line in text.strip().split("\n")]
        more = len(lines) - MOST_LINES
        shown = lines[-MOST_LINES:] if last else lines[:MOST_LINES]
        note = [self.paint(f"({more} more lines)", "dim")] if more > 0 else []
        self.lines(label, note + shown if last else shown + note)


def name_of(server: Optional[Implementation]) -> str:
    """A server's name and version, in one line."""
    if server is None or server.name is None:
        return "a server without a name"
    name = printable(server.name)
    return f"{name} {printable(server.version)}" if server.version else name


def show_verdict(page: Page, verdict: Verdict) -> None:
    page.title(name_of(verdict.server))
    _show_server(page, verdict.server)
    era = page.paint(str(verdict.era), ERA_COLOURS.get(verdict.era, "red"))
    page.line("era", f"{era}, {'the server said so' if verdict.confirmed else 'not confirmed by the server'}")
    next_text = NEXT_TEXTS.get(verdict.next, str(verdict.next))
    page.line("next", f"{next_text}, with {printable(verdict.version)}" if verdict.version else next_text)
    page.line("versions", ", ".join(printable(version) for version in verdict.supported_versions))
    _show_answer(page, verdict.capabilities, verdict.instructions)
    if verdict.ttl_ms is not None:
        scope = verdict.cache_scope or "private"
        page.line("fresh for", f"{verdict.ttl_ms / 1000:g} s, {scope}")
    page.line("why", printable(verdict.summary))
    page.line("asked", f"discover: {verdict.discover_outcome}, initialize: {verdict.initialize_outcome}")
    for label, error in (("discover", verdict.discover_error), ("initialize", verdict.initialize_error)):
        if error is not None:
            page.line("", f"{label} was answered with {_error(error)}")
    page.lines("process", (_process(process) for process in verdict.processes))
    page.line("took", f"{verdict.elapsed:.2f} s")
    _show_remarks(page, verdict.remarks)
    if verdict.era is Era.UNKNOWN:
        for process in verdict.processes:
            page.lines("stdout", (printable(line) for line in process.skipped_sample))
            page.block("stderr", process.stderr_tail, last=True)


def show_reply(page: Page, reply: Reply, era: Era) -> None:
    answer = reply.discover or reply.initialize
    page.title(name_of(answer.server) if answer is not None else f"{reply.kind} reply")
    page.line("reply", str(reply.kind))
    page.line("era", page.paint(str(era), ERA_COLOURS.get(era, "red")))
    if isinstance(answer, DiscoverResult):
        page.line("versions", ", ".join(printable(version) for version in answer.supported_versions))
    if isinstance(answer, InitializeResult):
        page.line("version", printable(answer.protocol_version))
    if answer is not None:
        _show_server(page, answer.server)
        _show_answer(page, answer.capabilities, answer.instructions)
    if reply.discover is not None and reply.discover.ttl_ms is not None:
        page.line("fresh for", f"{reply.discover.ttl_ms / 1000:g} s, {reply.discover.cache_scope}")
    if reply.error is not None:
        page.line("error", _error(reply.error))
    _show_remarks(page, reply.remarks)


def _show_server(page: Page, server: Optional[Implementation]) -> None:
    if server is not None:
        page.block("title", server.title)
        page.block("about", server.description)
        page.block("home page", server.website_url)


def _show_answer(page: Page, capabilities: Optional[ServerCapabilities], instructions: Optional[str]) -> None:
    if capabilities is not None:
        page.line("capabilities", capability_text(capabilities) or "none")
        page.line("extensions", ", ".join(printable(name) for name in capabilities.extensions))
        page.line("experimental", ", ".join(printable(name) for name in capabilities.experimental))
    page.block("instructions", instructions)


def capability_text(capabilities: ServerCapabilities) -> str:
    told: list[str] = []
    for name in capabilities.names():
        notes = [
            words
            for flag, words in ((f"{name}_subscribe", "subscribe"), (f"{name}_list_changed", "tells of changes"))
            if getattr(capabilities, flag, False)
        ]
        told.append(f"{name} ({', '.join(notes)})" if notes else name)
    return ", ".join(told)


def _error(error: RpcError) -> str:
    text = f"error {error.code}"
    if error.message:
        text += f": {printable(error.message[:300])}{'...' if len(error.message) > 300 else ''}"
    if error.required_capabilities is not None:
        text += f" (it requires {', '.join(printable(name) for name in error.required_capabilities)})"
    return text


def end_of(process: Process) -> str:
    """How a process ended."""
    if process.exit_code is not None:
        return f"exit code {process.exit_code}"
    if process.exit_signal is not None:
        return f"ended by signal {process.exit_signal}"
    return "exit unknown"


def _process(process: Process) -> str:
    ended = end_of(process)
    return f"{ended}, {process.shutdown}" if process.shutdown is not None else ended


def _show_remarks(page: Page, remarks: Iterable[Remark]) -> None:
    label = "remarks"
    for remark in remarks:
        page.line(label, f"{page.paint(printable(str(remark.code)), 'yellow')}: {printable(remark.text)}")
        label = ""
