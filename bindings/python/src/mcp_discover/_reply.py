"""Reads replies, with as few steps as Python allows.

The library writes what it read into one block, mcpd_flat_reply in the C header. Its numbers are unpacked, and its texts
decoded, all at once. What most replies have in common, and where each text stands, is found by the numbers' bytes.
"""

import ctypes
import struct
from dataclasses import MISSING
from dataclasses import fields as fields_of
from typing import Any, NamedTuple, Optional, Union

from . import _abi
from ._codes import CacheScope, Method, RemarkCode, ReplyKind
from ._errors import McpDiscoverError
from ._library import lib
from ._options import code_of, message, set_id
from ._reading import Output, json_value
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

#: The numbers of a block; behind them, as bytes, those that are the same in most replies.
Head = tuple[Any, ...]
#: The data in which a message stands, where it begins there, and how long it is.
Source = list[Any]
#: Memory for the library to write to; then arguments: its address, how long the data is, and how much memory there is.
Block = tuple[bytearray, Any, ctypes.c_size_t, Any]

_ASK_DISCOVER = Method.DISCOVER
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

_layout = _abi.mcpd_flat_reply
_letters = _abi.mcpd_flat_reply_format[1:]
_alike = [name for name, *_ in _layout._fields_].index("versions_count")
_head = struct.Struct(f"@{_letters[:_alike]}{ctypes.sizeof(_layout) - _layout.versions_count.offset}s").unpack_from
_shape_numbers = struct.Struct(f"@{_letters[_alike:]}").unpack


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
        data = message(data, "data")
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
    head = _head(memory)
    end = head[_SIZE]
    # Behind each text there is a NUL, behind the last one too. To split at those takes time for each character, so the
    # last one, which may be long, is left out of it.
    texts = memory[head[_OFFSET] : end - 1].decode().split("\0", head[_COUNT] - 1) if end <= _ROOM else []
    _blocks.append(block)
    if not texts or "\0" in texts[-1]:
        # The block was too small, or a server sent a NUL.
        return _reply(data, *_read_long(data, options))
    return _reply(data, head, texts)


def _options(method: Union[Method, str], id: Union[str, int, None]) -> Any:
    options = _abi.mcpd_reply_options(struct_size=ctypes.sizeof(_abi.mcpd_reply_options))
    options.method = code_of(Method, method, "method")
    set_id(options, id)
    return ctypes.byref(options)


def _block(room: int) -> Block:
    memory = bytearray(room)
    return memory, ctypes.byref(ctypes.c_char.from_buffer(memory)), ctypes.c_size_t(), ctypes.c_size_t.from_param(room)


def _read_long(data: bytes, options: Any) -> tuple[Head, list[str]]:
    size = len(data) + _BESIDES
    while True:
        memory, place, length, room = _block(size)
        length.value = len(data)
        if _parse_long(data, length, options, place, room, None):
            raise _failure(data, options)
        head = _head(memory)
        size, offset = head[_SIZE], head[_OFFSET]
        if size <= len(memory):
            break
    # To split a text is slower when it is long: that looks at each character.
    texts = []
    for text_length in struct.unpack_from(f"@{head[_COUNT]}N", memory, head[0]):
        texts.append(memory[offset : offset + text_length].decode())
        offset += text_length + 1
    return head, texts


def _failure(data: bytes, options: Any) -> McpDiscoverError:
    """Why a message cannot be read: what a call that works need not have asked."""
    _, place, _, _ = _block(_ROOM)
    output = Output()
    status = lib.mcpd_flat_reply_parse(data, len(data), options, place, _ROOM, output.error_reference)
    return output.failure(status)


class _Kind(NamedTuple):
    """What an answer of one kind is read into."""

    cls: Optional[type[Any]] = None
    #: The field of a reply that it is.
    name: str = ""
    #: Its fields that are texts, in the order in which a block has them, and with them those of the server.
    texts: tuple[str, ...] = ()
    #: Its field for the versions.
    versions: str = ""


_SERVER = tuple([field.name for field in fields_of(Implementation)])
_FLAGS = [field.name for field in fields_of(ServerCapabilities) if field.default is False]
# Texts that are JSON.
_JSON = frozenset(["icons", "required_capabilities", "data"])
_KINDS = {
    _abi.MCPD_REPLY_DISCOVER: _Kind(
        DiscoverResult, "discover", ("result_type", *_SERVER, "instructions"), "supported_versions"
    ),
    _abi.MCPD_REPLY_INITIALIZE: _Kind(InitializeResult, "initialize", ("protocol_version", *_SERVER, "instructions")),
    _abi.MCPD_REPLY_RPC_ERROR: _Kind(
        RpcError, "error", ("message", "requested", "required_capabilities", "data"), "supported"
    ),
}


class _Shape:
    """What all replies have in common whose numbers are the same from versions_count on: fields, with the values that
    are known by that, and where among the texts the others stand.
    """

    __slots__ = (
        "answer",
        "answer_name",
        "capabilities",
        "experimental",
        "extensions",
        "fields",
        "has_ttl_ms",
        "is_error",
        "json_texts",
        "remarks",
        "reply",
        "server",
        "server_icons",
        "server_texts",
        "texts",
        "versions",
        "versions_name",
    )

    def __init__(self, numbers: bytes) -> None:
        versions, extensions, experimental, remarks, *others = _shape_numbers(numbers)
        kind, present, flags, has_server, has_ttl_ms, scope, has_scope, _ = others
        self.reply = {**_fields(Reply), "kind": ReplyKind.of(kind)}
        answer = _KINDS.get(kind, _Kind())
        self.answer, self.answer_name, self.versions_name = answer.cls, answer.name, answer.versions
        self.is_error = kind == _abi.MCPD_REPLY_RPC_ERROR
        self.has_ttl_ms = has_ttl_ms == 1
        self.fields = _fields(answer.cls) if answer.cls else {}
        if kind == _abi.MCPD_REPLY_DISCOVER:
            self.fields.update(cache_scope=CacheScope.of(scope), has_cache_scope=has_scope == 1)
        # Before the lists stand the message, and of what has a name all but the last text, which stands behind them.
        at = max(len(answer.texts), 1)
        places = enumerate(zip(answer.texts, [*range(1, at), -1]), 1)
        there = [(name, place) for bit, (name, place) in places if present >> bit & 1]
        self.texts = [(name, place) for name, place in there if name not in _SERVER and name not in _JSON]
        self.json_texts = [(name, place) for name, place in there if name not in _SERVER and name in _JSON]
        self.server_texts = [(name, place) for name, place in there if name in _SERVER and name not in _JSON]
        self.server_icons = dict(there).get("icons")
        self.versions = slice(at, at + versions)
        at += versions
        self.extensions, at = _pairs(at, extensions)
        self.experimental, at = _pairs(at, experimental)
        self.remarks, at = _pairs(at, remarks)
        self.server = _fields(Implementation) if has_server else None
        self.capabilities: Optional[dict[str, Any]] = None
        if flags >= 0:
            told = {name: flags >> bit & 1 == 1 for bit, name in enumerate(_FLAGS)}
            self.capabilities = {**_fields(ServerCapabilities), **told}


def _fields(cls: type[Any]) -> dict[str, Any]:
    """All that is in an object, as long as nothing is known. A dict that has its keys need not grow."""
    fields = {field.name: None if field.default is MISSING else field.default for field in fields_of(cls)}
    return {**fields, "_source": None} if hasattr(cls, "_source") else fields


def _pairs(at: int, count: int) -> tuple[Optional[slice], int]:
    """Where so many pairs of texts stand, if there are any, and what follows them."""
    end = at + 2 * count
    return slice(at, end) if count else None, end


_shapes: dict[bytes, _Shape] = {}
# Servers that never answer alike take no more memory than this.
_MOST_SHAPES = 256


def _shape(numbers: bytes) -> _Shape:
    """A shape that was not met before."""
    if len(_shapes) >= _MOST_SHAPES:
        _shapes.clear()
    _shapes[numbers] = shape = _Shape(numbers)
    return shape


# Makes an object without the cost of setting its fields one by one, which then are put into its dict.
_new = object.__new__


def _reply(data: bytes, head: Head, texts: list[str]) -> Reply:
    _, _, _, _, start, length, ttl_ms, code, numbers = head
    try:
        shape = _shapes[numbers]
    except KeyError:
        shape = _shape(numbers)
    source = [data, start, length] if length else _repaired(texts[0])
    reply = _new(Reply)
    whole = reply.__dict__
    whole |= shape.reply
    whole["_source"] = source
    if shape.remarks:
        whole["remarks"] = _remarks(texts[shape.remarks])
    if not shape.answer:
        return reply
    whole[shape.answer_name] = answer = _new(shape.answer)
    fields = answer.__dict__
    fields |= shape.fields
    fields["_source"] = source
    for name, place in shape.texts:
        fields[name] = texts[place]
    if shape.versions_name:
        fields[shape.versions_name] = tuple(texts[shape.versions])
    if shape.has_ttl_ms:
        fields["ttl_ms"] = ttl_ms
    if shape.is_error:
        fields["code"] = code
        for name, place in shape.json_texts:
            fields[name] = json_value(texts[place])
    if shape.capabilities:
        fields["capabilities"] = capabilities = _new(ServerCapabilities)
        can = capabilities.__dict__
        can |= shape.capabilities
        can["extensions"] = _members(texts[shape.extensions]) if shape.extensions else {}
        can["experimental"] = _members(texts[shape.experimental]) if shape.experimental else {}
        can["_source"] = source
    if shape.server:
        fields["server"] = server = _new(Implementation)
        who = server.__dict__
        who |= shape.server
        for name, place in shape.server_texts:
            who[name] = texts[place]
        if shape.server_icons:
            who["icons"] = tuple([_icon(icon) for icon in json_value(texts[shape.server_icons])])
    return reply


def _icon(icon: dict[str, Any]) -> Icon:
    return Icon(
        src=icon["src"], mime_type=icon.get("mimeType"), sizes=tuple(icon.get("sizes", ())), theme=icon.get("theme")
    )


def _members(texts: list[str]) -> dict[str, Any]:
    return {name: json_value(value) for name, value in zip(texts[::2], texts[1::2])}


def _remarks(texts: list[str]) -> tuple[Remark, ...]:
    return tuple([Remark(code=RemarkCode(code), text=words) for code, words in zip(texts[::2], texts[1::2])])


def _repaired(text: str) -> Source:
    """A message that is not what stands in the data, for it was no UTF-8 or had half of a surrogate pair."""
    data = text.encode()
    return [data, 0, len(data)]
