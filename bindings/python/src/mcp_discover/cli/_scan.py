"""Probes what configuration files name, several servers at a time."""

import argparse
import json
import os
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any, Optional, Union

import mcp_discover

from .. import CommandNotFound, Era, InvalidArgument, McpDiscoverError, Verdict, printable
from .._probe import probe_options
from . import FAILED, OK, UNKNOWN, _show, failure, stop

try:
    import json5  # noqa: F401
    from rich import box
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
    from rich.table import Table
    from rich.text import Text

    if sys.version_info < (3, 11):
        import tomli  # noqa: F401
except ImportError as error:
    stop(f"scan needs the package {error.name}; install it with: pip install 'mcp-discover[cli]'")

from . import _configs
from ._configs import ConfigError, Server

Outcome = Union[Verdict, McpDiscoverError]

_ERA_STYLES = {Era.MODERN: "green", Era.LEGACY: "yellow", Era.UNKNOWN: "red"}


def scan(options: argparse.Namespace) -> int:
    named = [Path(name) for name in options.config]
    files = named or _configs.user_files()
    if not files:
        stop("found no configuration of an MCP client of yours; name a file: mcp-discover scan CONFIG")
    servers, unread = _read(files, named=bool(named))
    to_probe = [server for server in servers if server.skipped is None]
    if to_probe and not options.yes and not _agreed(to_probe):
        stop("nothing was started")
    outcomes = _probe_all(to_probe, options.jobs, options.timeout)
    if options.json:
        print(json.dumps({"schema": 1, "servers": [_document(server, outcomes) for server in servers]}))
    else:
        _print_table(servers, outcomes)
        _print_summary(servers, outcomes)
    return _status(servers, outcomes, unread)


def _read(files: list[Path], named: bool) -> tuple[list[Server], bool]:
    servers: list[Server] = []
    unread = False
    for path in files:
        try:
            servers += _configs.read(path)
        except ConfigError as error:
            print(f"mcp-discover: {_path(path)}: {printable(str(error))}", file=sys.stderr)
            unread = True
    if not servers and unread:
        raise SystemExit(FAILED)
    return servers, unread


def _path(path: Path) -> str:
    """A path, with the user's home folder as ~."""
    try:
        return printable(f"~/{path.resolve().relative_to(Path.home())}")
    except (ValueError, RuntimeError):
        return printable(str(path))


def _agreed(servers: list[Server]) -> bool:
    """Lists what would be started, and asks. Arguments and variables may hold secrets: their values are not shown."""
    out = sys.stderr
    print("These programs would be started, each with the arguments its file gives:", file=out)
    config = None
    for server in servers:
        if server.config != config:
            config = server.config
            print(f"\n  {_path(config)}", file=out)
        count = len(server.command) - 1
        told = [printable(server.command[0])]
        told += [f"{count} argument{'s' if count > 1 else ''}"] if count else []
        told += [f"sets {', '.join(printable(name) for name in server.env)}"] if server.env else []
        print(f"    {printable(server.name)}: {', '.join(told)}", file=out)
    print(f"\nStart {len(servers)} program{'s' if len(servers) > 1 else ''}? [y/N] ", end="", file=out, flush=True)
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        print("\nmcp-discover: nobody answered; --yes starts them without asking", file=out)
    return answer.strip().lower() in {"y", "yes"}


def _probe_all(servers: list[Server], jobs: int, timeout: Optional[float]) -> dict[tuple[Any, ...], Outcome]:
    """Probes each server once, though several files may name it."""
    distinct = {server.key: server for server in servers}
    outcomes: dict[tuple[Any, ...], Outcome] = {}
    for key, server in list(distinct.items()):
        try:
            probe_options(server.command, env=server.env, cwd=server.cwd)
        except InvalidArgument as error:
            # A file may say anything; the other servers are probed nevertheless.
            outcomes[key] = error
            del distinct[key]
    console = Console(stderr=True)
    progress = Progress(
        SpinnerColumn(), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    requests = [
        mcp_discover.Server(server.command, env=dict(server.env), cwd=server.cwd) for server in distinct.values()
    ]
    # Servers are started in their order, so those that run are the first that have no outcome.
    left = {id(request): server for request, server in zip(requests, distinct.values())}
    with mcp_discover.scan(requests, jobs=jobs, timeout=timeout) as found, progress:
        task = progress.add_task(_names(left.values(), jobs), total=len(distinct))
        for request, outcome in found:
            outcomes[left.pop(id(request)).key] = outcome
            progress.update(task, description=_names(left.values(), jobs), advance=1)
    return outcomes


def _names(left: Iterable[Server], jobs: int) -> str:
    names = sorted(printable(server.name)[:30] for server in islice(left, jobs))
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")


def _document(server: Server, outcomes: dict[tuple[Any, ...], Outcome]) -> dict[str, Any]:
    document: dict[str, Any] = {"name": server.name, "config": str(server.config)}
    if server.skipped is not None:
        return {**document, "notProbed": server.skipped}
    outcome = outcomes[server.key]
    if isinstance(outcome, Verdict):
        return {**document, "verdict": outcome.raw}
    return {**document, "failure": failure(outcome)}


def _print_table(servers: list[Server], outcomes: dict[tuple[Any, ...], Outcome]) -> None:
    console = Console()
    if not console.is_terminal:
        # Nobody sees the end of a line there, so nothing has to be folded.
        console = Console(width=None if os.environ.get("COLUMNS") else 1000)
    several = len({server.config for server in servers}) > 1
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for heading in ("name", "era", "version"):
        table.add_column(heading, no_wrap=True)
    for heading in ("server", "capabilities", "notes", *(["from"] if several else [])):
        table.add_column(heading, overflow="fold")
    for server in servers:
        source = [Text(printable(_configs.client_of(server.config)), style="dim")] if several else []
        table.add_row(Text(printable(server.name)), *_cells(server, outcomes), *source)
    console.print(table)


def _cells(server: Server, outcomes: dict[tuple[Any, ...], Outcome]) -> list[Text]:
    if server.skipped is not None:
        return [Text("-", style="dim"), *[Text("")] * 3, Text(f"not probed: {printable(server.skipped)}", style="dim")]
    outcome = outcomes[server.key]
    if not isinstance(outcome, Verdict):
        return [Text("failed", style="red"), *[Text("")] * 3, Text(printable(_failure(server, outcome)))]
    notes = [str(remark.code) for remark in outcome.remarks]
    if outcome.era is Era.UNKNOWN:
        notes = [_last_words(outcome) or outcome.summary]
    elif not outcome.confirmed:
        notes.insert(0, "not confirmed")
    return [
        Text(str(outcome.era), style=_ERA_STYLES.get(outcome.era, "red")),
        Text(printable(outcome.version or "")),
        Text(_show.name_of(outcome.server) if outcome.server is not None else ""),
        Text(", ".join(outcome.capabilities.names()) if outcome.capabilities is not None else ""),
        Text(printable(", ".join(notes))),
    ]


def _failure(server: Server, error: McpDiscoverError) -> str:
    """In a table there is no room for the PATH."""
    if isinstance(error, CommandNotFound) and "PATH" in error.message:
        return f"command not found: {server.command[0]}"
    return error.message


def _last_words(verdict: Verdict) -> Optional[str]:
    """How a server ended that gave a reason, and the end of that."""
    if not verdict.processes:
        return None
    process = verdict.processes[-1]
    lines = process.stderr_tail.strip().splitlines()
    return f"{_show.end_of(process)}: {lines[-1].strip()[:200]}" if lines else None


def _print_summary(servers: list[Server], outcomes: dict[tuple[Any, ...], Outcome]) -> None:
    counts: dict[str, int] = {}
    for server in servers:
        outcome = outcomes.get(server.key) if server.skipped is None else None
        what = "not probed" if outcome is None else str(outcome.era) if isinstance(outcome, Verdict) else "failed"
        counts[what] = counts.get(what, 0) + 1
    told = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"\n{len(servers)} server{'' if len(servers) == 1 else 's'}{': ' if told else ''}{told}")


def _status(servers: list[Server], outcomes: dict[tuple[Any, ...], Outcome], unread: bool) -> int:
    found = list(outcomes.values())
    if unread or any(not isinstance(outcome, Verdict) for outcome in found):
        return FAILED
    return UNKNOWN if any(isinstance(o, Verdict) and o.era is Era.UNKNOWN for o in found) else OK
