"""Probes one MCP server and says how to go on: python probe_one.py COMMAND [ARGUMENT]..."""

import sys

import mcp_discover
from mcp_discover import Next, printable


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: probe_one.py COMMAND [ARGUMENT]...")
    try:
        verdict = mcp_discover.probe(sys.argv[1:], timeout=10)
    except mcp_discover.StartFailed as error:
        sys.exit(f"probe_one: {error}")

    print(f"era:    {verdict.era}{'' if verdict.confirmed else ' (not confirmed)'}")
    if verdict.server is not None and verdict.server.name is not None:
        # Texts come from the server: nothing in them may reach the terminal as a command.
        print(f"server: {printable(verdict.server.name)}")
    if verdict.next is Next.USE_MODERN:
        print(f"next:   send modern requests with {verdict.version}")
    elif verdict.next is Next.INITIALIZE:
        print(f"next:   start it anew, and send initialize with {verdict.version}")
    elif verdict.next is Next.CORRECT_REQUEST:
        print("next:   correct the request, as the error says")
    else:
        print("next:   give up")
    print(f"why:    {printable(verdict.summary)}")


if __name__ == "__main__":
    main()
