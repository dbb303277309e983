"""Probes many MCP servers side by side with asyncio: python scan_many.py COMMAND...

Each argument is the whole command of a server, as it would be typed into a shell.
"""

import asyncio
import shlex
import sys

from mcp_discover import McpDiscoverError, aio, printable


async def tell(command, turn):
    """Probes one server when it is its turn, and prints a line about it."""
    async with turn:
        try:
            verdict = await aio.probe(shlex.split(command), timeout=10)
        except McpDiscoverError as error:
            print(f"{error.status:18} {printable(command)}")
            return
    version = verdict.version or "no version"
    name = verdict.server.name if verdict.server is not None else None
    print(f"{verdict.era:7} {version:10} {printable(name or command)}")


async def main():
    turn = asyncio.Semaphore(8)
    await asyncio.gather(*(tell(command, turn) for command in sys.argv[1:]))


if __name__ == "__main__":
    asyncio.run(main())
