"""The examples, and what the README shows."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mcp_discover
import pytest
from conftest import QUICK_ANSWER, REPOSITORY, SERVERS, example

EXAMPLES = REPOSITORY / "examples" / "python"
README = (REPOSITORY / "bindings" / "python" / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def environment(tmp_path):
    """A folder in which the README's commands are found, before all others."""
    for name, words in {"mcp-discover": [sys.executable, "-m", "mcp_discover"], "python3": [sys.executable]}.items():
        script = tmp_path / name
        script.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        script.chmod(0o755)
    sources = str(Path(mcp_discover.__file__).parents[1])
    variables = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "PYTHON"}}
    return {**variables, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": sources}


def run(words, environment):
    return subprocess.run(words, capture_output=True, text=True, env=environment, cwd=REPOSITORY)


def test_probe_one(environment):
    done = run([sys.executable, str(EXAMPLES / "probe_one.py"), *example("modern")], environment)
    assert done.stdout.splitlines()[:3] == [
        "era:    modern",
        "server: modern-example",
        "next:   send modern requests with 2026-07-28",
    ]
    done = run([sys.executable, str(EXAMPLES / "probe_one.py"), *example("legacy")], environment)
    assert "start it anew, and send initialize with 2025-11-25" in done.stdout
    done = run([sys.executable, str(EXAMPLES / "probe_one.py"), "no-such-server"], environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no-such-server" in done.stderr
    done = run([sys.executable, str(EXAMPLES / "probe_one.py"), str(EXAMPLES / "mcp.json")], environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("probe_one: ")


def test_connect(environment, scripted):
    for role, version in {"modern": "2026-07-28", "legacy": "2025-11-25"}.items():
        done = run([sys.executable, str(EXAMPLES / "connect.py"), *example(role)], environment)
        assert done.stdout.splitlines() == [
            f"connected: {role}, {version}",
            "tool:      clock",
            "ended:     stdin_closed",
        ]
    script = json.loads((SERVERS / "noisy.json").read_text(encoding="utf-8"))
    script["on"]["tools/list"] = [{"line": "[INFO] asked"}, {"line": "[]"}, {"result": {"tools": [{"name": "loud"}]}}]
    done = run([sys.executable, str(EXAMPLES / "connect.py"), *scripted(script)], environment)
    assert "tool:      loud\n" in done.stdout, done.stderr
    done = run([sys.executable, str(EXAMPLES / "connect.py"), *example("future")], environment)
    assert done.returncode == 1
    assert "the verdict is modern, give_up" in done.stderr


def test_scan_many(environment):
    commands = [shlex.join(example(role)) for role in ("modern", "legacy")]
    done = run([sys.executable, str(EXAMPLES / "scan_many.py"), *commands, "no-such-server"], environment)
    assert sorted(done.stdout.splitlines()) == [
        "command_not_found  no-such-server",
        "legacy  2025-11-25 legacy-example",
        "modern  2026-07-28 modern-example",
    ]
    assert done.stderr == ""


def test_cache(environment, tmp_path):
    folder = tmp_path / "cache"
    program = [sys.executable, str(EXAMPLES / "cache.py"), str(folder)]
    modern, legacy = [*program, *example("modern")], [*program, *example("legacy")]
    said = ["next:  use_modern 2026-07-28", "fresh: yes"]
    assert run(modern, environment).stdout.splitlines() == ["known: no", *said]
    assert run(modern, environment).stdout.splitlines() == ["known: yes", *said]
    said = ["next:  initialize 2025-11-25", "fresh: no; ask it for its capabilities when they are needed"]
    assert run(legacy, environment).stdout.splitlines() == ["known: no", *said]
    assert run(legacy, environment).stdout.splitlines() == ["known: yes", *said]
    # What cannot be read or used is asked for again, and what may not be stored is not.
    places = list(folder.iterdir())
    assert len(places) == 2
    for place in places:
        place.write_text("{")
    done = run(modern, environment)
    assert done.stdout.startswith("known: no\n")
    assert "ends too early" in done.stderr
    for place in places:
        place.write_text('{"schema": 1, "era": "postmodern", "next": "knock", "storable": true}')
    assert run(modern, environment).stdout.startswith("known: no\nnext:  use_modern")
    for _ in range(2):
        done = run([*program, "true"], environment)
        assert (done.stdout.splitlines()[0], done.stderr) == ("known: no", "")
    assert run([*program, "no-such-server"], environment).returncode == 1


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([QUICK_ANSWER], ["era:  modern", "next: use_modern 2026-07-28"]),
        (
            [None, {"jsonrpc": "2.0", "id": "initialize-1", "result": {"protocolVersion": "2025-06-18"}}],
            ["era:  legacy", "next: initialize 2025-06-18"],
        ),
    ],
    ids=["modern", "legacy"],
)
def test_over_a_socket(environment, tmp_path, answers, expected):
    program = [sys.executable, str(EXAMPLES / "over_a_socket.py"), str(tmp_path / "socket")]
    assert run(program, environment).returncode == 1
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(program[-1])
        listener.listen()
        listener.settimeout(60)

        def serve():
            for answer in answers:
                connection, _ = listener.accept()
                with connection, connection.makefile("rw") as lines:
                    lines.readline()
                    if answer is not None:
                        lines.write(json.dumps(answer) + "\n")
                        lines.flush()
                        assert lines.readline() == ""  # it hears the end of what is sent to it, and nothing before

        with ThreadPoolExecutor() as threads:
            server = threads.submit(serve)
            done = run(program, environment)
            server.result(60)
    assert (done.stdout.splitlines()[:2], done.stderr) == (expected, "")


def test_over_tcp(environment):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        program = [sys.executable, str(EXAMPLES / "over_tcp.py"), "127.0.0.1", str(listener.getsockname()[1])]

        def serve():
            connection, _ = listener.accept()
            with connection, connection.makefile("rw") as lines:
                lines.readline()
                lines.write(json.dumps(QUICK_ANSWER) + "\n")

        with ThreadPoolExecutor() as threads:
            server = threads.submit(serve)
            done = run(program, environment)
            server.result(60)
    assert (done.stdout.splitlines()[:2], done.stderr) == (["era:  modern", "next: use_modern 2026-07-28"], "")
    done = run(program, environment)
    assert done.returncode == 1
    assert done.stderr.startswith("over_tcp: ")


def test_parse_reply(environment, tmp_path):
    stored = tmp_path / "stored"
    stored.write_bytes(mcp_discover.build_request().replace(b'"method"', b'"result"'))
    program = [sys.executable, str(EXAMPLES / "parse_reply.py"), str(stored)]
    assert run(program, environment).stdout.startswith("reply:   unusable")
    stored.write_text(str(QUICK_ANSWER).replace("'", '"'))
    assert run(program, environment).stdout.splitlines()[:2] == ["reply:   discover", "server:  quick"]
    stored.write_text('{"id":1,"error":{"code":-32601,"message":"no"}}')
    assert "error:   -32601 no" in run(program, environment).stdout
    stored.write_text("{")
    assert run(program, environment).stderr.startswith("parse_reply: ")
    stored.unlink()
    assert run(program, environment).stderr.startswith("parse_reply: ")


def told(text):
    """Text without what changes from run to run."""
    return [re.sub(r"(took +)[\d.]+ s", r"\1_ s", line.rstrip()) for line in text.splitlines()]


PYTHON = re.findall(r"```python\n(.*?)```\n+```output\n(.*?)```", README, re.S)
CONSOLE = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", README, re.S)


@pytest.mark.parametrize(("code", "output"), PYTHON, ids=[f"python {i}" for i in range(len(PYTHON))])
def test_the_python_of_the_readme_prints_what_it_says(code, output, environment):
    done = run([sys.executable, "-c", code], environment)
    assert (told(done.stdout), done.stderr) == (told(output), "")


@pytest.mark.parametrize(("command", "output"), CONSOLE, ids=[f"console {i}" for i in range(len(CONSOLE))])
def test_the_commands_of_the_readme_print_what_it_says(command, output, environment):
    done = run(["/bin/sh", "-c", command], environment)
    assert (told(done.stdout), done.stderr) == (told(output), "")


def test_the_readme_has_examples():
    assert len(PYTHON) == README.count("```python") == 6
    assert len(CONSOLE) == README.count("```console") == 3
