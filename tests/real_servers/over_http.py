"""The smallest server on the official Python SDK, of either era, over Streamable HTTP on a free port of loopback.

over_http.py stream|json|stateless: how it answers. It prints its address first.
"""

import socket
import sys

import uvicorn

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP

    server = FastMCP("smallest", instructions="Adds numbers.")
else:
    server = MCPServer("smallest", version="1.2.3", instructions="Adds numbers.")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


options = {"json": {"json_response": True}, "stateless": {"stateless_http": True}}.get(sys.argv[1], {})
try:
    app = server.streamable_http_app(**options)
except TypeError:
    # The legacy era keeps the same options in its settings.
    for name, value in options.items():
        setattr(server.settings, name, value)
    app = server.streamable_http_app()

with socket.create_server(("127.0.0.1", 0)) as listener:
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
