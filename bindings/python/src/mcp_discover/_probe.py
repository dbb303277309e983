"""Probing a stdio server."""

import _thread
import ctypes
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Generic, Optional, TypeVar, Union

from . import _abi
from ._cancel import Cancel, _Handle, joined
from ._codes import EnvMode, Fallback, StderrMode
from ._errors import invalid
from ._library import lib
from ._options import (
    PathLike,
    array,
    code_of,
    count,
    each,
    milliseconds,
    path,
    set_negotiation,
    without_nul,
)
from ._reading import Output, read_error
from ._results import Implementation
from ._verdict import Verdict, read_verdict, take_verdict

Command = Union[PathLike, Sequence[PathLike]]
T = TypeVar("T")


def probe(
    command: Command,
    *,
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
    stderr: Union[StderrMode, str] = StderrMode.CAPTURE,
    max_line_bytes: Optional[int] = None,
    max_stderr_bytes: Optional[int] = None,
    max_transcript_bytes: Optional[int] = None,
    cancel: Optional[Cancel] = None,
) -> Verdict:
    """Starts a stdio server, asks it what it is, ends it, and tells.

    It blocks without the GIL, so threads can probe side by side. Ctrl-C ends the server and raises KeyboardInterrupt.
    That a server is unknown, broken or silent is a verdict, not an exception.

    :param command: the program, or the program and its arguments; no shell is involved.
    :param args: further arguments.
    :param env: variables to set, or to unset with None.
    :param env_mode: ``"inherit"``: `env` changes the environment of this process; ``"exact"``: it is all there is.
    :param cwd: the server's working directory.
    :param timeout: seconds for everything but ending the server. Default: 30.
    :param discover_timeout: seconds to wait for the answer to server/discover before initialize is asked too.
        Default: 5, or half of `timeout` if that is less.
    :param grace: seconds that the server has to exit after its input ends, and again after SIGTERM. Default: 2.
    :param prefer: the protocol versions that the client speaks, best first, of both eras. An era of which none is
        named keeps its default. `modern_versions` and `legacy_versions` tell it era by era; without any legacy
        version initialize is never sent.
    :param fallback: ``"initialize"`` asks for proof where server/discover proves nothing; ``"none"`` never does.
    :param max_starts: how many processes may be started one after the other. Default: 2.
    :param client: who asks. Default: this library.
    :param client_capabilities: what the client can do (`ClientCapabilities` in the schema).
    :param stderr: what becomes of the server's standard error: ``"capture"``, ``"inherit"`` or ``"discard"``.
    :param max_line_bytes: the longest line that is read. Default: 10 MiB.
    :param max_stderr_bytes: how much of the end of standard error is kept. Default: 64 KiB.
    :param max_transcript_bytes: how much of what is said is kept in the verdict's transcript. Default: nothing.
    :param cancel: stops the call when it is fired.
    :raises CommandNotFound: PermissionDenied, StartFailed: the command cannot be started.
    :raises Cancelled: `cancel` was fired.
    :raises InvalidArgument: with `argument` telling which.
    """
    options = probe_options(
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
    )
    run = _attended if threading.current_thread() is threading.main_thread() else _unattended
    if cancel is None:
        return run(options)
    handle = _Handle()
    options.cancel = handle.pointer
    with joined(cancel, handle):
        return run(options)


def _unattended(options: _abi.mcpd_probe_options) -> Verdict:
    """Probes in one call, during which this thread does nothing else."""
    output = Output()
    status = lib.mcpd_probe_stdio(options, output.reference, output.error_reference)
    if status:
        raise output.failure(status)
    return take_verdict(output)


# For so long the signal handlers of Python may be kept waiting.
_PATIENCE_MS = 25


def _attended(options: _abi.mcpd_probe_options) -> Verdict:
    """Probes on the main thread, whose signal handlers Python runs between two calls only.

    So the call returns soon, which is late enough for a server that is quick. One that is not is waited for on a thread
    of its own, whose start is nothing beside the time that such a server takes. What a handler raises ends the server.
    """
    scan, found = Output(), Output()

    def wait(milliseconds: int) -> int:
        return lib.mcpd_scan_next(scan.address, milliseconds, found.reference, found.error_reference)

    try:
        status = lib.mcpd_scan_new(None, scan.reference, scan.error_reference)
        status = status or lib.mcpd_scan_add(scan.address, options, 0, scan.error_reference)
        if status:
            raise scan.failure(status)
        status = wait(_PATIENCE_MS)
        if status == _abi.MCPD_TIMED_OUT:
            lib.mcpd_error_free(found.error)
            status = interruptible(lambda: wait(0), lambda: lib.mcpd_scan_cancel(scan.address))
        if status:
            raise found.failure(status)
        item = _abi.mcpd_scan_item.from_address(found.address.value or 0)
        if item.status:
            raise read_error(item.status, item.error)
        return read_verdict(item.verdict)
    finally:
        lib.mcpd_scan_free(scan.address)
        lib.mcpd_scan_item_free(found.address)


class Call:
    """A probe that is ready to run, once."""

    def __init__(self, command: Optional[Command], *, cancel: Optional[Cancel] = None, **options: Any) -> None:
        self._options = probe_options(command, **options)
        self._handle = _Handle()
        self._options.cancel = self._handle.pointer
        self._cancel = cancel

    def run(self) -> Verdict:
        """Probes, on this thread."""
        if self._cancel is None:
            return self._run()
        with joined(self._cancel, self._handle):
            return self._run()

    def stop(self) -> None:
        """Makes the call return soon, whatever thread it runs on."""
        self._handle.fire()

    def _run(self) -> Verdict:
        return _unattended(self._options)


def probe_options(
    command: Optional[Command],
    *,
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
    stderr: Union[StderrMode, str] = StderrMode.CAPTURE,
    max_line_bytes: Optional[int] = None,
    max_stderr_bytes: Optional[int] = None,
    max_transcript_bytes: Optional[int] = None,
) -> _abi.mcpd_probe_options:
    """The options of a probe, as the library takes them."""
    options = _abi.mcpd_probe_options(struct_size=ctypes.sizeof(_abi.mcpd_probe_options))
    # Over descriptors there is no command.
    if command is not None:
        options.argv = array(_argv(command, args))
    if env:
        options.env = array(_environment(env))
    options.env_mode = code_of(EnvMode, env_mode, "env_mode")
    options.cwd = None if cwd is None else path(cwd, "cwd")
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
    options.grace_ms = _abi.MCPD_NO_GRACE if grace == 0 else milliseconds(grace, "grace")
    options.stderr_mode = code_of(StderrMode, stderr, "stderr")
    options.max_stderr_bytes = count(max_stderr_bytes, "max_stderr_bytes")
    return options


def _argv(command: Command, args: Sequence[PathLike]) -> list[bytes]:
    single = isinstance(command, (str, bytes, os.PathLike))
    words = [command] if single else list(each(command, "command", "a program, or a program and its arguments"))
    if not words:
        raise invalid("command", "is empty; expected a program")
    further = each(args, "args", "a list of arguments")
    argv = [path(word, "command" if i == 0 else f"command[{i}]") for i, word in enumerate(words)]
    return argv + [path(word, f"args[{i}]") for i, word in enumerate(further)]


def _environment(env: Mapping[str, Optional[str]]) -> list[bytes]:
    if not isinstance(env, Mapping):
        raise invalid("env", f"is {type(env).__name__}; expected a mapping of names to values")
    changes = []
    for name, value in env.items():
        named = path(name, "env")
        if not named or b"=" in named:
            raise invalid("env", "has a variable whose name is empty or holds '='")
        changes.append(named if value is None else named + b"=" + without_nul(path(value, "env"), "env"))
    return changes


class _Job(Generic[T]):
    """A call on a thread of its own, and what became of it."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._lock = threading.Lock()
        self._entered = False
        self._unwanted = False
        self._finished = False
        self._done = _thread.allocate_lock()
        self._done.acquire()
        self._result: Optional[T] = None
        self._error: Optional[BaseException] = None

    def run(self) -> None:
        with self._lock:
            if self._unwanted:
                return
            self._entered = True
        try:
            self._result = self._call()
        except BaseException as error:
            self._error = error
        finally:
            self._finished = True
            self._done.release()

    def wait(self) -> None:
        # Who was interrupted here comes again, and may have got the lock before.
        if not self._finished:
            self._done.acquire()

    def retract(self) -> bool:
        """Nobody wants it any more. Tells whether it runs or ran nevertheless."""
        with self._lock:
            self._unwanted = True
            return self._entered

    def outcome(self) -> T:
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error
        return self._result  # type: ignore[return-value]


def interruptible(call: Callable[[], T], stop: Callable[[], object]) -> T:
    """Runs a call on another thread, while this one can be interrupted.

    A call into C on the main thread would keep Python from running its signal handlers. Waiting for a lock does not,
    so Ctrl-C, or whatever else a handler raises, gets here; it is passed on when the call has been stopped.
    """
    job = _Job(call)
    try:
        try:
            _thread.start_new_thread(job.run, ())
        except RuntimeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                # It comes from a signal handler, and the thread may be there.
                raise
            # No thread can be had, as at the end of the interpreter: then without interruption.
            job.run()
        job.wait()
    except BaseException:
        try:
            _abandon(job, stop)
        except BaseException:
            # Another handler has raised where nothing catches it: as the function began, or its loop went round.
            _abandon(job, stop)
        raise
    return job.outcome()


def _abandon(job: "_Job[T]", stop: Callable[[], object]) -> None:
    """Stops the call and waits for its end, however often that is interrupted."""
    while True:
        try:
            if job.retract():
                stop()
                job.wait()
            return
        except BaseException:
            # Another handler has raised. It is late: the call still uses what the caller will free.
            continue
