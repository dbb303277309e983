"""What the client of mcp 2 sees of a server, as JSON: client_2.py COMMAND [ARGUMENT]..."""

import asyncio
import json
import os
import sys

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from pydantic import BaseModel


def dumped(model: BaseModel) -> object:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def look(command: str, *args: str) -> None:
    parameters = StdioServerParameters(command=command, args=list(args), env=dict(os.environ))
    async with Client(stdio_client(parameters), mode="auto") as client:
        tools = (await client.list_tools()).tools if client.server_capabilities.tools else []
        told = {
            "version": client.protocol_version,
            "server": client.server_info and dumped(client.server_info),
            "capabilities": dumped(client.server_capabilities),
            "instructions": client.instructions,
            "tools": [tool.name for tool in tools],
        }
    print(json.dumps(told))


asyncio.run(look(*sys.argv[1:]))
