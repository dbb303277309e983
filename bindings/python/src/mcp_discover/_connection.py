"""Servers that are kept, and servers over descriptors that the caller has opened."""

import contextlib
import ctypes
import io
import os
import threading
import warnings
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Callable, Optional, Protocol, TypeVar, Union

from . import _abi
from ._cancel import Cancel, _Handle
from ._codes import EnvMode, Era, Fallback, Shutdown, StderrMode
from ._errors import invalid
from ._library import lib
from ._options import PathLike, milliseconds
from ._owner import Owner
from ._probe import Call, Command, interruptible
from ._reading import Output
from ._results import Implementation
from ._verdict import Verdict, give_verdict, take_verdict

__all__ = ["Connection", "NoConnection", "open_connection", "open_descriptors", "probe_descriptors"]

T = TypeVar("T")


class _HasDescriptor(Protocol):
    def fileno(self) -> int: ...


Descriptor = Union[int, _HasDescriptor]


class NoConnection(Exception):
    """A server cannot be used, or could not be opened: `verdict` says why."""

    #: The verdict on the server.
    verdict: Verdict

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict

    def __str__(self) -> str:
        verdict = self.verdict
        return f"there is no connection; the verdict is {verdict.era}, {verdict.next}: {verdict.summary}"


class Connection(Owner):
    """A server that runs and is ready for use; `open_connection` makes it.

    A modern one has been sent no initialize. A legacy one has been sent no server/discover, has answered initialize,
    and has been sent notifications/initialized. Leaving the ``with`` block, or `close`, ends it.
    """

    #: What the server is, and why.
    verdict: Verdict
    #: How it is spoken to.
    era: Era
    #: The protocol version to go on with.
    version: str
    #: The process id, and the number of its process group; 0 over descriptors of the caller's.
    pid: int
    #: What the server reads. It is buffered: flush it after each message. To end it is up to `Connection.close`, which
    #: drops what the server does not take at once.
    stdin: BinaryIO
    #: What the server writes, from the first byte behind its last answer on.
    stdout: BinaryIO
    #: What the server writes to standard error, or None if that is not captured. It has to be read: a server waits once
    #: the pipe is full.
    stderr: Optional[BinaryIO]
    #: Once it is closed: the server's exit code; None if a signal ended it, or if that is not known.
    exit_code: Optional[int] = None
    #: Once it is closed: the number of the signal that ended it.
    exit_signal: Optional[int] = None
    #: Once it is closed: what it took to end it; None if there was nothing to end.
    shutdown: Optional[Shutdown] = None

    def __init__(self, address: int, verdict: Verdict, grace_ms: int) -> None:
        self._grace_ms = grace_ms
        self._lock = threading.Lock()
        raw = _abi.mcpd_connection.from_address(address)
        self._descriptors = [fd for fd in (raw.stdin_fd, raw.stdout_fd, raw.stderr_fd) if fd >= 0]
        unread = ctypes.string_at(raw.unread, raw.unread_length) if raw.unread_length else b""
        self.verdict = verdict
        self.era = Era.of(raw.era)
        self.version = verdict.version or ""
        self.pid = raw.pid
        # Copies, so that a thread that reads one never meets another file under its number.
        self.stdin = io.BufferedWriter(_End(os.dup(raw.stdin_fd), writes=True))
        self.stdout = io.BufferedReader(_End(os.dup(raw.stdout_fd), unread))
        self.stderr = io.BufferedReader(_End(os.dup(raw.stderr_fd))) if raw.stderr_fd >= 0 else None
        # Up to here it is the caller's, for a copy may be more than this process may have.
        self._address = address

    def close(self, grace: Optional[float] = None) -> None:
        """Ends the server as a probe does: its input ends, then SIGTERM, then SIGKILL. A second time, and
        after `release`, it does nothing.

        Over descriptors of the caller's it only closes the files of this object.

        :param grace: seconds that the server has to exit after its input ends, and again after SIGTERM. Default: that
            with which it was opened.
        """
        grace_ms = self._grace_ms if grace is None else _grace(grace)
        with self._lock:
            address = self._give_up()
        if address is None:
            return
        try:
            self._hang_up(self._close_stdin)
            handle = _Handle()
            _interruptible(lambda: self._end(address, grace_ms, handle), handle.fire)
        finally:
            self._library.mcpd_connection_free(address)
            # Not the buffers, which a thread that still reads holds.
            self._hang_up(*[end.raw.close for end in (self.stdout, self.stderr) if end is not None])  # type: ignore[attr-defined]

    def release(self) -> None:
        """Leaves the server to the caller for good, who closes the files, ends the process and waits for `pid`."""
        with self._lock:
            address = self._give_up()
        if address is None:
            raise invalid("connection", "was closed or released before")
        output = Output()
        status = self._library.mcpd_connection_release(address, output.error_reference)
        self._library.mcpd_connection_free(address)
        if status:
            raise output.failure(status)
        if self.pid:
            for fd in self._descriptors:
                os.close(fd)

    def _end(self, address: int, grace_ms: int, handle: _Handle) -> None:
        output = Output()
        status = self._library.mcpd_connection_close(address, grace_ms, handle.pointer, output.error_reference)
        if status:
            raise output.failure(status)
        raw = _abi.mcpd_connection.from_address(address)
        if raw.exit_kind == _abi.MCPD_EXIT_CODE:
            self.exit_code = raw.exit_value
        elif raw.exit_kind == _abi.MCPD_EXIT_SIGNAL:
            self.exit_signal = raw.exit_value
        if raw.shutdown != _abi.MCPD_SHUTDOWN_NONE:
            self.shutdown = Shutdown.of(raw.shutdown)

    def _close_stdin(self) -> None:
        """Flushes as much as the server takes: one that reads no more would be waited for for ever."""
        fd = self._descriptors[0]
        is_blocking = os.get_blocking(fd)
        os.set_blocking(fd, False)
        try:
            self.stdin.close()
        finally:
            os.set_blocking(fd, is_blocking)

    @staticmethod
    def _hang_up(*closes: Callable[[], object]) -> None:
        for close in closes:
            # The server may have gone with what was not flushed.
            with contextlib.suppress(OSError):
                close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if self._address is not None:
            warnings.warn(f"{self!r} was not closed", ResourceWarning, source=self, stacklevel=2)
            self._library.mcpd_connection_free(self._address)

    def __repr__(self) -> str:
        return f"<Connection {self.era} {self.version} pid={self.pid}>"


class _End(io.RawIOBase):
    """One end of a stream: a descriptor, which it closes, and what was read from it before."""

    def __init__(self, fd: int, unread: bytes = b"", writes: bool = False) -> None:
        self._fd = fd
        self._unread = unread
        self._writes = writes

    def readable(self) -> bool:
        return not self._writes

    def writable(self) -> bool:
        return self._writes

    def fileno(self) -> int:
        self._check_open()
        return self._fd

    def readinto(self, buffer: Any) -> int:
        self._check_open()
        data = self._unread[: len(buffer)]
        self._unread = self._unread[len(data) :]
        if not data:
            try:
                data = os.read(self._fd, len(buffer))
            except BlockingIOError:
                # The server is being ended, and what it still says is not for us.
                data = b""
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        self._check_open()
        return os.write(self._fd, data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            os.close(self._fd)

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")


def open_connection(
    command: Command,
    *,
    prior: Optional[Verdict] = None,
    args: Sequence[PathLike] = (),
    env: Optional[Mapping[str, Optional[str]]] = None,
    env_mode: Union[EnvMode, str] = EnvMode.INHERIT,
    cwd: Optional[PathLike] = None,
    timeout: Optional[float] = None,
    discover_timeout: Optional[float] = None,
    grace: Optional[float] = None,
    prefer: Optional[Sequence[str]] = None,
    modern_versions: Optional[Sequence[str]] = None,
    legacy_versions: Optional[Sequence[str]] = None,
    fallback: Union[Fallback, str] = Fallback.INITIALIZE,
    max_starts: Optional[int] = None,
    client: Optional[Implementation] = None,
    client_capabilities: Optional[Mapping[str, Any]] = None,
    stderr: Union[StderrMode, str] = StderrMode.INHERIT,
    max_line_bytes: Optional[int] = None,
    max_stderr_bytes: Optional[int] = None,
    max_transcript_bytes: Optional[int] = None,
    cancel: Optional[Cancel] = None,
) -> Connection:
    """Starts a stdio server, asks it what it is as `probe` does, and keeps it running.

    ::

        with open_connection(["my-server", "--verbose"]) as server:
            server.stdin.write(request)
            server.stdin.flush()
            answer = server.stdout.readline()

    :param prior: a verdict on the same command, such as one that was stored. If it is storable the server is not asked
        what it is, but opened at once; if it proves wrong the server is probed after all.
    :param stderr: what becomes of the server's standard error: ``"inherit"``, ``"discard"``, or ``"capture"`` for a
        `Connection.stderr` that has to be read.
    :raises NoConnection: with the verdict, if the server cannot be used, or could not be opened.

    The other parameters and exceptions are those of `probe`.
    """
    call = _Open(
        command,
        args=args,
        env=env,
        env_mode=env_mode,
        cwd=cwd,
        timeout=timeout,
        discover_timeout=discover_timeout,
        grace=grace,
        prefer=prefer,
        modern_versions=modern_versions,
        legacy_versions=legacy_versions,
        fallback=fallback,
        max_starts=max_starts,
        client=client,
        client_capabilities=client_capabilities,
        stderr=stderr,
        max_line_bytes=max_line_bytes,
        max_stderr_bytes=max_stderr_bytes,
        max_transcript_bytes=max_transcript_bytes,
        cancel=cancel,
    )
    call.prior = _prior(prior)
    return _kept(call)


def open_descriptors(
    to_server: Descriptor,
    from_server: Optional[Descriptor] = None,
    *,
    prior: Optional[Verdict] = None,
    timeout: Optional[float] = None,
    prefer: Optional[Sequence[str]] = None,
    client: Optional[Implementation] = None,
    client_capabilities: Optional[Mapping[str, Any]] = None,
    max_line_bytes: Optional[int] = None,
    cancel: Optional[Cancel] = None,
) -> Connection:
    """As `open_connection`, over what the caller has opened: the pipes of a container, a socket. They stay open.

    Nothing is asked after server/discover, so that what is there can be used. If the server turns out to be legacy
    there is no connection: open new descriptors to a server that has seen nothing yet, and pass the verdict as `prior`.

    :param to_server: what to write to: a descriptor, or an object that has one.
    :param from_server: what to read from. Default: the same.
    :param prior: a verdict on the same server, storable or not.
    :raises NoConnection: with the verdict.
    """
    call = _Descriptors(
        None,
        timeout=timeout,
        prefer=prefer,
        client=client,
        client_capabilities=client_capabilities,
        max_line_bytes=max_line_bytes,
        cancel=cancel,
    )
    call.over(to_server, from_server)
    call.prior = _prior(prior)
    return _kept(call)


def probe_descriptors(
    to_server: Descriptor,
    from_server: Optional[Descriptor] = None,
    *,
    timeout: Optional[float] = None,
    discover_timeout: Optional[float] = None,
    prefer: Optional[Sequence[str]] = None,
    fallback: Union[Fallback, str] = Fallback.INITIALIZE,
    client: Optional[Implementation] = None,
    client_capabilities: Optional[Mapping[str, Any]] = None,
    max_line_bytes: Optional[int] = None,
    max_transcript_bytes: Optional[int] = None,
    cancel: Optional[Cancel] = None,
) -> Verdict:
    """As `probe`, over what the caller has opened: the pipes of a container, a socket. They stay open.

    They may be of no use afterwards: a server that was sent both server/discover and initialize may refuse to go on.

    :param to_server: what to write to: a descriptor, or an object that has one.
    :param from_server: what to read from. Default: the same.
    """
    call = _Descriptors(
        None,
        timeout=timeout,
        discover_timeout=discover_timeout,
        prefer=prefer,
        fallback=fallback,
        client=client,
        client_capabilities=client_capabilities,
        max_line_bytes=max_line_bytes,
        max_transcript_bytes=max_transcript_bytes,
        cancel=cancel,
    )
    call.over(to_server, from_server)
    call.keeps = False
    return _interruptible(call.run, call.stop)


class _Open(Call):
    """A probe that keeps the server, and leaves it in `kept`."""

    prior: Optional[Output] = None
    keeps = True
    kept: Optional[Connection] = None

    def _run(self) -> Verdict:
        output, connection = Output(), Output()
        try:
            status = self._open(output, connection)
        finally:
            if self.prior is not None:
                lib.mcpd_verdict_free(self.prior.address)
                self.prior = None
        if status:
            raise output.failure(status)
        try:
            verdict = take_verdict(output)
            if connection.address.value:
                self.kept = Connection(connection.address.value, verdict, self._options.grace_ms)
        except BaseException:
            lib.mcpd_connection_free(connection.address)
            raise
        return verdict

    def _open(self, output: Output, connection: Output) -> int:
        return lib.mcpd_connection_open(
            self._options,
            self.prior and self.prior.address,
            connection.reference,
            output.reference,
            output.error_reference,
        )


class _Descriptors(_Open):
    """A probe over descriptors."""

    def over(self, to_server: Descriptor, from_server: Optional[Descriptor]) -> None:
        """Says which."""
        self._to_server = _fileno(to_server, "to_server")
        self._from_server = self._to_server if from_server is None else _fileno(from_server, "from_server")

    def _open(self, output: Output, connection: Output) -> int:
        return lib.mcpd_probe_descriptors(
            self._options,
            self._to_server,
            self._from_server,
            self.prior and self.prior.address,
            connection.reference if self.keeps else None,
            output.reference,
            output.error_reference,
        )


def _kept(call: _Open) -> Connection:
    try:
        verdict = _interruptible(call.run, call.stop)
    except BaseException:
        # The server may have been there when the interruption came.
        if call.kept is not None:
            call.kept.close(grace=0)
        raise
    if call.kept is None:
        raise NoConnection(verdict)
    return call.kept


def _interruptible(call: Callable[[], T], stop: Callable[[], None]) -> T:
    if threading.current_thread() is threading.main_thread():
        return interruptible(call, stop)
    return call()


def _prior(verdict: Optional[Verdict]) -> Optional[Output]:
    if verdict is None:
        return None
    if not isinstance(verdict, Verdict):
        raise invalid("prior", f"is {type(verdict).__name__}; expected a Verdict")
    return give_verdict(verdict)


def _grace(seconds: float) -> int:
    return _abi.MCPD_NO_GRACE if seconds == 0 else milliseconds(seconds, "grace")


def _fileno(descriptor: Any, argument: str) -> int:
    if isinstance(descriptor, bool) or not (isinstance(descriptor, int) or hasattr(descriptor, "fileno")):
        raise invalid(argument, f"is {type(descriptor).__name__}; expected a descriptor, or an object that has one")
    number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
    if not -(2**31) <= number < 2**31:
        raise invalid(argument, f"is {number}; expected an open descriptor")
    return int(number)
