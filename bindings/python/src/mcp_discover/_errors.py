"""What went wrong, as exceptions."""

import errno
from typing import Any, Optional

from ._codes import Status

__all__ = [
    "Cancelled",
    "CommandNotFound",
    "InvalidArgument",
    "InvalidReply",
    "McpDiscoverError",
    "PermissionDenied",
    "StartFailed",
]


class McpDiscoverError(Exception):
    """A call did not do what was asked. That a server is unknown, broken or silent is a verdict, and never raised."""

    #: What the call came to.
    status: Status
    #: What went wrong, and what was expected. It holds no value of an argument or of a variable other than PATH.
    message: str
    #: The parameter that is at fault, such as ``"client"`` or ``"env"``, if one is.
    argument: Optional[str]
    #: Where in that text, in bytes from its start, if the fault has a place.
    offset: Optional[int]

    def __init__(
        self, status: Status, message: str, *, argument: Optional[str] = None, offset: Optional[int] = None
    ) -> None:
        super().__init__(status, message)
        self.status = status
        self.message = message
        self.argument = argument
        self.offset = offset

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.status)!r}, {self.message!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.status, self.message, self.argument, self.offset)


class InvalidArgument(McpDiscoverError, ValueError):
    """An argument is not what the function takes."""


class InvalidReply(McpDiscoverError, ValueError):
    """What should be a message from a server is no JSON; `offset` tells where."""


class Cancelled(McpDiscoverError):
    """The call was stopped by a `Cancel` before there was a verdict."""


class StartFailed(McpDiscoverError, OSError):
    """The command cannot be started; the two that follow are the common reasons."""

    def __init__(
        self, status: Status, message: str, *, argument: Optional[str] = None, offset: Optional[int] = None
    ) -> None:
        super().__init__(status, message, argument=argument, offset=offset)
        self.errno = _ERRNOS.get(status)
        self.strerror = message


class CommandNotFound(StartFailed, FileNotFoundError):
    """There is no such program, or the interpreter that its first line names is missing."""


class PermissionDenied(StartFailed, PermissionError):
    """The program is there, but may not be run."""


_ERRNOS = {Status.COMMAND_NOT_FOUND: errno.ENOENT, Status.PERMISSION_DENIED: errno.EACCES}

_CLASSES: dict[Status, type[McpDiscoverError]] = {
    Status.INVALID_ARGUMENT: InvalidArgument,
    Status.INVALID_JSON: InvalidArgument,
    Status.INVALID_UTF8: InvalidArgument,
    Status.COMMAND_NOT_FOUND: CommandNotFound,
    Status.PERMISSION_DENIED: PermissionDenied,
    Status.START_FAILED: StartFailed,
    Status.CANCELLED: Cancelled,
}


def error_of(
    status: Status, message: str, argument: Optional[str] = None, offset: Optional[int] = None
) -> McpDiscoverError:
    """The exception for a status."""
    made = _CLASSES.get(status, McpDiscoverError)
    if status is Status.INVALID_JSON and argument == "data":
        made = InvalidReply
    return made(status, message, argument=argument, offset=offset)


def invalid(argument: str, message: str) -> InvalidArgument:
    """An argument that never reaches the library."""
    return InvalidArgument(Status.INVALID_ARGUMENT, f"{argument} {message}", argument=argument)


def _restored(
    made: type[McpDiscoverError], status: Status, message: str, argument: Optional[str], offset: Optional[int]
) -> McpDiscoverError:
    return made(status, message, argument=argument, offset=offset)
