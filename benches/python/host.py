"""A program in Python that uses this library, or what it is compared with.

host.py probe SERVER [ARGUMENT]...      host.py mcp-probe SERVER [ARGUMENT]...
host.py read FILE                       host.py json-read FILE, host.py mcp-read FILE

A reader touches every field.
"""

import json
import sys
import time
from pathlib import Path

SERVER_INFO = "io.modelcontextprotocol/serverInfo"


def probe(*argv):
    import mcp_discover

    client = mcp_discover.Implementation(name="host", version="1.0.0")

    def run(times):
        for _ in range(times):
            verdict = mcp_discover.probe(argv, client=client)
            assert verdict.era == mcp_discover.Era.MODERN

    return run


def mcp_probe(command, *args):
    import anyio
    from mcp import Client, StdioServerParameters

    async def probe_all(times):
        for _ in range(times):
            async with Client(StdioServerParameters(command=command, args=list(args))) as client:
                assert client.protocol_version == "2026-07-28"

    return lambda times: anyio.run(probe_all, times)


def each(function, path):
    data = Path(path).read_bytes()

    def run(times):
        for _ in range(times):
            function(data)

    return run


def read(path):
    import mcp_discover

    def through_library(data):
        reply = mcp_discover.parse_reply(data)
        found = reply.discover
        can, who = found.capabilities, found.server
        return (
            (reply.kind, found.supported_versions, found.result_type, found.instructions),
            (found.ttl_ms, found.cache_scope, can.tools, can.tools_list_changed, can.resources),
            (can.resources_subscribe, can.resources_list_changed, can.prompts, can.prompts_list_changed),
            (can.completions, can.logging, can.extensions, can.experimental, reply.remarks),
            (who.name, who.version, who.title, who.description, who.website_url, who.icons),
        )

    return each(through_library, path)


def json_read(path):
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
            (can.get("extensions", {}), can.get("experimental", {})),
            (who.get("name"), who.get("version"), who.get("title"), who.get("description")),
            (who.get("websiteUrl"), who.get("icons", ())),
        )

    return each(through_json, path)


def mcp_read(path):
    from mcp_types import DiscoverResult, Implementation, jsonrpc_message_adapter

    def through_mcp(data):
        message = jsonrpc_message_adapter.validate_json(data, by_name=False)
        found = DiscoverResult.model_validate(message.result)
        return found, Implementation.model_validate(message.result["_meta"][SERVER_INFO])

    return each(through_mcp, path)


TASKS = {"probe": probe, "mcp-probe": mcp_probe, "read": read, "json-read": json_read, "mcp-read": mcp_read}


def main():
    run = TASKS[sys.argv[1]](*sys.argv[2:])
    # As benches/c/rounds.h says.
    for line in sys.stdin:
        began = time.perf_counter_ns()
        run(int(line))
        print(time.perf_counter_ns() - began, 0, 0, flush=True)


if __name__ == "__main__":
    main()
