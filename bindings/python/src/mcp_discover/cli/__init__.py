"""The command line: mcp-discover probe, scan, request and parse."""

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, Optional

from .. import (
    Era,
    Implementation,
    McpDiscoverError,
    Method,
    Reply,
    ReplyKind,
    Verdict,
    __version__,
    build_request,
    era_of,
    parse_reply,
    printable,
    probe,
)
from . import _show

OK, FAILED, USAGE, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130

_MODERN_ERRORS = (-32020, -32021, -32022)
_EXIT = "exit status: 0 a verdict, 1 it could not run, 2 wrong usage, 3 the era is unknown"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command line; gives the exit status."""
    _open_streams()
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("mcp-discover: interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        # What is still buffered must not raise it again. If the reader has gone, nobody is left who wants to know.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        if not isinstance(error, BrokenPipeError):
            print(f"mcp-discover: cannot write the output: {error.strerror}", file=sys.stderr)
        return FAILED


def _open_streams() -> None:
    """Lets the streams take any letter. One that was closed before the program began goes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _run(arguments: Optional[Sequence[str]]) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    command: list[str] = []
    separated = "--" in given and given[0] == "probe"
    if separated:
        place = given.index("--")
        given, command = given[:place], given[place + 1 :]
    parser = _parser()
    options = parser.parse_args(given)
    if options.run is _probe:
        if separated and options.command:
            parser.error("what stands before -- is no option of probe")
        options.command = command if separated else options.command
        if not options.command:
            parser.error("probe needs a command: mcp-discover probe -- COMMAND [ARG]...")
    status: int = options.run(options)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mcp-discover", description="Tells which MCP server you are talking to.", epilog=_EXIT, allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"mcp-discover {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, run: Any, about: str, **more: Any) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=about, description=about, epilog=_EXIT, allow_abbrev=False, **more)
        made.set_defaults(run=run)
        return made

    one = add(
        "probe",
        _probe,
        "Start a stdio server, ask it what it is, end it, and tell.",
        usage="mcp-discover probe [OPTION]... -- COMMAND [ARG]...",
    )
    one.add_argument("--timeout", type=_seconds, metavar="S", help="seconds for everything but shutdown (default: 30)")
    one.add_argument(
        "--prefer",
        action="append",
        metavar="VERSION",
        help="a protocol version to go on with, best first; may be repeated",
    )
    one.add_argument(
        "--env",
        action="append",
        default=[],
        type=_variable,
        metavar="K=V",
        help="a variable for the server; may be repeated",
    )
    one.add_argument("--cwd", metavar="DIR", help="the server's working directory")
    one.add_argument("--no-fallback", action="store_true", help="never send initialize")
    one.add_argument("--json", action="store_true", help="print the verdict as JSON")
    one.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the server and its arguments")

    many = add("scan", _scan, "Probe every stdio server that configuration files name.")
    many.add_argument(
        "config",
        nargs="*",
        metavar="CONFIG",
        help="files of Claude, Cursor, Windsurf, Gemini CLI, VS Code or Codex (default: your own, in their usual "
        "places)",
    )
    many.add_argument("--jobs", type=_jobs, default=8, metavar="N", help="probes at a time (default: 8)")
    many.add_argument("--timeout", type=_seconds, metavar="S", help="seconds for each server (default: 30)")
    many.add_argument("--yes", action="store_true", help="start the servers without asking")
    many.add_argument("--json", action="store_true", help="print the verdicts as JSON")

    ask = add("request", _request, "Print the request that asks a server what it is.")
    ask.add_argument(
        "--id", type=_identifier, metavar="ID", help='its id: an integer, or a text (default: "discover-1")'
    )
    ask.add_argument("--client", type=_client, metavar="NAME/VERSION", help="who asks")
    ask.add_argument(
        "--version", metavar="V", help="the protocol version to ask with; a legacy one makes it initialize"
    )

    read = add("parse", _parse, "Read a server's reply from a file or standard input.")
    read.add_argument("file", nargs="?", default="-", metavar="FILE", help="the file (default: standard input)")
    read.add_argument("--id", type=_identifier, metavar="ID", help="the id of the request (default: any)")
    read.add_argument("--initialize", action="store_true", help="the reply answers initialize, not server/discover")
    read.add_argument("--json", action="store_true", help="print what was read as JSON")
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError("expected seconds, such as 2.5") from None
    if not 0 < seconds <= 86_400:
        raise argparse.ArgumentTypeError("expected more than 0 seconds, and at most a day")
    return seconds


def _jobs(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", text) or int(text) == 0:
        raise argparse.ArgumentTypeError("expected a number from 1 to 999")
    return int(text)


def _variable(text: str) -> "tuple[str, str]":
    name, equals, value = text.partition("=")
    if not name or not equals:
        # The text is not shown: what was meant for a value may be a secret.
        raise argparse.ArgumentTypeError("expected NAME=VALUE")
    return name, value


def _identifier(text: str) -> "str | int":
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text


def _client(text: str) -> Implementation:
    name, slash, version = text.rpartition("/")
    if not name or not slash or not version:
        raise argparse.ArgumentTypeError("expected NAME/VERSION, such as my-client/1.0")
    return Implementation(name=name, version=version)


def fail(error: McpDiscoverError, as_json: bool) -> int:
    """Tells why it could not run."""
    if as_json:
        print(json.dumps({"failure": failure(error)}))
    else:
        print(f"mcp-discover: {printable(error.message)}", file=sys.stderr)
    return FAILED


def failure(error: McpDiscoverError) -> dict[str, str]:
    return {"status": str(error.status), "message": error.message}


def stop(message: str, status: int = FAILED) -> NoReturn:
    """Ends the program with a message."""
    print(f"mcp-discover: {message}", file=sys.stderr)
    raise SystemExit(status)


def _probe(options: argparse.Namespace) -> int:
    try:
        verdict = probe(
            options.command,
            env=dict(options.env),
            cwd=options.cwd,
            timeout=options.timeout,
            prefer=options.prefer,
            fallback="none" if options.no_fallback else "initialize",
        )
    except McpDiscoverError as error:
        return fail(error, options.json)
    if options.json:
        print(verdict.to_json())
    else:
        _show.show_verdict(_show.Page(sys.stdout), verdict)
    return status_of(verdict)


def status_of(verdict: Verdict) -> int:
    return UNKNOWN if verdict.era is Era.UNKNOWN else OK


def _scan(options: argparse.Namespace) -> int:
    from ._scan import scan

    return scan(options)


def _request(options: argparse.Namespace) -> int:
    legacy = options.version is not None and era_of(options.version) is Era.LEGACY
    try:
        request = build_request(
            Method.INITIALIZE if legacy else Method.DISCOVER,
            id=options.id,
            version=options.version,
            client=options.client,
        )
    except McpDiscoverError as error:
        return fail(error, False)
    print(request.decode())
    return OK


def _parse(options: argparse.Namespace) -> int:
    try:
        if options.file == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(options.file, "rb") as file:
                data = file.read()
    except OSError as error:
        stop(f"cannot read {printable(options.file)}: {error.strerror}")
    try:
        reply = parse_reply(data, method=Method.INITIALIZE if options.initialize else Method.DISCOVER, id=options.id)
    except McpDiscoverError as error:
        return fail(error, options.json)
    era = _era_of(reply)
    if options.json:
        print(json.dumps(_reply_document(reply, era)))
    else:
        _show.show_reply(_show.Page(sys.stdout), reply, era)
    return UNKNOWN if era is Era.UNKNOWN else OK


def _era_of(reply: Reply) -> Era:
    """What the reply alone proves."""
    if reply.discover is not None:
        eras = {era_of(version) for version in reply.discover.supported_versions}
        return Era.MODERN if Era.MODERN in eras else Era.LEGACY
    if reply.initialize is not None:
        return Era.LEGACY
    if reply.error is not None and reply.error.code in _MODERN_ERRORS:
        eras = {era_of(version) for version in reply.error.supported}
        return Era.LEGACY if eras == {Era.LEGACY} else Era.MODERN
    return Era.UNKNOWN


def _reply_document(reply: Reply, era: Era) -> dict[str, Any]:
    """A reply in the words of a verdict's JSON."""
    return {
        "schema": 1,
        "kind": str(reply.kind),
        "era": str(era),
        "discover": reply.discover.raw if reply.discover is not None else None,
        "initialize": reply.initialize.raw if reply.initialize is not None else None,
        "error": reply.error.raw if reply.kind is ReplyKind.RPC_ERROR and reply.error is not None else None,
        "remarks": [{"code": str(remark.code), "text": remark.text} for remark in reply.remarks],
    }
