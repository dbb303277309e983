"""Reads what the library fills, with as few steps as Python allows: numbers are unpacked, and texts decoded, all at
once. Nothing that is given keeps a pointer.
"""

import ctypes
import json
import struct
import sys
from typing import Any, Optional, Union

from . import _abi
from ._codes import Status
from ._errors import McpDiscoverError, error_of
from ._library import lib

Address = int


def read(layout: type[ctypes.Structure], form: str, address: Address) -> tuple[Any, ...]:
    """The fields of a struct, as numbers."""
    return struct.unpack(form, ctypes.string_at(address, ctypes.sizeof(layout)))


def text_at(address: Address, length: int) -> Optional[str]:
    """A text, or None if it is absent."""
    return ctypes.string_at(address, length).decode() if address else None


_LARGEST = sys.float_info.max


def _float(digits: str) -> float:
    """The nearest float there is. JSON has no word for infinity, and what was read is written again."""
    return max(-_LARGEST, min(float(digits), _LARGEST))


def _huge_integer(digits: str) -> Any:
    """Integers past what Python converts become floats; nothing a server sends makes reading fail."""
    try:
        return int(digits)
    except ValueError:
        return _float(digits)


_decode = json.JSONDecoder(parse_float=_float).decode
_decode_huge = json.JSONDecoder(parse_float=_float, parse_int=_huge_integer).decode


def json_value(data: Union[str, bytes]) -> Any:
    """JSON that the library has checked, as Python values."""
    text = data if isinstance(data, str) else data.decode()
    try:
        return _decode(text)
    except ValueError:
        return _decode_huge(text)


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
    *_, message, length, argument, argument_length, offset = read(_abi.mcpd_error, _abi.mcpd_error_format, address)
    return error_of(
        code,
        text_at(message, length) or "",
        text_at(argument, argument_length),
        offset if offset >= 0 else None,
    )


def take_text(address: Address) -> bytes:
    """The bytes of a text of the library, which is freed."""
    try:
        _, place, length = read(_abi.mcpd_text, _abi.mcpd_text_format, address)
        return ctypes.string_at(place, length)
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
