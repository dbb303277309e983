"""A minimal server on fastmcp 4."""

from fastmcp import FastMCP

server = FastMCP("minimal", version="1.2.3", instructions="Adds numbers.")


@server.tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


server.run(show_banner=False)
