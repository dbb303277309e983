"""Opens a connection to an MCP server, and asks it for its tools over the same pipes: python connect.py COMMAND..."""

import json
import sys

import mcp_discover
from mcp_discover import Era, printable


def tools_in(lines, identifier):
    """The tools in the answer to a request. There may be other messages before it, and log lines too."""
    for line in lines:
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and answer.get("id") == identifier:
            return answer.get("result", {}).get("tools", [])
    return []


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: connect.py COMMAND [ARGUMENT]...")
    try:
        connection = mcp_discover.open_connection(sys.argv[1:])
    except (mcp_discover.NoConnection, mcp_discover.StartFailed) as error:
        sys.exit(f"connect: {printable(str(error))}")
    with connection as server:
        print(f"connected: {server.era}, {server.version}")
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        if server.era is Era.MODERN:
            # A modern request says who asks; a legacy server was told so by initialize.
            request["params"]["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": server.version,
                "io.modelcontextprotocol/clientInfo": {"name": "connect", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        for tool in tools_in(server.stdout, 1):
            print(f"tool:      {printable(tool['name'])}")
    print(f"ended:     {server.shutdown}")


if __name__ == "__main__":
    main()
