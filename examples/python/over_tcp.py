"""Asks a server at the other end of a connection what it is, as with a container's pipes: over_tcp.py HOST PORT"""

import socket
import sys

from mcp_discover import McpDiscoverError, printable, probe_descriptors


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: over_tcp.py HOST PORT")
    try:
        with socket.create_connection(sys.argv[1:3]) as connection:
            verdict = probe_descriptors(connection, timeout=10)
    except (OSError, McpDiscoverError) as error:
        sys.exit(f"over_tcp: {error}")
    print(f"era:  {verdict.era}")
    print(f"next: {verdict.next} {verdict.version or ''}")
    print(f"why:  {printable(verdict.summary)}")


if __name__ == "__main__":
    main()
