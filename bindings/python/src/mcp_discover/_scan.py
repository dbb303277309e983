"""Probing many servers at once."""

import ctypes
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Optional, TypeVar, Union

from . import _abi
from ._codes import EnvMode, Fallback, StderrMode
from ._errors import McpDiscoverError
from ._library import lib
from ._options import PathLike, count, each
from ._owner import Owner
from ._probe import Command, interruptible, probe_options
from ._reading import Output, read_error
from ._results import Implementation
from ._verdict import Verdict, read_verdict

__all__ = ["Scan", "Server", "scan"]


@dataclass(frozen=True)
class Server:
    """A server of a scan, where its command alone does not tell it. The fields are the arguments of `probe`."""

    command: Command
    args: Sequence[PathLike] = ()
    env: Optional[Mapping[str, Optional[str]]] = None
    env_mode: Union[EnvMode, str] = EnvMode.INHERIT
    cwd: Optional[PathLike] = None


S = TypeVar("S", bound=Union[Command, Server])
Outcome = Union[Verdict, McpDiscoverError]


def scan(
    servers: Iterable[S],
    *,
    jobs: Optional[int] = None,
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
    stderr: Union[StderrMode, str] = StderrMode.CAPTURE,
    max_line_bytes: Optional[int] = None,
    max_stderr_bytes: Optional[int] = None,
    max_transcript_bytes: Optional[int] = None,
) -> "Scan[S]":
    """Probes many servers side by side, and gives each with its verdict as soon as that is known.

    ::

        for server, outcome in scan(["one-server", ["other-server", "--verbose"]], jobs=16):
            print(server, outcome.era if isinstance(outcome, Verdict) else outcome)

    What cannot be probed comes with the exception that `probe` would raise; the others go on. Probes go on only while
    the next outcome is waited for, and their clocks stand still meanwhile, so it costs no server its verdict to take
    one's time. Ctrl-C ends all servers and raises KeyboardInterrupt. Leaving early does not: close the scan, or use it
    as a context manager.

    :param servers: commands as for `probe`, or `Server` objects; taken as there is room for more.
    :param jobs: how many are probed at once. Default: 8; at most 1,024.

    The other arguments are those of `probe`, for every server.

    :raises InvalidArgument: with `argument` telling which.
    """
    return Scan(
        servers,
        jobs,
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
    )


class Scan(Owner, Iterator[tuple[S, Outcome]], Generic[S]):
    """The outcomes of a scan, made by `scan`: an iterator of pairs, and a context manager."""

    def __init__(self, servers: Iterable[S], jobs: Optional[int], **options: Any) -> None:
        self._servers: Iterator[S] = each(servers, "servers", "commands and Servers, in a list")
        self._options = options
        self._pending: dict[int, S] = {}
        self._added = 0
        self._busy = self._closed = False
        # Reentrant, for a signal handler of Python's may close it on the thread that is just within.
        self._lock = threading.RLock()
        settings = _abi.mcpd_scan_options(struct_size=ctypes.sizeof(_abi.mcpd_scan_options))
        settings.max_running = count(jobs, "jobs")
        output = Output()
        status = lib.mcpd_scan_new(settings, output.reference, output.error_reference)
        if status:
            raise output.failure(status)
        self._address = output.address.value
        self._room = settings.max_running or 8
        try:
            self._fill()
        except BaseException:
            self.close()
            raise

    def __next__(self) -> tuple[S, Outcome]:
        with self._lock:
            if self._closed:
                raise StopIteration
            if self._busy:
                raise ValueError("the scan is already waited for")
            self._busy = True
        try:
            self._fill()
            if threading.current_thread() is threading.main_thread():
                found = interruptible(self._take, self._stop)
            else:
                found = self._take()
        except BaseException:
            self._closed = True
            raise
        finally:
            self._busy = False
            if self._closed:
                self.close()
        if found is None or self._closed:
            self.close()
            raise StopIteration
        return found

    def close(self) -> None:
        """Ends and reaps the servers that run. Another thread that waits for an outcome gets none any more."""
        with self._lock:
            self._closed = True
            if self._busy:
                # Whoever waits frees it.
                self._stop()
                return
            address = self._give_up()
        self._library.mcpd_scan_free(address)

    def _fill(self) -> None:
        """Adds as many servers as may run."""
        for server in islice(self._servers, self._room - len(self._pending)):
            told: dict[str, Any] = {}
            if isinstance(server, Server):
                told = {"args": server.args, "env": server.env, "env_mode": server.env_mode, "cwd": server.cwd}
            command: Command = server.command if isinstance(server, Server) else server
            options = probe_options(command, **told, **self._options)
            output = Output()
            status = lib.mcpd_scan_add(self._address, options, self._added, output.error_reference)
            if status:
                raise output.failure(status)
            self._pending[self._added] = server
            self._added += 1

    def _take(self) -> Optional[tuple[S, Outcome]]:
        output = Output()
        status = lib.mcpd_scan_next(self._address, 0, output.reference, output.error_reference)
        if status:
            raise output.failure(status)
        if not output.address.value:
            return None
        item = _abi.mcpd_scan_item.from_address(output.address.value)
        try:
            server = self._pending.pop(item.tag)
            if item.status:
                return server, read_error(item.status, item.error)
            return server, read_verdict(item.verdict)
        finally:
            lib.mcpd_scan_item_free(output.address)

    def _stop(self) -> None:
        self._library.mcpd_scan_cancel(self._address)

    def __enter__(self) -> "Scan[S]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Nobody has it any more, so nobody waits.
        self._library.mcpd_scan_free(self._address)
