"""Requests to build, versions and texts, for programs with a transport of their own."""

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _abi
from ._codes import Era, Method
from ._errors import invalid
from ._library import lib
from ._options import array, code_of, each, json_text, message, optional_text, set_client, set_id, text, versions
from ._reading import Output, static_texts, take_error, take_text
from ._results import Implementation

__all__ = [
    "LEGACY_VERSIONS",
    "MODERN_VERSIONS",
    "build_request",
    "era_of",
    "library_version",
    "printable",
    "select_version",
]

#: The modern protocol versions that the library knows, best first.
MODERN_VERSIONS = tuple(static_texts(lib.mcpd_versions_modern()))
#: The legacy protocol versions that the library knows, best first.
LEGACY_VERSIONS = tuple(static_texts(lib.mcpd_versions_legacy()))


def library_version() -> str:
    """The version of the library that is loaded, such as ``"0.1.0"``."""
    return lib.mcpd_version().decode()


def build_request(
    method: Union[Method, str] = Method.DISCOVER,
    *,
    id: Union[str, int, None] = None,
    version: Optional[str] = None,
    client: Optional[Implementation] = None,
    client_capabilities: Optional[Mapping[str, Any]] = None,
    log_level: Optional[str] = None,
    meta: Optional[Mapping[str, Any]] = None,
) -> bytes:
    """Builds the request that opens a connection: one line of JSON, without the line feed that stdio wants behind it.

    :param method: ``"discover"`` for server/discover, or ``"initialize"`` for the legacy era.
    :param id: the request's id; a text and an integer are never the same. Default: ``"discover-1"`` or
        ``"initialize-1"``.
    :param version: the protocol version to ask with, of the method's era. Default: the best one.
    :param client: who asks. Default: this library.
    :param client_capabilities: what the client can do (`ClientCapabilities` in the schema).
    :param log_level: the least severe log messages that the server should send, such as ``"warning"``.
    :param meta: further members of the request's _meta, such as ``{"progressToken": 7}``.
    :raises InvalidArgument: with `argument` telling which.
    """
    options = _abi.mcpd_request_options(struct_size=ctypes.sizeof(_abi.mcpd_request_options))
    options.method = code_of(Method, method, "method")
    set_id(options, id)
    options.protocol_version = optional_text(version, "version")
    set_client(options, client, client_capabilities)
    options.log_level = optional_text(log_level, "log_level")
    if meta is not None:
        options.meta_json = json_text(meta, "meta")
    output = Output()
    status = lib.mcpd_request_build(options, output.reference, output.error_reference)
    if status:
        raise output.failure(status)
    assert output.address.value is not None
    return take_text(output.address.value)


def era_of(version: str) -> Era:
    """The era of a protocol version: legacy for a date up to 2025-11-25, modern for any other text."""
    return Era.of(lib.mcpd_version_era(text(version, "version")))


def select_version(
    named: Iterable[str],
    *,
    modern: Optional[Sequence[str]] = None,
    legacy: Optional[Sequence[str]] = None,
) -> Optional[str]:
    """The best protocol version that both sides speak, or None. Only the client's order counts.

    :param named: the versions that the server names, such as `DiscoverResult.supported_versions`.
    :param modern: the client's modern versions, best first. Default: `MODERN_VERSIONS`.
    :param legacy: the client's legacy versions, best first. Default: `LEGACY_VERSIONS`.
    """
    texts: list[bytes] = []
    for i, version in enumerate(each(named, "named", "a list of versions")):
        if not isinstance(version, str):
            raise invalid(f"named[{i}]", f"is {type(version).__name__}; expected a str")
        # It is the server's word, and matches nothing if it is no text.
        texts.append(version.encode("utf-8", "replace"))
    structs = (_abi.mcpd_str * len(texts))()
    for place, data in zip(structs, texts):
        place.ptr = data
        place.len = len(data)
    chosen, error = ctypes.c_char_p(), ctypes.c_void_p()
    status = lib.mcpd_versions_select(
        array(versions(modern, "modern")) if modern is not None else None,
        array(versions(legacy, "legacy")) if legacy is not None else None,
        ctypes.cast(structs, ctypes.c_void_p) if texts else None,
        len(texts),
        ctypes.byref(chosen),
        ctypes.byref(error),
    )
    if status:
        raise take_error(status, error.value)
    return chosen.value.decode() if chosen.value is not None else None


def printable(text: Union[str, bytes]) -> str:
    """A copy that is safe to print: one line, with control, escape and direction characters made visible."""
    data = message(text, "text")
    output = Output()
    status = lib.mcpd_text_printable(data, len(data), output.reference, output.error_reference)
    if status:
        raise output.failure(status)
    assert output.address.value is not None
    return take_text(output.address.value).decode()
