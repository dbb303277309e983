"""Reads what the library fills, with as few steps as Python allows.

A struct is laid over its memory: its numbers are unpacked all at once, and its texts are copied one by one. Nothing
that is given keeps a pointer.
"""

import ctypes
import json
import struct
from typing import Any, Callable, Optional

from . import _abi
from ._codes import Status
from ._errors import McpDiscoverError, error_of
from ._library import lib

Address = int
bytes_at = ctypes.string_at


def reader(layout: type[ctypes.Structure], form: str) -> Callable[[Address], tuple[Any, tuple[Any, ...]]]:
    """A function that reads a struct: the struct itself, for its texts, and all of its fields as numbers.

    In the struct that is given each text is bytes, up to its first NUL, under the field's name.
    """
    fields: list[tuple[str, Any]] = []
    for name, kind in layout._fields_:  # type: ignore[misc]  # these have no bit fields
        if kind is _abi.mcpd_str:
            fields += [(name, ctypes.c_char_p), (f"{name}_length", ctypes.c_size_t)]
        else:
            fields.append((name, kind))
    flat: type[ctypes.Structure] = type(layout.__name__, (ctypes.Structure,), {"_fields_": fields})
    at, unpack = flat.from_address, struct.Struct(form).unpack_from

    def read(address: Address) -> tuple[Any, tuple[Any, ...]]:
        view = at(address)
        return view, unpack(view)

    return read


def text(data: Optional[bytes], address: Address, length: int) -> Optional[str]:
    """A text of a struct, or None if it is absent. A server may send NUL, after which more follows."""
    if data is None:
        return None
    return data.decode() if len(data) == length else bytes_at(address, length).decode()


def text_at(address: Address, length: int) -> str:
    """A text that is never absent."""
    return bytes_at(address, length).decode()


def texts_at(address: Address, count: int) -> tuple[str, ...]:
    """An array of texts."""
    if not count:
        return ()
    lengths = (ctypes.c_size_t * (2 * count)).from_address(address)[1::2]
    texts: list[Any] = (ctypes.c_char_p * (2 * count)).from_address(address)[::2]
    if [len(data) for data in texts] == lengths:
        return tuple([data.decode() for data in texts])
    places = (ctypes.c_size_t * (2 * count)).from_address(address)[::2]
    return tuple([text_at(*place) for place in zip(places, lengths)])


def addresses_at(address: Address, count: int) -> list[Address]:
    """An array of pointers to structs."""
    return (ctypes.c_size_t * count).from_address(address)[:] if count else []


_member = struct.Struct(_abi.mcpd_member_format)


def members_at(address: Address, count: int) -> dict[str, Any]:
    """An array of names and JSON values."""
    data = bytes_at(address, count * _member.size)
    return {
        text_at(name, name_length): json_value(bytes_at(value, length))
        for name, name_length, value, length in _member.iter_unpack(data)
    }


def _huge_integer(digits: str) -> Any:
    """Integers past what Python converts become floats; nothing a server sends makes reading fail."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def json_value(text: Any) -> Any:
    """JSON that the library has checked, as Python values."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(text, parse_int=_huge_integer)


class Output:
    """Where a function puts the address of what it gives."""

    __slots__ = ("address", "error", "error_reference", "reference")

    def __init__(self) -> None:
        self.address = ctypes.c_void_p()
        self.error = ctypes.c_void_p()
        self.reference = ctypes.byref(self.address)
        self.error_reference = ctypes.byref(self.error)

    def failure(self, status: int) -> McpDiscoverError:
        """The exception for a status that is not 0; frees the error."""
        return take_error(status, self.error.value)


_read_error = reader(_abi.mcpd_error, _abi.mcpd_error_format)


def take_error(status: int, address: Optional[Address]) -> McpDiscoverError:
    """The exception for an error of the library, which is freed."""
    try:
        return read_error(status, address)
    finally:
        lib.mcpd_error_free(address)


def read_error(status: int, address: Optional[Address]) -> McpDiscoverError:
    """The exception for an error of the library, which stays."""
    code = Status.of(status)
    if not address:
        return error_of(code, f"the call failed: {code}")
    view, (*_, message, length, argument, argument_length, offset) = _read_error(address)
    return error_of(
        code,
        text_at(message, length),
        text(view.argument, argument, argument_length),
        offset if offset >= 0 else None,
    )


_read_text = reader(_abi.mcpd_text, _abi.mcpd_text_format)


def take_text(address: Address) -> bytes:
    """The bytes of a text of the library, which is freed."""
    try:
        _, (_, place, length) = _read_text(address)
        return bytes_at(place, length)
    finally:
        lib.mcpd_text_free(address)


def static_texts(array: Any) -> list[str]:
    """A static list that ends with NULL."""
    texts = []
    for text in array:
        if text is None:
            break
        texts.append(text.decode())
    return texts
