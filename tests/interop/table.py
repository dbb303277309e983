"""The table of servers: what is installed from where, and what each must come out as."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import tomllib

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
#: What is installed, and what the suite wrote. Checkouts may share it: every folder in it is named by its content.
CACHE = Path(os.environ.get("INTEROP_CACHE") or REPOSITORY / ".cache" / "interop").resolve()


@dataclass(frozen=True)
class PackageSet:
    """Packages that are installed together, from one lock."""

    name: str
    kind: str
    lock: str | None = None
    folder: str | None = None
    modfile: str | None = None
    client: tuple[str, ...] = ()


@dataclass(frozen=True)
class Server:
    """A server, and what must come out about it."""

    name: str
    set: str
    command: tuple[str, ...]
    verdict: str
    exits: tuple[int, ...]
    version: str | None = None
    speaks: tuple[str, ...] = ()
    discover: str = "result"
    stderr: str = ""
    client: str | tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict, hash=False)
    discover_timeout: float | None = None
    note: str = ""


def _frozen(row: dict[str, object]) -> dict[str, object]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


_TABLE = tomllib.loads((HERE / "servers.toml").read_text(encoding="utf-8"))
SETS = {name: PackageSet(name, **_frozen(row)) for name, row in _TABLE["sets"].items()}
SERVERS = [Server(**_frozen(row)) for row in _TABLE["servers"]]


def client_of(server: Server) -> tuple[str, tuple[str, ...]]:
    """The set and the command of the SDK client that asks a server; an empty command if none does."""
    if isinstance(server.client, str):
        return server.client, SETS[server.client].client
    return server.set, server.client or SETS[server.set].client
