"""Reads what the library fills, with as few steps as Python allows.

A struct is copied and unpacked as a whole, a text is decoded where it lies; nothing keeps a pointer.
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
_ONE_TEXT = struct.Struct(_abi.mcpd_str_format)


def _readers() -> tuple[Callable[[Address, int], bytes], Callable[[Address, int, Optional[bytes]], str]]:
    """How bytes and texts are read. CPython's own functions save a step; other interpreters take the long way."""
    try:
        api = ctypes.pythonapi
        of_bytes = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t)
        of_text = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_char_p)
        return of_bytes(("PyBytes_FromStringAndSize", api)), of_text(("PyUnicode_DecodeUTF8", api))
    except (AttributeError, ValueError):
        return ctypes.string_at, lambda address, length, _: ctypes.string_at(address, length).decode()


bytes_at, _decode = _readers()


def text_at(address: Address, length: int) -> Optional[str]:
    """The text, or None if it is absent."""
    return _decode(address, length, None) if address else None


def present_text_at(address: Address, length: int) -> str:
    """A text that is never absent."""
    return _decode(address, length, None)


def reader(form: str) -> Callable[[Address], tuple[Any, ...]]:
    """A function that reads a struct of this format: its fields as a tuple, texts as two numbers."""
    layout = struct.Struct(form)
    size, unpack = layout.size, layout.unpack
    return lambda address: unpack(bytes_at(address, size))


def texts_at(address: Address, count: int) -> tuple[str, ...]:
    """An array of texts."""
    if not count:
        return ()
    data = bytes_at(address, count * _ONE_TEXT.size)
    return tuple([_decode(place, length, None) for place, length in _ONE_TEXT.iter_unpack(data) if place])


def addresses_at(address: Address, count: int) -> tuple[Address, ...]:
    """An array of pointers to structs."""
    if not count:
        return ()
    return struct.unpack(f"@{count}P", bytes_at(address, count * ctypes.sizeof(ctypes.c_void_p)))


_member = struct.Struct(_abi.mcpd_member_format)


def members_at(address: Address, count: int) -> "dict[str, Any]":
    """An array of names and JSON values."""
    if not count:
        return {}
    data = bytes_at(address, count * _member.size)
    return {
        present_text_at(name, name_length): json_value(bytes_at(value, length))
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


_read_error = reader(_abi.mcpd_error_format)


def take_error(status: int, address: Optional[Address]) -> McpDiscoverError:
    """The exception for an error of the library, which is freed."""
    code = Status.of(status)
    if not address:
        return error_of(code, f"the call failed: {code}")
    try:
        _, _, _, message, length, argument, argument_length, offset = _read_error(address)
        return error_of(
            code,
            present_text_at(message, length),
            text_at(argument, argument_length),
            offset if offset >= 0 else None,
        )
    finally:
        lib.mcpd_error_free(address)


_read_text = reader(_abi.mcpd_text_format)


def take_text(address: Address) -> bytes:
    """The bytes of a text of the library, which is freed."""
    try:
        _, place, length = _read_text(address)
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
