"""How long reading a reply takes, every field touched: beside json.loads with the same look-ups, and the mcp package.

python parse_reply.py [FILE]    one reply, or the three below

The mcp package is measured if it is installed. In parentheses: how much of that time this package takes.
"""

import json
import sys
import timeit
from pathlib import Path

import mcp_discover

SERVER_INFO = "io.modelcontextprotocol/serverInfo"


def reply(**result):
    """An ordinary answer, with what is given besides."""
    whole = {
        "resultType": "complete",
        "supportedVersions": ["2026-07-28", "2025-11-25"],
        "capabilities": {
            "tools": {"listChanged": True},
            "resources": {"subscribe": True, "listChanged": True},
            "prompts": {"listChanged": False},
            "completions": {},
        },
        "instructions": "Use this server to look up the weather. " * 6,
        "ttlMs": 3600000,
        "cacheScope": "public",
        "_meta": {SERVER_INFO: {"name": "weather", "version": "1.2.3", "title": "Weather"}},
    }
    return json.dumps({"jsonrpc": "2.0", "id": "discover-1", "result": {**whole, **result}}).encode()


REPLIES = {
    "small": reply(instructions="Ask for the weather."),
    "ordinary": reply(),
    "long": reply(instructions="Each tool takes a place, and gives a forecast for it. " * 400),
}


def through_library(data):
    reply = mcp_discover.parse_reply(data)
    found = reply.discover
    can, who = found.capabilities, found.server
    return (
        (reply.kind, found.supported_versions, found.result_type, found.instructions, found.ttl_ms, found.cache_scope),
        (can.tools, can.tools_list_changed, can.resources, can.resources_subscribe, can.resources_list_changed),
        (can.prompts, can.prompts_list_changed, can.completions, can.logging, can.extensions, can.experimental),
        (who.name, who.version, who.title, who.description, who.website_url, who.icons, reply.remarks),
    )


def through_json(data):
    reply = json.loads(data)
    found = reply["result"]
    can, who = found.get("capabilities", {}), found.get("_meta", {}).get(SERVER_INFO, {})
    tools, resources, prompts = can.get("tools"), can.get("resources"), can.get("prompts")
    return (
        (reply.get("id"), tuple(found["supportedVersions"]), found.get("resultType"), found.get("instructions")),
        (found.get("ttlMs"), found.get("cacheScope"), tools is not None, bool(tools and tools.get("listChanged"))),
        (resources is not None, bool(resources and resources.get("subscribe"))),
        (bool(resources and resources.get("listChanged")), prompts is not None),
        (bool(prompts and prompts.get("listChanged")), "completions" in can, "logging" in can),
        (can.get("extensions", {}), can.get("experimental", {}), who.get("name"), who.get("version"), who.get("title")),
        (who.get("description"), who.get("websiteUrl"), who.get("icons", ())),
    )


def through_mcp():
    """What a client on the mcp package does with the same line, if the package is there."""
    try:
        from mcp_types import DiscoverResult, Implementation, jsonrpc_message_adapter
    except ImportError:
        return None

    def validated(data):
        message = jsonrpc_message_adapter.validate_json(data, by_name=False)
        found = DiscoverResult.model_validate(message.result)
        return found, Implementation.model_validate(message.result["_meta"][SERVER_INFO])

    return validated


def best(ways, data):
    """Microseconds for one call, each way: the fastest of many short rounds, which the machine disturbed least.

    The ways take turns, so that all have the same chances.
    """
    rounds = 20
    timers = {way: timeit.Timer(lambda function=function: function(data)) for way, function in ways.items()}
    fastest = dict.fromkeys(ways, float("inf"))
    for _ in range(1500):
        for way, timer in timers.items():
            fastest[way] = min(fastest[way], timer.timeit(rounds) / rounds * 1e6)
    return fastest


def main():
    ways = {"mcp_discover": through_library, "json.loads": through_json, "mcp": through_mcp()}
    ways = {way: function for way, function in ways.items() if function is not None}
    replies = {sys.argv[1]: Path(sys.argv[1]).read_bytes()} if sys.argv[1:] else REPLIES
    for name, data in replies.items():
        times = best(ways, data)
        ours = times["mcp_discover"]
        told = [
            f"{way} {time:7.2f} us" + (f" ({ours / time:4.2f})" if time != ours else "") for way, time in times.items()
        ]
        print(f"{name:10}{len(data):8} bytes   {'   '.join(told)}")


if __name__ == "__main__":
    main()
