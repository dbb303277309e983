"""Turns Python's values into what the library takes."""

import ctypes
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Optional, TypeVar, Union

from . import _abi
from ._code import Code
from ._codes import Era, Fallback
from ._errors import InvalidArgument, invalid
from ._library import lib
from ._results import Icon, Implementation

C = TypeVar("C", bound=Code)
PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

_MOST_SECONDS = 1e9


def code_of(made: type[C], value: Union[C, str], argument: str) -> int:
    """The number of a code that the caller chose."""
    choices = _choices(made)
    if isinstance(value, str) and value in choices:
        return choices[value]
    raise invalid(argument, f"is {value!r}; expected one of {', '.join(choices)}")


@cache
def _choices(made: type[Code]) -> dict[str, int]:
    return {str(member): member.code for member in made}


def text(value: Any, argument: str) -> bytes:
    """A text of the caller's, as UTF-8."""
    if not isinstance(value, str):
        raise invalid(argument, f"is {type(value).__name__}; expected a str")
    try:
        data = value.encode()
    except UnicodeEncodeError as error:
        raise invalid(argument, f"has half of a surrogate pair at {error.start}, which no text may have") from None
    return without_nul(data, argument)


def optional_text(value: Optional[str], argument: str) -> Optional[bytes]:
    return None if value is None else text(value, argument)


def path(value: Any, argument: str) -> bytes:
    """A path, an argument or a variable, as the bytes that the system takes. The value is not shown."""
    try:
        data = os.fsencode(value)
    except TypeError:
        raise invalid(argument, f"is {type(value).__name__}; expected a str, bytes or path") from None
    except UnicodeEncodeError:
        raise invalid(argument, "holds characters that the file system's encoding lacks") from None
    return without_nul(data, argument)


def without_nul(data: bytes, argument: str) -> bytes:
    if b"\0" in data:
        raise invalid(argument, f"has a NUL at byte {data.index(0)}, where a C text would end")
    return data


def octets(value: Any, argument: str) -> bytes:
    """Bytes of the caller's. A number is none: `bytes` would make that many zeros of it."""
    if type(value) is bytes:
        return value
    try:
        return bytes(memoryview(value))
    except TypeError:
        raise invalid(argument, f"is {type(value).__name__}; expected bytes") from None


def message(value: Any, argument: str) -> bytes:
    """A message, as bytes or text. Half of a surrogate pair is left for the library to remark."""
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else octets(value, argument)


def each(values: Any, argument: str, expected: str) -> Iterator[Any]:
    """What is in a list of the caller's. A text is none, though Python would take it for one of letters."""
    if not isinstance(values, (str, bytes)):
        try:
            return iter(values)
        except TypeError:
            pass
    raise invalid(argument, f"is {type(values).__name__}; expected {expected}")


def json_text(value: Any, argument: str) -> bytes:
    """A value of the caller's as JSON; the library says what is wrong with its shape."""
    try:
        return without_nul(json.dumps(value, allow_nan=False, separators=(",", ":")).encode(), argument)
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, InvalidArgument):
            raise
        raise invalid(argument, f"cannot be written as JSON: {error}") from None


def array(items: Sequence[bytes]) -> Any:
    """A list for C, which ends with NULL."""
    return (ctypes.c_char_p * (len(items) + 1))(*items, None)


def milliseconds(seconds: Optional[float], argument: str) -> int:
    """A time of the caller's; 0, the library's word for the default, for None. Anything above zero is at least 1 ms."""
    if seconds is None:
        return 0
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool):
        raise invalid(argument, f"is {type(seconds).__name__}; expected seconds")
    if not 0 < seconds < _MOST_SECONDS:
        raise invalid(argument, f"is {seconds} s; expected more than 0, and at most a day")
    return math.ceil(seconds * 1000)


def count(value: Optional[int], argument: str) -> int:
    """A number of the caller's; 0, the library's word for the default, for None."""
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid(argument, f"is {type(value).__name__}; expected an int")
    if not 0 < value < 2**31:
        raise invalid(argument, f"is {value}; expected at least 1, and less than 2^31")
    return value


def versions(values: Sequence[str], argument: str) -> list[bytes]:
    given = each(values, argument, "a list of versions")
    return [text(value, f"{argument}[{i}]") for i, value in enumerate(given)]


def _sorted_by_era(prefer: Sequence[str]) -> tuple[Optional[list[bytes]], Optional[list[bytes]]]:
    """The modern and the legacy ones among the versions; None, the default, for a list that gets none."""
    modern: list[bytes] = []
    legacy: list[bytes] = []
    for version in versions(prefer, "prefer"):
        (legacy if lib.mcpd_version_era(version) == Era.LEGACY.code else modern).append(version)
    return modern or None, legacy or None


def set_versions(
    options: "Union[_abi.mcpd_probe_options, _abi.mcpd_http_options]",
    prefer: Optional[Sequence[str]],
    modern_versions: Optional[Sequence[str]],
    legacy_versions: Optional[Sequence[str]],
) -> None:
    """The versions that the client speaks."""
    if prefer is not None:
        if modern_versions is not None or legacy_versions is not None:
            raise invalid("prefer", "and the versions of one era cannot be given together")
        modern, legacy = _sorted_by_era(prefer)
    else:
        modern = None if modern_versions is None else versions(modern_versions, "modern_versions")
        legacy = None if legacy_versions is None else versions(legacy_versions, "legacy_versions")
    if modern is not None:
        options.modern_versions = array(modern)
    if legacy is not None:
        options.legacy_versions = array(legacy)


def set_negotiation(
    options: "_abi.mcpd_probe_options",
    *,
    timeout: Optional[float],
    discover_timeout: Optional[float],
    prefer: Optional[Sequence[str]],
    modern_versions: Optional[Sequence[str]],
    legacy_versions: Optional[Sequence[str]],
    fallback: Union[Fallback, str],
    max_starts: Optional[int],
    client: Optional[Implementation],
    client_capabilities: Optional[Mapping[str, Any]],
    max_line_bytes: Optional[int],
    max_transcript_bytes: Optional[int],
) -> None:
    """Who asks, in which versions, and how patiently: what does not depend on what the server is started with."""
    options.timeout_ms = milliseconds(timeout, "timeout")
    options.discover_timeout_ms = milliseconds(discover_timeout, "discover_timeout")
    set_versions(options, prefer, modern_versions, legacy_versions)
    options.fallback = code_of(Fallback, fallback, "fallback")
    options.max_starts = count(max_starts, "max_starts")
    set_client(options, client, client_capabilities)
    options.max_line_bytes = count(max_line_bytes, "max_line_bytes")
    options.max_transcript_bytes = count(max_transcript_bytes, "max_transcript_bytes")


def set_client(
    options: "Union[_abi.mcpd_request_options, _abi.mcpd_probe_options, _abi.mcpd_http_options]",
    client: Optional[Implementation],
    capabilities: Optional[Mapping[str, Any]],
) -> None:
    """Who asks, and what it can do."""
    if capabilities is not None:
        options.client_capabilities_json = json_text(capabilities, "client_capabilities")
    if client is None:
        return
    if not isinstance(client, Implementation):
        raise invalid("client", f"is {type(client).__name__}; expected an Implementation")
    if client.name is None or client.version is None:
        raise invalid("client", "needs a name and a version")
    options.client_name = text(client.name, "client.name")
    options.client_version = text(client.version, "client.version")
    options.client_title = optional_text(client.title, "client.title")
    options.client_description = optional_text(client.description, "client.description")
    options.client_website_url = optional_text(client.website_url, "client.website_url")
    if client.icons:
        options.client_icons_json = json_text([_icon(icon) for icon in client.icons], "client.icons")


def _icon(icon: Any) -> dict[str, Any]:
    if not isinstance(icon, Icon):
        raise invalid("client.icons", f"has {type(icon).__name__} in it; expected Icons")
    members = {"src": icon.src, "mimeType": icon.mime_type, "sizes": list(icon.sizes), "theme": icon.theme}
    return {name: value for name, value in members.items() if value}


def set_id(
    options: "Union[_abi.mcpd_request_options, _abi.mcpd_reply_options]", identifier: Union[str, int, None]
) -> None:
    """The id of a request: a text or an integer, which are never the same."""
    if identifier is None:
        return
    if isinstance(identifier, str):
        options.id_kind = _abi.MCPD_ID_STRING
        options.id_string = text(identifier, "id")
    elif isinstance(identifier, int) and not isinstance(identifier, bool):
        if not -(2**63) <= identifier < 2**63:
            raise invalid("id", "is beyond 64 bits")
        options.id_kind = _abi.MCPD_ID_INTEGER
        options.id_integer = identifier
    else:
        raise invalid("id", f"is {type(identifier).__name__}; expected a str or an int")
