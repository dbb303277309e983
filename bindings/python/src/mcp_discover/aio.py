"""Probing from asyncio: the same calls, as coroutines."""

import asyncio
import contextlib
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from ._cancel import Cancel
from ._codes import EnvMode, Fallback, StderrMode
from ._options import PathLike
from ._probe import Call, Command
from ._results import Implementation
from ._verdict import Verdict

__all__ = ["probe"]


async def probe(
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
    """As `mcp_discover.probe`, on a thread of its own, so that the event loop goes on.

    When the task is cancelled the server is ended first: CancelledError comes out once it is gone, within 100 ms.
    """
    call = Call(
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
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Verdict] = loop.create_future()

    def run() -> None:
        try:
            verdict = call.run()
        except BaseException as error:
            _tell(loop, future.set_exception, error)
        else:
            _tell(loop, future.set_result, verdict)

    threading.Thread(target=run, name="mcp-discover", daemon=True).start()
    try:
        # Waiting does not cancel what is waited for.
        await asyncio.wait([future])
    except asyncio.CancelledError:
        call.stop()
        while not future.done():
            try:
                await asyncio.wait([future])
            except asyncio.CancelledError:
                continue
        future.exception()
        raise
    return future.result()


def _tell(loop: asyncio.AbstractEventLoop, done: Any, outcome: Any) -> None:
    # A loop that was closed meanwhile has nobody who waits.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(done, outcome)
