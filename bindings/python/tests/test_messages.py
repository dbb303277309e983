"""Requests, replies, versions and printable texts."""

import dataclasses
import json
import pickle
import sys
import threading
from pathlib import Path

import mcp_discover
import pytest
from conftest import QUICK_ANSWER
from mcp_discover import (
    CacheScope,
    Era,
    Icon,
    Implementation,
    InvalidArgument,
    InvalidReply,
    McpDiscoverError,
    RemarkCode,
    ReplyKind,
    Status,
    _reply,
    build_request,
    era_of,
    parse_reply,
    printable,
    select_version,
)

META = "io.modelcontextprotocol"


def result_of(result, **more):
    return {"jsonrpc": "2.0", "id": "discover-1", "result": result, **more}


def reply_of(result, **more):
    return json.dumps(result_of(result, **more))


# Requests


def test_a_request_asks_with_the_best_version_in_one_line():
    request = build_request()
    assert b"\n" not in request
    asked = json.loads(request)
    assert (asked["jsonrpc"], asked["id"], asked["method"]) == ("2.0", "discover-1", "server/discover")
    assert asked["params"]["_meta"][f"{META}/protocolVersion"] == mcp_discover.MODERN_VERSIONS[0]
    assert asked["params"]["_meta"][f"{META}/clientInfo"]["name"] == "mcp-discover"


def test_a_request_tells_all_that_is_given():
    client = Implementation(
        name="cl\u00efent",
        version="1.0",
        title="A client",
        description="Asks",
        website_url="https://example.com",
        icons=(Icon(src="data:,", mime_type="image/png", sizes=("any",), theme="dark"),),
    )
    request = build_request(
        id=7,
        version="2026-07-28",
        client=client,
        client_capabilities={"elicitation": {}},
        log_level="warning",
        meta={"progressToken": 7},
    )
    asked = json.loads(request)
    meta = asked["params"]["_meta"]
    assert asked["id"] == 7
    assert meta[f"{META}/clientInfo"] == {
        "name": "cl\u00efent",
        "version": "1.0",
        "title": "A client",
        "description": "Asks",
        "websiteUrl": "https://example.com",
        "icons": [{"src": "data:,", "mimeType": "image/png", "sizes": ["any"], "theme": "dark"}],
    }
    assert meta[f"{META}/clientCapabilities"] == {"elicitation": {}}
    assert meta[f"{META}/logLevel"] == "warning"
    assert meta["progressToken"] == 7


def test_a_legacy_request_is_initialize():
    asked = json.loads(build_request("initialize", version="2025-06-18"))
    assert (asked["id"], asked["method"]) == ("initialize-1", "initialize")
    assert asked["params"]["protocolVersion"] == "2025-06-18"


@pytest.mark.parametrize("identifier", ["", "a", "1", 0, 1, -1, 2**63 - 1, -(2**63)], ids=repr)
def test_ids_are_kept_by_type_and_value(identifier):
    assert json.loads(build_request(id=identifier))["id"] == identifier
    answer = json.dumps({"jsonrpc": "2.0", "id": identifier, "result": QUICK_ANSWER["result"]})
    assert parse_reply(answer, id=identifier).kind is ReplyKind.DISCOVER
    other = str(identifier) if isinstance(identifier, int) else 1
    assert parse_reply(answer, id=other).kind is ReplyKind.UNRELATED


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"id": True}, "id"),
        ({"id": 1.0}, "id"),
        ({"id": 2**63}, "id"),
        ({"id": "a\0b"}, "id"),
        ({"method": "tools/list"}, "method"),
        ({"version": "2025-06-18"}, "protocol_version"),
        ({"version": "\ud800"}, "version"),
        ({"version": 3}, "version"),
        ({"client": "name"}, "client"),
        ({"client": Implementation(name="a")}, "client"),
        ({"client": Implementation(name="a", version="b\0")}, "client.version"),
        ({"client_capabilities": {"a": float("nan")}}, "client_capabilities"),
        ({"client_capabilities": {"a": object()}}, "client_capabilities"),
        ({"client_capabilities": [1]}, "client_capabilities_json"),
        ({"meta": {f"{META}/clientInfo": {}}}, "meta_json"),
        ({"log_level": "loud"}, "log_level"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else value,
)
def test_a_wrong_argument_is_named(options, argument):
    with pytest.raises(InvalidArgument) as caught:
        build_request(**options)
    assert isinstance(caught.value, ValueError)
    assert caught.value.status is Status.INVALID_ARGUMENT
    assert caught.value.argument == argument
    assert str(caught.value)


# Replies


def test_every_field_of_a_result_is_read():
    result = {
        "resultType": "complete",
        "supportedVersions": ["2026-07-28", "2025-11-25"],
        "capabilities": {
            "tools": {"listChanged": True},
            "resources": {"subscribe": True, "listChanged": True},
            "prompts": {"listChanged": True},
            "completions": {},
            "logging": {},
            "extensions": {"com.example/x": {"a": [1]}},
            "experimental": {"y": 1},
            "later": {},
        },
        "instructions": "Ask.",
        "ttlMs": 60000,
        "cacheScope": "public",
        "_meta": {
            f"{META}/serverInfo": {
                "name": "name",
                "version": "version",
                "title": "title",
                "description": "description",
                "websiteUrl": "https://example.com",
                "icons": [{"src": "data:,", "mimeType": "image/png", "sizes": ["48x48", "any"], "theme": "light"}],
            },
            "more": 1,
        },
        "later": 5,
    }
    reply = parse_reply(reply_of(result))
    assert reply.kind is ReplyKind.DISCOVER
    assert (reply.initialize, reply.error, reply.remarks) == (None, None, ())
    assert reply.raw == json.loads(reply.json) == json.loads(reply_of(result))
    found = reply.discover
    assert found.supported_versions == ("2026-07-28", "2025-11-25")
    assert (found.result_type, found.instructions, found.ttl_ms) == ("complete", "Ask.", 60000)
    assert (found.cache_scope, found.has_cache_scope) == (CacheScope.PUBLIC, True)
    assert found.meta == result["_meta"]
    assert found.raw == result
    can = found.capabilities
    flags = [field.name for field in dataclasses.fields(can) if field.name not in ("extensions", "experimental")]
    assert all(getattr(can, flag) is True for flag in flags)
    assert can.names() == ("tools", "resources", "prompts", "completions", "logging")
    assert can.extensions == {"com.example/x": {"a": [1]}}
    assert can.experimental == {"y": 1}
    assert can.raw == result["capabilities"]
    assert found.server == Implementation(
        name="name",
        version="version",
        title="title",
        description="description",
        website_url="https://example.com",
        icons=(Icon(src="data:,", mime_type="image/png", sizes=("48x48", "any"), theme="light"),),
    )


def test_a_sparse_result_has_defaults_and_remarks():
    found = parse_reply('{"id":1,"result":{"supportedVersions":["2026-07-28"]}}')
    assert found.discover.capabilities is None
    assert found.discover.server is None
    assert found.discover.ttl_ms is None
    assert (found.discover.cache_scope, found.discover.has_cache_scope) == (CacheScope.PRIVATE, False)
    codes = {remark.code for remark in found.remarks}
    assert {RemarkCode.MISSING_TTL, RemarkCode.MISSING_JSONRPC, RemarkCode.MISSING_CACHE_SCOPE} <= codes
    assert all(remark.text for remark in found.remarks)


def test_each_capability_is_read_from_its_own_place():
    """One at a time, so that no flag is taken for another."""
    whole = {
        "tools": {"tools": {}},
        "tools_list_changed": {"tools": {"listChanged": True}},
        "resources": {"resources": {}},
        "resources_subscribe": {"resources": {"subscribe": True}},
        "resources_list_changed": {"resources": {"listChanged": True}},
        "prompts": {"prompts": {}},
        "prompts_list_changed": {"prompts": {"listChanged": True}},
        "completions": {"completions": {}},
        "logging": {"logging": {}},
    }
    for flag, capabilities in whole.items():
        reply = parse_reply(reply_of({"supportedVersions": ["2026-07-28"], "capabilities": capabilities}))
        can = reply.discover.capabilities
        told = {name for name in whole if getattr(can, name)}
        assert told == {flag, flag.split("_")[0]}


def test_an_initialize_result_is_read():
    reply = parse_reply(
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": "initialize-1",
                "result": {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "old", "version": "0.9"},
                    "instructions": "Ask.",
                    "_meta": {"a": 1},
                },
            }
        ),
        method="initialize",
        id="initialize-1",
    )
    assert reply.kind is ReplyKind.INITIALIZE
    found = reply.initialize
    assert found.protocol_version == "2025-06-18"
    assert found.capabilities.tools
    assert found.server == Implementation(name="old", version="0.9")
    assert (found.instructions, found.meta) == ("Ask.", {"a": 1})


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"code": -32601, "message": "no", "data": [1, None]}, {"code": -32601, "message": "no", "data": [1, None]}),
        (
            {"code": -32022, "message": "m", "data": {"supported": ["2026-10-01"], "requested": "2026-07-28"}},
            {"code": -32022, "supported": ("2026-10-01",), "requested": "2026-07-28"},
        ),
        (
            {"code": -32021, "message": "m", "data": {"requiredCapabilities": {"roots": {}}}},
            {"code": -32021, "required_capabilities": {"roots": {}}},
        ),
        ({}, {"code": 0, "message": None, "data": None, "supported": (), "requested": None}),
    ],
)
def test_an_error_is_read(error, expected):
    reply = parse_reply(json.dumps({"jsonrpc": "2.0", "id": 1, "error": error}))
    assert reply.kind is ReplyKind.RPC_ERROR
    assert {name: getattr(reply.error, name) for name in expected} == expected
    assert reply.error.raw == error


def test_unusable_and_unrelated_messages_are_told_apart():
    assert parse_reply('{"jsonrpc":"2.0","id":1,"result":{}}').kind is ReplyKind.UNUSABLE
    assert parse_reply('{"jsonrpc":"2.0","method":"notifications/message"}').kind is ReplyKind.UNRELATED
    assert parse_reply("42").raw == {}


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, bytes.decode], ids=lambda kind: kind.__name__)
def test_a_message_may_be_bytes_or_text(kind):
    assert parse_reply(kind(reply_of(QUICK_ANSWER["result"]).encode())).discover.server.name == "quick"


TEXTS = ["instructions", "name", "version", "title", "description", "website_url"]


@pytest.mark.parametrize("text", ["there", "", "a\0b", "\0"], ids=repr)
@pytest.mark.parametrize("field", TEXTS)
def test_each_text_is_read_from_its_own_place(field, text):
    """One at a time, for which text is which depends on those that are absent."""
    result = {"supportedVersions": ["2026-07-28", "2025-11-25"]}
    if field == "instructions":
        result[field] = text
    else:
        result["_meta"] = {f"{META}/serverInfo": {"websiteUrl" if field == "website_url" else field: text}}
    found = parse_reply(reply_of(result)).discover
    assert found.supported_versions == ("2026-07-28", "2025-11-25")
    there = {name: getattr(found.server, name, None) for name in TEXTS[1:]}
    there["instructions"] = found.instructions
    assert {name: value for name, value in there.items() if value is not None} == {field: text}


def test_servers_that_never_answer_alike_take_no_memory():
    for count in range(1, 2 * _reply._MOST_SHAPES):
        versions = tuple(f"v{i}" for i in range(count))
        assert parse_reply(reply_of({"supportedVersions": versions})).discover.supported_versions == versions
    assert 0 < len(_reply._shapes) <= _reply._MOST_SHAPES


def test_nul_and_halves_of_surrogate_pairs_cost_nothing():
    result = {
        "supportedVersions": ["2026-07-28"],
        "instructions": "a\0b",
        "_meta": {f"{META}/serverInfo": {"name": "\ud83d!"}},
    }
    reply = parse_reply(reply_of(result))
    assert reply.discover.instructions == "a\0b"
    assert reply.discover.server.name == "\ufffd!"
    assert RemarkCode.LONE_SURROGATE in {remark.code for remark in reply.remarks}
    raw_half = parse_reply('{"id":1,"result":{"supportedVersions":["2026-07-28"],"instructions":"\ud83d"}}')
    assert set(raw_half.discover.instructions) == {"\ufffd"}


@pytest.mark.parametrize("padding", [0, 3_000, 5_000, 30_000], ids=lambda length: f"{length} characters")
def test_a_message_is_read_alike_however_long_it_is(padding):
    result = {
        **QUICK_ANSWER["result"],
        "instructions": "\u00e4" + "x" * padding,
        "capabilities": {"extensions": {"a": {"b": [1]}, "": None}, "experimental": {"\u20ac": "c"}},
        "cacheScope": "later",
    }
    message = " " + json.dumps(result_of(result), ensure_ascii=False) + "\r\n"
    reply = parse_reply(message)
    found = reply.discover
    assert found.instructions == result["instructions"]
    assert (found.capabilities.extensions, found.capabilities.experimental) == (
        {"a": {"b": [1]}, "": None},
        {"\u20ac": "c"},
    )
    assert [remark.code for remark in reply.remarks] == [RemarkCode.UNKNOWN_CACHE_SCOPE]
    assert reply.json == message.strip()
    assert found.raw == result
    with_nul = parse_reply(json.dumps(result_of({**result, "instructions": result["instructions"] + "\0"})))
    assert with_nul.discover == dataclasses.replace(found, instructions=result["instructions"] + "\0")
    assert with_nul.remarks == reply.remarks


@pytest.mark.parametrize("count", [1, 2_000, 4_000, 20_000])
def test_a_repaired_message_is_longer_than_the_data(count):
    """Each byte that is not UTF-8 is read as three."""
    head = b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"'
    reply = parse_reply(head + b"\xff" * count + b'"}}')
    assert reply.error.message == "\ufffd" * count
    assert reply.error.raw == {"code": 1, "message": "\ufffd" * count}
    assert {remark.code for remark in reply.remarks} == {RemarkCode.INVALID_UTF8, RemarkCode.BYTE_ORDER_MARK}


def test_a_reply_of_several_messages_or_in_an_array_has_its_own_json():
    answer = reply_of(QUICK_ANSWER["result"])
    reply = parse_reply('{"jsonrpc":"2.0","method":"notifications/message"}  ' + answer + " {}")
    assert reply.json == answer
    assert reply.discover.raw == QUICK_ANSWER["result"]
    assert parse_reply(f"[{answer}]").discover.raw == QUICK_ANSWER["result"]


def test_a_result_that_a_program_makes_has_no_json_behind_it():
    made = mcp_discover.Reply(ReplyKind.UNRELATED)
    made.raw["a"] = 1
    again = mcp_discover.Reply(ReplyKind.UNRELATED)
    assert (again.raw, again.json) == ({}, "{}")


def test_a_changed_result_changes_no_other():
    one, other = parse_reply(reply_of(QUICK_ANSWER["result"])), parse_reply(reply_of(QUICK_ANSWER["result"]))
    one.discover.capabilities.extensions["a"] = 1
    one.discover.raw["b"] = 2
    assert other.discover.capabilities.extensions == {}
    assert other.discover.raw == QUICK_ANSWER["result"]
    assert parse_reply(reply_of(QUICK_ANSWER["result"])) == other


@pytest.mark.parametrize("number", ["9" * 5000, "1e999", "9" * 400 + ".5"])
def test_numbers_of_any_size_can_be_read_and_written_again(number):
    reply = parse_reply(f'{{"id":1,"error":{{"code":1,"message":"m","data":[{number},-{number}]}}}}')
    large, small = reply.error.data
    assert large > 10**300
    assert small == -large
    assert json.loads(json.dumps(reply.raw, allow_nan=False)) == reply.raw


class Named(str):
    """A text with a method of its own."""

    def __str__(self):
        return "other"


class Octets(bytes):
    """Bytes that say they are others."""

    def __bytes__(self):
        return b"other"


@pytest.mark.parametrize(
    "made", [str, Named, str.encode, bytearray, memoryview, Octets], ids=lambda made: made.__name__
)
def test_data_may_be_text_or_any_bytes(made):
    verdict = mcp_discover.Verdict(Era.LEGACY, mcp_discover.Next.INITIALIZE)
    stored = '{"schema":1,"era":"legacy","next":"initialize"}'
    reply = reply_of(QUICK_ANSWER["result"])
    takes_text = made in (str, Named, str.encode)
    data, again, plain = (made(told if takes_text else told.encode()) for told in (reply, stored, "a\n"))
    assert parse_reply(data) == parse_reply(reply)
    assert mcp_discover.Verdict.from_json(again) == verdict
    assert printable(plain) == "a\\n"


@pytest.mark.parametrize("data", [5, 1.5, None, ["a"], {"a": 1}], ids=str)
def test_what_is_neither_text_nor_bytes_is_refused(data):
    exchange = mcp_discover.HttpExchange()
    exchange.begin_response(200, "application/json")
    with mcp_discover.Negotiation() as negotiation:
        calls = [
            (parse_reply, "data"),
            (mcp_discover.Verdict.from_json, "json"),
            (printable, "text"),
            (exchange.feed, "data"),
            (negotiation.received, "data"),
            (negotiation.received_message, "message"),
        ]
        for call, argument in calls:
            with pytest.raises(InvalidArgument, match=f"is {type(data).__name__}; expected bytes") as caught:
                call(data)
            assert caught.value.argument == argument


@pytest.mark.parametrize("named", ["2026-07-28", 5, [5], None], ids=str)
def test_what_is_no_list_of_versions_is_refused(named):
    with pytest.raises(InvalidArgument, match="named"):
        select_version(named)


@pytest.mark.parametrize(("data", "offset"), [(b"", 0), (b"{", 1), (b'{"a":}', 5), (b"[" * 5000, 128)])
def test_what_is_no_json_is_an_invalid_reply(data, offset):
    with pytest.raises(InvalidReply) as caught:
        parse_reply(data)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, McpDiscoverError)
    assert caught.value.status is Status.INVALID_JSON
    assert caught.value.offset == offset
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.status, str(again), again.offset) == (
        InvalidReply,
        Status.INVALID_JSON,
        str(caught.value),
        offset,
    )


def test_results_are_frozen_comparable_and_can_be_pickled():
    reply = parse_reply(reply_of(QUICK_ANSWER["result"]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        reply.discover.instructions = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        reply.discover.server.name = "other"
    assert reply == parse_reply(reply_of(QUICK_ANSWER["result"]))
    assert reply != parse_reply(reply_of({**QUICK_ANSWER["result"], "ttlMs": 1}))
    again = pickle.loads(pickle.dumps(reply))
    assert again == reply
    assert again.discover.raw == QUICK_ANSWER["result"]
    assert dataclasses.replace(reply.discover.server, name="other").name == "other"


def test_a_repr_shows_what_is_there_and_shortens_what_is_long():
    result = {**QUICK_ANSWER["result"], "instructions": "x" * 10_000}
    text = repr(parse_reply(reply_of(result)))
    assert text.startswith("Reply(kind=ReplyKind.DISCOVER, discover=DiscoverResult(supported_versions=('2026-07-28',)")
    assert "Implementation(name='quick', version='1')" in text
    assert "(10000 characters)" in text
    assert len(text) < 800
    assert "None" not in text


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_memory_stays_flat_over_100_000_replies():
    good, bad = reply_of({**QUICK_ANSWER["result"], "instructions": "x" * 500}).encode(), b'{"id":'

    def read(times):
        for _ in range(times):
            reply = parse_reply(good)
            assert reply.discover.server.name == "quick"
        for _ in range(times // 10):
            with pytest.raises(InvalidReply):
                parse_reply(bad)

    read(5_000)
    before = resident_bytes()
    read(100_000)
    assert resident_bytes() - before < 2 * 1024 * 1024


def test_threads_read_at_the_same_time():
    faults = []

    def read(name):
        data = reply_of({**QUICK_ANSWER["result"], "instructions": name * 300}).encode()
        try:
            for _ in range(500):
                assert parse_reply(data).discover.instructions == name * 300
        except BaseException as fault:
            faults.append(fault)

    # So that they interrupt each other in the middle of things.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=read, args=(name,)) for name in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert not faults


# Versions and texts


def test_versions_have_eras():
    assert era_of("2025-11-25") is Era.LEGACY
    assert era_of("2026-07-28") is Era.MODERN
    assert all(era_of(version) is Era.MODERN for version in mcp_discover.MODERN_VERSIONS)
    assert all(era_of(version) is Era.LEGACY for version in mcp_discover.LEGACY_VERSIONS)


def test_the_clients_order_selects_the_version():
    named = ["2024-11-05", "2025-06-18", "2026-07-28"]
    assert select_version(named) == "2026-07-28"
    assert select_version(named, modern=[]) == "2025-06-18"
    assert select_version(named, modern=[], legacy=["2024-11-05", "2025-06-18"]) == "2024-11-05"
    assert select_version(["2030-01-01"]) is None
    assert select_version([]) is None
    with pytest.raises(InvalidArgument) as caught:
        select_version(named, modern=["2025-06-18"])
    assert caught.value.argument == "modern[0]"


def test_printable_lets_no_escape_pass():
    assert printable("a\x1b[31mb\n\u202e") == "a\\x1b[31mb\\n\\u202e"
    assert printable("h\u00e9llo") == "h\u00e9llo"
    assert printable(b"\xff") == "\ufffd"
    assert printable("") == ""
    assert printable("\ud800").isprintable()


def test_a_reply_inside_of_an_array_is_read_with_its_json():
    reply = parse_reply(f"[{reply_of(QUICK_ANSWER['result'])}]")
    assert reply.kind is ReplyKind.DISCOVER
    assert reply.discover.raw == QUICK_ANSWER["result"]
    assert reply.discover.meta == QUICK_ANSWER["result"]["_meta"]
    assert RemarkCode.BATCH in {remark.code for remark in reply.remarks}
