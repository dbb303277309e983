"""Probes many MCP servers side by side: python scan_many.py COMMAND...

Each argument is the whole command of a server, as it would be typed into a shell.
"""

import shlex
import sys

from mcp_discover import Verdict, printable, scan


def main():
    commands = [shlex.split(command) for command in sys.argv[1:]]
    for command, outcome in scan(commands, jobs=8, timeout=10):
        if not isinstance(outcome, Verdict):
            print(f"{outcome.status:18} {printable(shlex.join(command))}")
            continue
        version = outcome.version or "no version"
        name = outcome.server.name if outcome.server is not None else None
        print(f"{outcome.era:7} {version:10} {printable(name or shlex.join(command))}")


if __name__ == "__main__":
    main()
