"""Asks a server what it is: through C, Python and Go, and by the client of an SDK."""

import contextlib
import json
import os
import re
import subprocess
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mcp_discover
from install import folder_of
from table import HERE, REPOSITORY, SETS, Server, client_of

#: The example program, which probes with the library's defaults.
IN_C = REPOSITORY / "target" / "release" / "examples-c" / "probe"
IN_GO = REPOSITORY / ".cache" / "interop-prober"
KEPT = REPOSITORY / ".cache" / "interop-kept"
#: In Python and Go a server has all the time that a busy machine may need.
PATIENCE = {"timeout": 120, "grace": 30}
DISCOVER_PATIENCE = 60
MARK = "MCPD_INTEROP"


def words(server_or_client: tuple[str, ...], set_name: str) -> list[str]:
    """A command, with its places filled in."""
    folder = folder_of(SETS[set_name])
    places = {"{python}": str(folder / "bin" / "python"), "{set}": str(folder), "{here}": str(HERE)}
    filled = list(server_or_client)
    for place, path in places.items():
        filled = [word.replace(place, path) for word in filled]
    return filled


def environment(server: Server) -> dict[str, str]:
    return {name: words((value,), server.set)[0] for name, value in server.env.items()}


def _marked(mark: str) -> list[int]:
    """The processes that were started with this mark in their environment, and live."""
    entry = f"{MARK}={mark}".encode()
    pids = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if entry in path.read_bytes().split(b"\0"):
                pids.append(int(path.parent.name))
    return pids


@contextlib.contextmanager
def nothing_left() -> Iterator[dict[str, str]]:
    """Gives a variable for the environment, and fails if a process that inherited it is left behind."""
    mark = uuid.uuid4().hex
    yield {MARK: mark}
    end = time.monotonic() + 2  # What SIGKILL was sent to takes a moment to go.
    while (left := _marked(mark)) and time.monotonic() < end:
        time.sleep(0.01)
    assert not left, f"the processes {left} are left behind"


def _output(command: list[str], env: dict[str, str], statuses: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, timeout=240)
    assert done.returncode in statuses, (done.returncode, done.stdout, done.stderr)
    return done.stdout


def through_python(server: Server) -> dict[str, Any]:
    with nothing_left() as mark:
        verdict = mcp_discover.probe(
            words(server.command, server.set),
            env={**environment(server), **mark},
            discover_timeout=server.discover_timeout or DISCOVER_PATIENCE,
            **PATIENCE,
        )
    return json.loads(verdict.to_json())


def through_go(server: Server) -> dict[str, Any]:
    patience = f"{server.discover_timeout or DISCOVER_PATIENCE}s"
    with nothing_left() as mark:
        told = _output(
            [str(IN_GO), "probe", patience, *words(server.command, server.set)], {**environment(server), **mark}
        )
    return json.loads(told)


def through_c(server: Server) -> dict[str, list[str]]:
    """What the example prints: each label and its values."""
    with nothing_left() as mark:
        # It exits 3 where it cannot tell what a server is.
        told = _output([str(IN_C), *words(server.command, server.set)], {**environment(server), **mark}, (0, 3))
    printed: dict[str, list[str]] = {}
    for line in told.splitlines():
        label, value = re.fullmatch(r"(.{12}) ?(.*)", line).groups()
        printed.setdefault(label.strip(), []).append(value)
    return printed


@dataclass(frozen=True)
class Kept:
    """A server that was kept after a probe: the era it is spoken to in, the names of its tools, how it ended."""

    era: str
    tools: list[str]
    shutdown: str


def _kept(era: str, answer: str | bytes, end: str) -> Kept:
    return Kept(era, [tool["name"] for tool in json.loads(answer)["result"]["tools"]], end.split(" ")[0])


def kept_in_c(server: Server) -> Kept:
    patience = str(int(1000 * (server.discover_timeout or DISCOVER_PATIENCE)))
    with nothing_left() as mark:
        told = _output([str(KEPT), patience, *words(server.command, server.set)], {**environment(server), **mark})
    return _kept(*told.splitlines())


def kept_in_go(server: Server) -> Kept:
    patience = f"{server.discover_timeout or DISCOVER_PATIENCE}s"
    command = [str(IN_GO), "kept", patience, *words(server.command, server.set)]
    with nothing_left() as mark:
        told = _output(command, {**environment(server), **mark})
    return _kept(*told.splitlines())


def kept_in_python(server: Server) -> Kept:
    with nothing_left() as mark:
        connection = mcp_discover.open_connection(
            words(server.command, server.set),
            env={**environment(server), **mark},
            discover_timeout=server.discover_timeout or DISCOVER_PATIENCE,
            **PATIENCE,
        )
        with connection:
            connection.stdin.write(_tools_request(connection))
            connection.stdin.flush()
            answer = next(line for line in connection.stdout if b'"interop-tools"' in line)
    return _kept(str(connection.era), answer, str(connection.shutdown))


def _tools_request(connection: mcp_discover.Connection) -> bytes:
    request: dict[str, Any] = {"jsonrpc": "2.0", "id": "interop-tools", "method": "tools/list"}
    if connection.era is mcp_discover.Era.MODERN:
        request["params"] = {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": connection.version,
                "io.modelcontextprotocol/clientInfo": {"name": "interop", "version": "1.0.0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        }
    return json.dumps(request).encode() + b"\n"


@cache
def as_its_client_sees_it(server: Server) -> dict[str, Any]:
    """What the client of the server's own SDK tells of it."""
    set_name, command = client_of(server)
    asked = words(command, set_name) + words(server.command, server.set)
    return json.loads(_output(asked, environment(server)))
