"""Negotiating over a transport of the program's own."""

import ctypes
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Callable, Optional, Union

from . import _abi
from ._codes import Fallback, Outcome, Step
from ._errors import invalid
from ._library import lib
from ._options import message as message_of
from ._options import octets, set_negotiation
from ._owner import Owner
from ._reading import Output, take_error
from ._results import Implementation
from ._verdict import Verdict, take_verdict

__all__ = ["Negotiation"]

Data = Union[bytes, bytearray, memoryview]
_ENDS = (Outcome.STDOUT_CLOSED, Outcome.EXIT)


class Negotiation(Owner):
    """A negotiation with a server over SSH, a WebSocket, a socket, or in a test: it does no I/O, and starts nothing.

    `next` says what to do; do it, tell what came of it, and ask again, until there is the verdict that `probe` would
    have given:

    ======== ======================================================================================================
    step     what to do
    ======== ======================================================================================================
    start    start a server, or connect to one that has seen nothing yet; then `started`
    send     send `line` over a stream, or `message` over a transport that keeps messages apart
    wait     wait for at most `timeout` seconds; then `received`, `received_message` or `closed`, if anything happened
    close    close the side that sends; pass on what still comes; then `closed`
    finish   take the `verdict`
    ======== ======================================================================================================

    Pass on what has come before `next` is called again: what the negotiation does not know it takes for silence once
    a deadline has passed. Use it from one thread at a time. Calls out of order raise `InvalidArgument`.

    The arguments are those of `probe`; `clock` gives seconds that never jump.
    """

    def __init__(
        self,
        *,
        timeout: Optional[float] = None,
        discover_timeout: Optional[float] = None,
        prefer: Optional[Sequence[str]] = None,
        modern_versions: Optional[Sequence[str]] = None,
        legacy_versions: Optional[Sequence[str]] = None,
        fallback: Union[Fallback, str] = Fallback.INITIALIZE,
        max_starts: Optional[int] = None,
        client: Optional[Implementation] = None,
        client_capabilities: Optional[Mapping[str, Any]] = None,
        max_line_bytes: Optional[int] = None,
        max_transcript_bytes: Optional[int] = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        options = _abi.mcpd_probe_options(struct_size=ctypes.sizeof(_abi.mcpd_probe_options))
        set_negotiation(
            options,
            timeout=timeout,
            discover_timeout=discover_timeout,
            prefer=prefer,
            modern_versions=modern_versions,
            legacy_versions=legacy_versions,
            fallback=fallback,
            max_starts=max_starts,
            client=client,
            client_capabilities=client_capabilities,
            max_line_bytes=max_line_bytes,
            max_transcript_bytes=max_transcript_bytes,
        )
        self._clock = clock
        output = Output()
        status = lib.mcpd_negotiation_new(options, output.reference, output.error_reference)
        if status:
            raise output.failure(status)
        self._address = output.address.value

    def next(self) -> Step:
        """What to do now. After ``send`` it means that the line was sent."""
        self._call(lib.mcpd_negotiation_next, self._now())
        return self.step

    @property
    def step(self) -> Step:
        """What `next` said last."""
        return Step.of(self._fields().step)

    @property
    def line(self) -> bytes:
        """With ``send``: the message, with the line feed that ends it on a stream; else nothing."""
        line = self._fields().line
        return ctypes.string_at(line.ptr, line.len) if line.len else b""

    @property
    def message(self) -> bytes:
        """With ``send``: the message, for a transport that keeps messages apart; else nothing."""
        return self.line[:-1]

    @property
    def timeout(self) -> float:
        """With ``wait``: for how many seconds at most; else 0."""
        deadline = self._fields().deadline_ms
        return max(0.0, deadline / 1000 - self._clock()) if deadline else 0.0

    def started(self) -> None:
        """A server has been started, or connected to, that has seen nothing yet."""
        self._call(lib.mcpd_negotiation_started, self._now())

    def received(self, data: Data) -> None:
        """This has come from the server over a stream, cut anywhere."""
        data = octets(data, "data")
        self._call(lib.mcpd_negotiation_received, data, len(data), self._now())

    def received_message(self, message: Union[Data, str]) -> None:
        """This whole message has come from the server; it need not be one line."""
        data = message_of(message, "message")
        self._call(lib.mcpd_negotiation_received_message, data, len(data), self._now())

    def closed(self, how: Union[Outcome, str] = Outcome.STDOUT_CLOSED) -> None:
        """The server will say no more: it has ended, or the connection is closed or broken.

        :param how: ``"exit"`` if the server's process is known to have exited; it counts for the verdict's words.
        """
        if how not in _ENDS:
            raise invalid("how", f"is {how!r}; expected one of {', '.join(_ENDS)}")
        self._call(lib.mcpd_negotiation_closed, Outcome(how).code, self._now())

    def verdict(self) -> Verdict:
        """The verdict; before ``finish`` that on a server that has not answered in time. Ends the negotiation."""
        output = Output()
        status = lib.mcpd_negotiation_verdict(
            self._fields_address(), int(time.time() * 1000), output.reference, output.error_reference
        )
        if status:
            raise output.failure(status)
        self.close()
        return take_verdict(output)

    def close(self) -> None:
        """Frees the negotiation, at any step; `verdict` does so too."""
        self._library.mcpd_negotiation_free(self._give_up())

    def __enter__(self) -> "Negotiation":
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _now(self) -> int:
        return int(self._clock() * 1000)

    def _fields_address(self) -> int:
        if self._address is None:
            raise invalid("negotiation", "is closed, or has given its verdict")
        return self._address

    def _fields(self) -> _abi.mcpd_negotiation:
        return _abi.mcpd_negotiation.from_address(self._fields_address())

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        error = ctypes.c_void_p()
        status = function(self._fields_address(), *arguments, ctypes.byref(error))
        if status:
            raise take_error(status, error.value)
