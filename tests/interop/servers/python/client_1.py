"""What the client of mcp 1 sees of a server, as JSON: client_1.py COMMAND [ARGUMENT]..."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def look(command: str, *args: str) -> None:
    parameters = StdioServerParameters(command=command, args=list(args), env=dict(os.environ))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        seen = await session.initialize()
        tools = (await session.list_tools()).tools if seen.capabilities.tools else []
    told = seen.model_dump(mode="json", by_alias=True, exclude_none=True)
    print(
        json.dumps(
            {
                "version": told["protocolVersion"],
                "server": told["serverInfo"],
                "capabilities": told["capabilities"],
                "instructions": told.get("instructions"),
                "tools": [tool.name for tool in tools],
            }
        )
    )


asyncio.run(look(*sys.argv[1:]))
