"""The command line, as a program of its own."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import mcp_discover
import pytest
from conftest import QUICK, QUICK_ANSWER, example
from mcp_discover import Verdict
from test_probe import SILENT

SOURCES = str(Path(mcp_discover.__file__).parents[1])
ENVIRONMENT = {**os.environ, "PYTHONPATH": SOURCES}
PROGRAM = [sys.executable, "-m", "mcp_discover"]


def run(*arguments, stdin=b"", environment=None, program=PROGRAM):
    done = subprocess.run(
        [*program, *arguments], input=stdin, capture_output=True, env={**ENVIRONMENT, **(environment or {})}
    )
    done.out, done.err = done.stdout.decode(), done.stderr.decode()
    return done


# probe


def test_probe_tells_people_what_there_is():
    done = run("probe", "--", *example("modern"))
    assert done.returncode == 0
    lines = done.out.splitlines()
    assert lines[0] == "modern-example 1.4.0"
    told = {line[:16].strip(): line[16:] for line in lines[1:]}
    assert told["era"] == "modern, the server said so"
    assert told["next"] == "send modern requests, with 2026-07-28"
    assert told["versions"] == "2026-07-28"
    assert told["capabilities"] == "tools (tells of changes), resources"
    assert told["fresh for"] == "600 s, public"
    assert told["process"] == "exit code 0, stdin_closed"
    assert "\x1b" not in done.out
    assert done.err == ""


def test_probe_tells_remarks_and_errors():
    done = run("probe", *example("legacy"))
    assert done.returncode == 0
    assert "discover was answered with error -32601" in done.out
    assert "noise: " in run("probe", *example("noisy")).out


def test_probe_tells_why_nothing_is_known():
    done = run("probe", "--", "sh", "-c", "echo banner; echo the key is missing >&2; exit 1")
    assert done.returncode == 3
    assert "era           unknown" in done.out
    assert "the key is missing" in done.out
    assert "banner" in done.out


def test_probe_gives_the_verdict_as_json():
    done = run("probe", "--json", "--", *QUICK)
    assert done.returncode == 0
    assert Verdict.from_json(done.out).server.name == "quick"
    assert len(done.out.splitlines()) == 1
    unknown = run("probe", "--json", "--", "false")
    assert (unknown.returncode, json.loads(unknown.out)["era"]) == (3, "unknown")


def test_a_command_that_cannot_be_started_is_status_1():
    done = run("probe", "--", "no-such-server")
    assert (done.returncode, done.out) == (1, "")
    assert done.err.startswith('mcp-discover: command "no-such-server" was not found')
    done = run("probe", "--json", "--", "no-such-server")
    assert done.returncode == 1
    failure = json.loads(done.out)["failure"]
    assert failure["status"] == "command_not_found"
    assert "no-such-server" in failure["message"]


def test_probe_takes_its_options(tmp_path):
    echo = 'printf "%s %s" "$A" "$(pwd)" >&2; exit 1'
    done = run("probe", "--json", "--env", "A=b=c", "--cwd", str(tmp_path), "--", "sh", "-c", echo)
    assert json.loads(done.out)["processes"][0]["stderrTail"] == f"b=c {tmp_path.resolve()}"
    done = run("probe", "--json", "--no-fallback", "--", *example("legacy"))
    assert (json.loads(done.out)["confirmed"], json.loads(done.out)["next"]) == (False, "initialize")
    done = run("probe", "--json", "--prefer", "2025-06-18", "--prefer", "2024-11-05", "--", *example("dual"))
    assert json.loads(done.out)["version"] == "2026-07-28"


def test_what_follows_the_command_belongs_to_the_server():
    done = run("probe", "sh", "-c", 'echo "$1" >&2', "sh", "--json")
    assert done.out.startswith("a server without a name")
    assert "--json" in done.out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["prove"],
        ["probe"],
        ["probe", "--"],
        ["probe", "--timeout", "0", "--", "true"],
        ["probe", "--timeout", "soon", "--", "true"],
        ["probe", "true", "--", "true"],
        ["probe", "--jso", "--", "true"],
        ["probe", "--env", "SECRET", "--", "true"],
        ["scan", "--jobs", "0"],
        ["request", "--client", "name"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_status_2_and_says_how_it_is_used(arguments):
    done = run(*arguments)
    assert (done.returncode, done.out) == (2, "")
    assert "usage: mcp-discover" in done.err
    assert "SECRET" not in done.err


def test_no_value_of_an_argument_or_variable_is_printed():
    for command in (["no-such-server", "hunter2"], ["false", "hunter2"], ["/", "hunter2"]):
        for flags in ([], ["--json"]):
            done = run("probe", *flags, "--env", "KEY=hunter2", "--", *command)
            assert "hunter2" not in done.out + done.err


ESCAPES = "\x1b[31mred\x1b[0m\r\n\x07\u202etxt\x9b1m\u2066"


def assert_safe(text):
    assert text
    for letter in text:
        assert letter == "\n" or letter.isprintable(), repr(text)


def hostile(scripted):
    """A server that says escapes wherever it can."""
    result = {
        "resultType": "complete",
        "supportedVersions": ["2026-07-28", ESCAPES],
        "capabilities": {"tools": {}, "extensions": {ESCAPES: {}}, "experimental": {ESCAPES: 1}},
        "instructions": ESCAPES * 20,
        "_meta": {
            "io.modelcontextprotocol/serverInfo": {
                name: ESCAPES for name in ("name", "version", "title", "description", "websiteUrl")
            }
        },
    }
    return scripted(
        {"start": [{"line": ESCAPES}, {"stderr": ESCAPES}], "on": {"server/discover": [{"result": result}]}}
    )


def refusing(scripted):
    error = {"code": -32021, "message": ESCAPES, "data": {"requiredCapabilities": {ESCAPES: {}}}}
    return scripted({"on": {"server/discover": [{"error": error}]}}, "refusing")


def leaving(scripted):
    return scripted({"start": [{"line": ESCAPES}, {"stderr": ESCAPES}, {"exit": 1}]}, "leaving")


@pytest.mark.parametrize("server", [hostile, refusing, leaving], ids=lambda server: server.__name__)
def test_no_escape_of_a_server_reaches_the_terminal(scripted, server):
    done = run("probe", "--", *server(scripted))
    assert done.returncode in (0, 3)
    assert_safe(done.out)
    assert "\\x1b[31mred" in done.out


def test_no_escape_of_a_stored_reply_or_a_file_name_reaches_the_terminal():
    error = {"jsonrpc": "2.0", "id": ESCAPES, "error": {"code": 1, "message": ESCAPES}}
    assert_safe(run("parse", stdin=json.dumps(error).encode()).out)
    assert_safe(run("parse", stdin=json.dumps({"id": 1, "result": {"protocolVersion": ESCAPES}}).encode()).out)
    assert_safe(run("parse", f"/no/such/{ESCAPES}").err)
    assert_safe(run("probe", "--", f"/no/such/{ESCAPES}").err)


def on_a_terminal(*arguments, **variables):
    """What the program prints on a terminal."""
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in ENVIRONMENT.items() if key != "NO_COLOR"}
    environment.update({"TERM": "xterm", **variables})
    child = subprocess.Popen([*PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    return child.wait(), text.decode()


def test_there_is_colour_on_a_terminal_only():
    status, text = on_a_terminal("probe", "--", *QUICK)
    assert status == 0
    assert "\x1b[32mmodern\x1b[0m" in text
    assert "\x1b" not in on_a_terminal("probe", "--", *QUICK, NO_COLOR="1")[1]
    assert "\x1b" in on_a_terminal("probe", "--", *QUICK, NO_COLOR="")[1]


def test_a_locale_without_the_letters_does_no_harm(scripted):
    result = {**QUICK_ANSWER["result"], "instructions": "h\u00e9llo \u65e5\u672c"}
    command = scripted({"on": {"server/discover": [{"result": result}]}})
    done = run("probe", "--", *command, environment={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0
    assert "h\\xe9llo" in done.out


def test_a_reader_that_leaves_does_no_harm():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, "request"], stdout=writer, stderr=subprocess.PIPE, env=ENVIRONMENT)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def redirected(redirection, *arguments):
    shell = ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh"]
    return run(*arguments, program=[*shell, *PROGRAM])


@pytest.mark.parametrize("arguments", [["request"], ["probe", "--", *QUICK], ["parse"], ["scan", "/no/such/file"]])
def test_streams_that_are_closed_do_no_harm(arguments):
    plain = run(*arguments)
    for redirection in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = redirected(redirection, *arguments)
        assert done.returncode == plain.returncode
        if ">&-" in redirection.split():
            assert done.out == ""
        assert done.err == ("" if "2>&-" in redirection else plain.err)


@pytest.mark.parametrize("arguments", [["request"], ["probe", "--", *QUICK]], ids=lambda words: words[0])
def test_a_full_disk_is_told(arguments):
    done = redirected("> /dev/full", *arguments)
    assert done.returncode == 1
    assert done.err == "mcp-discover: cannot write the output: No space left on device\n"


def test_ctrl_c_ends_it_quietly(scripted):
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, *scripted(SILENT)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    with child:
        assert child.stderr.readline() == b"up\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
    assert (child.returncode, out, err) == (130, b"", b"mcp-discover: interrupted\n")


# The command line captures what a server writes to standard error; here it is let through, to see when it is up.
INTERRUPTED = """
import functools, sys
from mcp_discover import cli
cli.probe = functools.partial(cli.probe, stderr="inherit")
sys.exit(cli.main(["probe", "--", *sys.argv[1:]]))
"""

# request


def test_request_prints_the_request():
    done = run("request")
    assert done.returncode == 0
    assert done.out.encode() == mcp_discover.build_request() + b"\n"
    asked = json.loads(run("request", "--id", "7", "--client", "my/client/2.0").out)
    assert asked["id"] == 7
    assert asked["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] == {"name": "my/client", "version": "2.0"}
    assert json.loads(run("request", "--id", "seven").out)["id"] == "seven"
    legacy = json.loads(run("request", "--version", "2025-06-18").out)
    assert (legacy["method"], legacy["params"]["protocolVersion"]) == ("initialize", "2025-06-18")


def test_the_example_server_understands_the_request():
    request = run("request", "--id", "1").out.encode()
    server = subprocess.run(example("modern"), input=request, capture_output=True)
    done = run("parse", "--id", "1", stdin=server.stdout)
    assert done.returncode == 0
    assert done.out.startswith("modern-example 1.4.0\n")


# parse


def test_parse_reads_a_file_or_standard_input(tmp_path):
    data = json.dumps(QUICK_ANSWER).encode()
    stored = tmp_path / "reply.json"
    stored.write_bytes(data)
    assert run("parse", str(stored)).out == run("parse", stdin=data).out == run("parse", "-", stdin=data).out
    told = json.loads(run("parse", "--json", str(stored)).out)
    assert (told["kind"], told["era"], told["discover"]) == ("discover", "modern", QUICK_ANSWER["result"])


@pytest.mark.parametrize(
    ("message", "flags", "status", "part"),
    [
        ({"id": 1, "result": {"supportedVersions": ["2025-06-18"]}}, [], 0, "legacy"),
        ({"id": 1, "result": {"protocolVersion": "2025-06-18"}}, ["--initialize"], 0, "legacy"),
        ({"id": 1, "error": {"code": -32022, "message": "m", "data": {"supported": ["2026-10-01"]}}}, [], 0, "modern"),
        ({"id": 1, "error": {"code": -32022, "message": "m", "data": {"supported": ["2025-11-25"]}}}, [], 0, "legacy"),
        ({"id": 1, "error": {"code": -32601, "message": "no"}}, [], 3, "error -32601: no"),
        ({"id": 1, "result": {}}, [], 3, "unusable"),
        ({"id": 1, "result": {"supportedVersions": ["2026-07-28"]}}, ["--id", "2"], 3, "unrelated"),
    ],
)
def test_parse_tells_the_era_as_far_as_the_reply_does(message, flags, status, part):
    done = run("parse", *flags, stdin=json.dumps({"jsonrpc": "2.0", **message}).encode())
    assert done.returncode == status
    assert part in done.out
    as_json = run("parse", "--json", *flags, stdin=json.dumps({"jsonrpc": "2.0", **message}).encode())
    assert as_json.returncode == status
    assert json.loads(as_json.out)["schema"] == 1


def test_parse_fails_on_what_is_no_json_and_on_a_missing_file():
    done = run("parse", stdin=b"{")
    assert (done.returncode, done.out) == (1, "")
    assert "at byte 1" in done.err
    assert json.loads(run("parse", "--json", stdin=b"{").out)["failure"]["status"] == "invalid_json"
    done = run("parse", "/no/such/file")
    assert done.returncode == 1
    assert "/no/such/file" in done.err


def test_help_and_version():
    assert run("--version").out == f"mcp-discover {mcp_discover.__version__}\n"
    for command in ("probe", "scan", "request", "parse"):
        done = run(command, "--help")
        assert done.returncode == 0
        assert "exit status" in done.out
