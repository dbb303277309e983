"""Reads a stored answer to server/discover, and says what it tells: python parse_reply.py FILE"""

import sys
from pathlib import Path

from mcp_discover import InvalidReply, ReplyKind, parse_reply, printable, select_version


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: parse_reply.py FILE")
    try:
        reply = parse_reply(Path(sys.argv[1]).read_bytes())
    except (OSError, InvalidReply) as error:
        sys.exit(f"parse_reply: {error}")

    print(f"reply:   {reply.kind}")
    if reply.kind is ReplyKind.DISCOVER:
        found = reply.discover
        if found.server is not None and found.server.name is not None:
            print(f"server:  {printable(found.server.name)}")
        if found.capabilities is not None:
            print(f"offers:  {', '.join(found.capabilities.names())}")
        print(f"go on:   {select_version(found.supported_versions) or 'no version that both sides speak'}")
    elif reply.kind is ReplyKind.RPC_ERROR:
        print(f"error:   {reply.error.code} {printable(reply.error.message or '')}")
    for remark in reply.remarks:
        print(f"remark:  {printable(remark.text)}")


if __name__ == "__main__":
    main()
