"""The smallest server on the official Python SDK."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("smallest", version="1.2.3", instructions="Adds numbers.")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


server.run()
