"""Asks a server behind a Unix socket what it is, as one would over SSH or to a container: over_a_socket.py SOCKET"""

import asyncio
import contextlib
import sys

from mcp_discover import Negotiation, Step, printable


async def close(writer, reader, negotiation):
    """Ends the sending side, and hears for a moment what still comes, for it counts."""

    async def hear():
        writer.write_eof()
        while data := await reader.read(65536):
            negotiation.received(data)

    with contextlib.suppress(asyncio.TimeoutError, OSError):
        await asyncio.wait_for(hear(), 2)
    writer.close()
    negotiation.closed()


async def discover(connect):
    """The verdict on a server that `connect` connects to, anew each time it is called."""
    with Negotiation() as negotiation:
        while True:
            step = negotiation.next()
            if step is Step.START:
                reader, writer = await connect()
                negotiation.started()
            elif step is Step.SEND:
                writer.write(negotiation.line)
            elif step is Step.WAIT:
                try:
                    data = await asyncio.wait_for(reader.read(65536), negotiation.timeout)
                except asyncio.TimeoutError:
                    continue
                except OSError:
                    data = b""
                if data:
                    negotiation.received(data)
                else:
                    writer.close()
                    negotiation.closed()
            elif step is Step.CLOSE:
                await close(writer, reader, negotiation)
            else:
                return negotiation.verdict()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: over_a_socket.py SOCKET")
    try:
        verdict = asyncio.run(discover(lambda: asyncio.open_unix_connection(sys.argv[1])))
    except OSError as error:
        sys.exit(f"over_a_socket: {error}")
    print(f"era:  {verdict.era}")
    print(f"next: {verdict.next} {verdict.version or ''}")
    print(f"why:  {printable(verdict.summary)}")


if __name__ == "__main__":
    main()
