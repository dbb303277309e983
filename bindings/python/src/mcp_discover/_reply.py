"""Reads replies, with as few steps as Python allows.

The library writes what it read into one block, mcpd_flat_reply in the C header: its numbers are unpacked, and its texts
decoded, all at once. Where each text stands, and which bit of `present` is its own, is told there.
"""

import ctypes
import struct
from collections.abc import Callable
from dataclasses import fields as fields_of
from operator import itemgetter
from typing import Any, Generic, TypeVar, Union

from . import _abi
from ._codes import CacheScope, Method, RemarkCode, ReplyKind
from ._errors import McpDiscoverError
from ._library import lib
from ._options import code_of, set_id
from ._reading import Output, json_value
from ._record import make
from ._results import (
    DiscoverResult,
    Icon,
    Implementation,
    InitializeResult,
    Remark,
    Reply,
    RpcError,
    ServerCapabilities,
)

__all__ = ["parse_reply"]

V = TypeVar("V")
Numbers = tuple[int, ...]
#: The data in which a message stands, where it begins there, and how long it is.
Source = list[Any]
#: Memory for the library to write to; then arguments: its address, how long the data is, and how much memory there is.
Block = tuple[bytearray, Any, ctypes.c_size_t, Any]

_ASK_DISCOVER = Method.DISCOVER
_DISCOVER, _RPC_ERROR = _abi.MCPD_REPLY_DISCOVER, _abi.MCPD_REPLY_RPC_ERROR
_RESULTS = frozenset([_DISCOVER, _abi.MCPD_REPLY_INITIALIZE])
# Where some numbers of a block stand.
_SIZE, _OFFSET, _COUNT = 1, 2, 3

# Up to here data is short.
_SHORT = 4096
# What a block holds besides the texts of the message is seldom more.
_BESIDES = 4096
_ROOM = _SHORT + _BESIDES
# Blocks that are used again; one that is in use is not in the list.
_blocks: list[Block] = []

# Without argument types a call takes half the time, so what is passed has its type by itself. What is short is read
# sooner than the GIL is given to another thread and got back.
_parse_short: Any = ctypes.PyDLL("mcp_discover", handle=lib.library._handle)["mcpd_flat_reply_parse"]
_parse_long: Any = lib.library["mcpd_flat_reply_parse"]
_numbers = struct.Struct(_abi.mcpd_flat_reply_format).unpack_from


def parse_reply(
    data: Union[bytes, bytearray, memoryview, str],
    *,
    method: Union[Method, str] = Method.DISCOVER,
    id: Union[str, int, None] = None,
) -> Reply:
    """Reads a message from a server: a line of stdio, or the body of an HTTP response.

    It is read leniently: fields that are missing or have the wrong type cost a remark, never the reply.

    :param data: the message, with or without the line ending.
    :param method: what was asked; it decides how a result is read.
    :param id: the id of the request that the message should answer. Default: any id will do.
    :raises InvalidReply: if the message is no JSON.
    """
    if type(data) is not bytes:
        # Half of a surrogate pair is left for the library to remark.
        data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)
    options = None if id is None and method is _ASK_DISCOVER else _options(method, id)
    size = len(data)
    if size > _SHORT:
        return _reply(data, *_read_long(data, options))
    try:
        block = _blocks.pop()
    except IndexError:
        block = _block(_ROOM)
    memory, place, length, room = block
    length.value = size
    if _parse_short(data, length, options, place, room, None):
        raise _failure(data, options)
    numbers = _numbers(memory)
    end = numbers[_SIZE]
    # Behind each text there is a NUL, behind the last one too.
    texts = memory[numbers[_OFFSET] : end - 1].decode().split("\0") if end <= _ROOM else []
    _blocks.append(block)
    if len(texts) != numbers[_COUNT]:
        # The block was too small, or a server sent a NUL.
        return _reply(data, *_read_long(data, options))
    return _reply(data, numbers, texts)


def _options(method: Union[Method, str], id: Union[str, int, None]) -> Any:
    options = _abi.mcpd_reply_options(struct_size=ctypes.sizeof(_abi.mcpd_reply_options))
    options.method = code_of(Method, method, "method")
    set_id(options, id)
    return ctypes.byref(options)


def _block(room: int) -> Block:
    memory = bytearray(room)
    return memory, ctypes.byref(ctypes.c_char.from_buffer(memory)), ctypes.c_size_t(), ctypes.c_size_t.from_param(room)


def _read_long(data: bytes, options: Any) -> tuple[Numbers, list[str]]:
    size = len(data) + _BESIDES
    while True:
        memory, place, length, room = _block(size)
        length.value = len(data)
        if _parse_long(data, length, options, place, room, None):
            raise _failure(data, options)
        numbers = _numbers(memory)
        size, offset = numbers[_SIZE], numbers[_OFFSET]
        if size <= len(memory):
            break
    # To split a text is slower when it is long: that looks at each character.
    texts = []
    for text_length in struct.unpack_from(f"@{numbers[_COUNT]}N", memory, numbers[0]):
        texts.append(memory[offset : offset + text_length].decode())
        offset += text_length + 1
    return numbers, texts


def _failure(data: bytes, options: Any) -> McpDiscoverError:
    """Why a message cannot be read: what a call that works need not have asked."""
    _, place, _, _ = _block(_ROOM)
    output = Output()
    status = lib.mcpd_flat_reply_parse(data, len(data), options, place, _ROOM, output.error_reference)
    return output.failure(status)


class _Made(dict[int, V], Generic[V]):
    """What numbers stand for, made when it is asked for."""

    def __init__(self, make: Callable[[int], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, number: int) -> V:
        self[number] = made = self._make(number)
        return made


def _capabilities_of(flags: int) -> dict[str, Any]:
    fields = {name: flags >> place & 1 == 1 for place, name in enumerate(_FLAGS)}
    # The places of the rest: a dict that has to grow takes time.
    return {**fields, "extensions": None, "experimental": None, "_source": None}


_FLAGS = [field.name for field in fields_of(ServerCapabilities) if field.default is False]
_capabilities = _Made(_capabilities_of)
_scope = _Made(CacheScope.of)
_kind = _Made(ReplyKind.of)


def _chooser(count: int) -> Callable[[int], Callable[[list[Any]], tuple[Any, ...]]]:
    """For each value of `present`: what gives so many texts behind the first; for those that are absent, the last."""

    def choose(present: int) -> Callable[[list[Any]], tuple[Any, ...]]:
        return itemgetter(*[at if present >> at & 1 else -1 for at in range(1, count + 1)])

    return choose


_result_texts = _Made(_chooser(8))
_error_texts = _Made(_chooser(4))

# What `make` does, for what is made of nearly every reply, without the call.
_new = object.__new__
_set = object.__setattr__


def _reply(data: bytes, numbers: Numbers, texts: list[Any]) -> Reply:
    (
        _,
        _,
        _,
        _,
        json_offset,
        json_length,
        versions_count,
        extensions_count,
        experimental_count,
        remarks_count,
        ttl_ms,
        code,
        kind,
        present,
        flags,
        has_server,
        has_ttl_ms,
        scope,
        has_scope,
        _,
    ) = numbers
    source = [data, json_offset, json_length] if json_length else _repaired(texts[0])
    remarks = _remarks(texts[-2 * remarks_count :]) if remarks_count else ()
    discover = initialize = error = None
    texts.append(None)
    if kind in _RESULTS:
        first, instructions, name, version, title, description, website_url, icons = _result_texts[present](texts)
        lists = 9 + versions_count
        capabilities = server = None
        if flags >= 0:
            fields = _capabilities[flags].copy()
            fields["extensions"] = _members(texts, lists, extensions_count) if extensions_count else {}
            lists += 2 * extensions_count
            fields["experimental"] = _members(texts, lists, experimental_count) if experimental_count else {}
            fields["_source"] = source
            capabilities = _new(ServerCapabilities)
            _set(capabilities, "__dict__", fields)
        if has_server:
            fields = {
                "name": name,
                "version": version,
                "title": title,
                "description": description,
                "website_url": website_url,
                "icons": tuple([_icon(icon) for icon in json_value(icons)]) if icons else (),
            }
            server = _new(Implementation)
            _set(server, "__dict__", fields)
        if kind == _DISCOVER:
            fields = {
                "supported_versions": tuple(texts[9 : 9 + versions_count]),
                "capabilities": capabilities,
                "server": server,
                "instructions": instructions,
                "ttl_ms": ttl_ms if has_ttl_ms else None,
                "cache_scope": _scope[scope],
                "has_cache_scope": has_scope == 1,
                "result_type": first,
                "_source": source,
            }
            discover = _new(DiscoverResult)
            _set(discover, "__dict__", fields)
        else:
            fields = {
                "protocol_version": first,
                "capabilities": capabilities,
                "server": server,
                "instructions": instructions,
                "_source": source,
            }
            initialize = make(InitializeResult, fields)
    elif kind == _RPC_ERROR:
        message, detail, requested, required = _error_texts[present](texts)
        fields = {
            "code": code,
            "message": message,
            "data": json_value(detail) if detail else None,
            "supported": tuple(texts[5 : 5 + versions_count]),
            "requested": requested,
            "required_capabilities": json_value(required) if required else None,
            "_source": source,
        }
        error = make(RpcError, fields)
    fields = {
        "kind": _kind[kind],
        "discover": discover,
        "initialize": initialize,
        "error": error,
        "remarks": remarks,
        "_source": source,
    }
    reply = _new(Reply)
    _set(reply, "__dict__", fields)
    return reply


def _icon(icon: dict[str, Any]) -> Icon:
    return Icon(
        src=icon["src"], mime_type=icon.get("mimeType"), sizes=tuple(icon.get("sizes", ())), theme=icon.get("theme")
    )


def _members(texts: list[str], at: int, count: int) -> dict[str, Any]:
    """The members of an object, which are at a place among the texts."""
    end = at + 2 * count
    return {name: json_value(value) for name, value in zip(texts[at:end:2], texts[at + 1 : end : 2])}


def _remarks(texts: list[str]) -> tuple[Remark, ...]:
    return tuple([Remark(code=RemarkCode(code), text=words) for code, words in zip(texts[::2], texts[1::2])])


def _repaired(message: str) -> Source:
    """A message that is not what stands in the data, for it was no UTF-8 or had half of a surrogate pair."""
    data = message.encode()
    return [data, 0, len(data)]
