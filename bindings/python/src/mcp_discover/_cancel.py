"""Stopping probes."""

import contextlib
import ctypes
import threading
from collections.abc import Iterator

from ._errors import invalid
from ._library import lib
from ._owner import Owner
from ._reading import Output


class _Handle(Owner):
    """A cancel handle of the library, for one call. It is freed when nobody has it any more."""

    def __init__(self) -> None:
        output = Output()
        status = lib.mcpd_cancel_new(output.reference, output.error_reference)
        if status:
            raise output.failure(status)
        self._address = output.address.value

    @property
    def pointer(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self._address)

    def fire(self) -> None:
        self._library.mcpd_cancel_fire(self._address)

    def __del__(self) -> None:
        self._library.mcpd_cancel_free(self._address)


class Cancel:
    """A switch that stops probes: pass it to any number of calls, and fire it from any thread. It stays fired.

    ::

        cancel = Cancel()
        threading.Timer(2.0, cancel.fire).start()
        probe("my-server", cancel=cancel)  # raises Cancelled after two seconds at the latest
    """

    def __init__(self) -> None:
        self._fired = False
        self._handles: set[_Handle] = set()
        # Reentrant, for a signal handler of Python's may fire it on the thread that is just joining a call.
        self._lock = threading.RLock()

    @property
    def fired(self) -> bool:
        """Whether it was fired."""
        return self._fired

    def fire(self) -> None:
        """Stops every call that has it, now or later; each raises `Cancelled` once its server is gone."""
        with self._lock:
            self._fired = True
            for handle in list(self._handles):
                handle.fire()

    def _join(self, handle: _Handle) -> None:
        with self._lock:
            self._handles.add(handle)
            if self._fired:
                handle.fire()

    def _leave(self, handle: _Handle) -> None:
        with self._lock:
            self._handles.discard(handle)

    def __repr__(self) -> str:
        return f"<Cancel{' fired' if self._fired else ''}>"


@contextlib.contextmanager
def joined(cancel: Cancel, handle: _Handle) -> Iterator[None]:
    """As long as a call runs that `cancel` may stop."""
    if not isinstance(cancel, Cancel):
        raise invalid("cancel", f"is {type(cancel).__name__}; expected a Cancel")
    cancel._join(handle)
    try:
        yield
    finally:
        cancel._leave(handle)
