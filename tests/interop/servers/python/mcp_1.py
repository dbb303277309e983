"""A minimal server on mcp 1."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("minimal", instructions="Adds numbers.")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


server.run()
