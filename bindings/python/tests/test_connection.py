"""Servers that are kept, and servers over descriptors that the test has opened."""

import gc
import json
import os
import socket
import subprocess
import sys
import threading
import warnings

import pytest
from conftest import QUICK, REPOSITORY, descriptors, example, is_alive, wait_until
from mcp_discover import (
    Cancel,
    Cancelled,
    CommandNotFound,
    Era,
    InvalidArgument,
    Next,
    NoConnection,
    Outcome,
    RemarkCode,
    Shutdown,
    Verdict,
    _probe,
    open_connection,
    open_descriptors,
    probe,
    probe_descriptors,
)
from test_real_servers import python_of

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def tools_of(connection):
    """The names of the server's tools, asked for over the same pipes."""
    params = {"_meta": META} if connection.era is Era.MODERN else {}
    request = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": params}
    connection.stdin.write(json.dumps(request).encode() + b"\n")
    connection.stdin.flush()
    for line in connection.stdout:
        answer = json.loads(line)
        if answer.get("id") == 7:
            return [tool["name"] for tool in answer["result"]["tools"]]
    raise AssertionError("no answer")


@pytest.mark.parametrize(
    ("role", "era", "version"),
    [
        ("modern", Era.MODERN, "2026-07-28"),
        ("legacy", Era.LEGACY, "2025-11-25"),
        ("noisy", Era.MODERN, "2026-07-28"),
    ],
)
def test_tools_are_listed_over_the_same_pipes(role, era, version):
    before = descriptors()
    with open_connection(example(role)) as server:
        assert (server.era, server.version) == (era, version)
        assert server.verdict.era is era
        assert server.verdict.processes[-1].shutdown is Shutdown.KEPT
        assert is_alive(server.pid)
        assert server.stderr is None
        if role != "noisy":
            assert tools_of(server) == ["clock"]
    assert (server.shutdown, server.exit_code, server.exit_signal) == (Shutdown.STDIN_CLOSED, 0, None)
    assert not is_alive(server.pid)
    assert server.stdin.closed
    assert server.stdout.closed
    server.close()
    assert descriptors() == before


def test_real_servers_list_their_tools():
    command = [python_of("modern-server"), str(REPOSITORY / "tests" / "real_servers" / "modern.py")]
    with open_connection(command, discover_timeout=60, timeout=120, grace=30) as server:
        assert server.era is Era.MODERN
        tools = tools_of(server)
        assert isinstance(tools, list)
    command = [python_of("legacy-server"), "-m", "mcp_server_time", "--local-timezone", "UTC"]
    with open_connection(command, discover_timeout=60, timeout=120, grace=30) as server:
        assert server.era is Era.LEGACY
        assert "get_current_time" in tools_of(server)
    with open_connection(command, prior=server.verdict, discover_timeout=60, timeout=120, grace=30) as again:
        assert len(again.verdict.processes) == 1
        assert "get_current_time" in tools_of(again)


def test_what_was_read_too_far_comes_first():
    log = {"jsonrpc": "2.0", "method": "notifications/message"}
    script = 'read -r request; printf "%s\\n%s\\n%s\\n%s" "$0" "$1" "$1" "{\\"end\\":"; read -r more; echo "1}"'
    with open_connection(["/bin/sh", "-c", script, QUICK[3], json.dumps(log)]) as server:
        server.stdin.write(b"\n")
        server.stdin.flush()
        assert [json.loads(line) for line in server.stdout] == [log, log, {"end": 1}]


def test_a_verdict_from_before_spares_the_probe():
    stored = probe(example("modern")).to_json()
    with open_connection(example("modern"), prior=Verdict.from_json(stored)) as server:
        assert server.verdict.received_at == Verdict.from_json(stored).received_at
        assert server.verdict.processes[0].bytes_received == 0
        assert tools_of(server) == ["clock"]
    legacy = probe(example("legacy"))
    with open_connection(example("legacy"), prior=legacy) as server:
        assert len(server.verdict.processes) == 1
        assert tools_of(server) == ["clock"]
    with open_connection(example("modern"), prior=legacy) as server:
        assert server.era is Era.MODERN
        assert RemarkCode.STALE_VERDICT in [remark.code for remark in server.verdict.remarks]
        assert tools_of(server) == ["clock"]


def test_a_server_that_cannot_be_used_is_an_exception_with_its_verdict():
    with pytest.raises(NoConnection, match="modern, give_up") as caught:
        open_connection(example("future"))
    assert caught.value.verdict.next is Next.GIVE_UP
    with pytest.raises(CommandNotFound):
        open_connection("no-such-command-anywhere")
    with pytest.raises(InvalidArgument, match="expected a Verdict"):
        open_connection(example("modern"), prior="modern")
    cancel = Cancel()
    cancel.fire()
    with pytest.raises(Cancelled):
        open_connection(example("modern"), cancel=cancel)


def test_an_interruption_when_the_server_is_just_there_ends_it(monkeypatch, tmp_path):
    """It comes between the end of the call and its return; what is dropped without being closed would warn."""
    outcome, interruptions = _probe._Job.outcome, iter([KeyboardInterrupt])

    def interrupted(job):
        for interruption in interruptions:
            raise interruption
        return outcome(job)

    file, before = tmp_path / "pid", descriptors()
    monkeypatch.setattr(_probe._Job, "outcome", interrupted)
    with pytest.raises(KeyboardInterrupt):
        open_connection([*QUICK[:2], f"echo $$ > {file}; {QUICK[2]}", QUICK[3]])
    assert not is_alive(int(file.read_text()))
    assert descriptors() == before


def test_standard_error_is_read_by_the_caller():
    script = "read -r request; printf '%s\\n' \"$0\"; read -r more; echo oops >&2; read -r more"
    with open_connection([*QUICK[:2], script, QUICK[3]], stderr="capture") as server:
        server.stdin.write(b"\n")
        server.stdin.flush()
        assert server.stderr.readline() == b"oops\n"


def test_a_server_can_be_taken_over():
    before = descriptors()
    server = open_connection(example("modern"))
    server.release()
    with pytest.raises(InvalidArgument, match="closed or released"):
        server.release()
    server.close()
    assert is_alive(server.pid)
    server.stdin.close()
    assert server.stdout.read() == b""
    server.stdout.close()
    assert os.waitpid(server.pid, 0)[1] == 0
    assert descriptors() == before


def test_a_connection_that_is_dropped_ends_and_says_so():
    server = open_connection(QUICK)
    pid = server.pid
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del server
        gc.collect()
    assert [warning.category for warning in caught] == [ResourceWarning]
    assert not is_alive(pid)


def test_closing_frees_a_thread_that_reads():
    server = open_connection(example("modern"))
    lines = []
    reader = threading.Thread(target=lambda: lines.append(server.stdout.readline()))
    reader.start()
    server.close()
    reader.join(20)
    assert not reader.is_alive()
    assert lines in ([b""], [])


@pytest.mark.parametrize("kind", ["pipes", "socketpair", "unix", "tcp"])
def test_own_descriptors(kind, tmp_path):
    def start(role):
        """A server over a connection of this kind: our end, and the process."""
        if kind == "pipes":
            process = subprocess.Popen(example(role), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            return [process.stdin, process.stdout], process
        if kind == "socketpair":
            ours, theirs = socket.socketpair()
        else:
            family, address = (
                (socket.AF_INET, ("127.0.0.1", 0)) if kind == "tcp" else (socket.AF_UNIX, str(tmp_path / role))
            )
            with socket.socket(family) as listener:
                listener.bind(address)
                listener.listen()
                ours = socket.socket(family)
                ours.connect(listener.getsockname())
                theirs = listener.accept()[0]
            if kind == "unix":
                os.unlink(address)
        process = subprocess.Popen(example(role), stdin=theirs, stdout=theirs)
        theirs.close()
        return [ours], process

    def end(ours, process):
        for file in ours:
            file.close()
        assert process.wait(20) == 0

    ours, process = start("modern")
    with open_descriptors(*ours) as server:
        assert (server.era, server.pid, server.verdict.next) == (Era.MODERN, 0, Next.USE_MODERN)
        assert tools_of(server) == ["clock"]
    assert server.shutdown is None
    assert is_alive(process.pid)
    end(ours, process)

    ours, process = start("legacy")
    with pytest.raises(NoConnection) as caught:
        open_descriptors(*ours)
    end(ours, process)
    concluded = caught.value.verdict
    assert (concluded.era, concluded.next, concluded.confirmed) == (Era.LEGACY, Next.INITIALIZE, False)
    ours, process = start("legacy")
    with open_descriptors(*ours, prior=concluded) as server:
        assert server.verdict.confirmed
        assert tools_of(server) == ["clock"]
    end(ours, process)

    ours, process = start("legacy")
    verdict = probe_descriptors(*ours)
    end(ours, process)
    assert (verdict.era, verdict.confirmed, verdict.initialize_outcome) == (Era.LEGACY, True, Outcome.RESULT)
    assert verdict.processes[0].shutdown is None


def test_descriptors_that_cannot_be_used(tmp_path):
    with (tmp_path / "file").open("w+b") as file:
        with pytest.raises(InvalidArgument, match="expected a pipe, a socket or a terminal"):
            probe_descriptors(file)
        with pytest.raises(InvalidArgument, match="to_server: is -1"):
            probe_descriptors(-1)
        with pytest.raises(InvalidArgument, match="is str; expected a descriptor"):
            probe_descriptors("file")
    with pytest.raises(InvalidArgument, match=r"expected an open"):
        probe_descriptors(2**40)


def test_ending_takes_no_longer_than_its_grace():
    script = "trap '' TERM; read -r request; printf '%s\\n' \"$0\"; exec sleep 100"
    server = open_connection([*QUICK[:2], script, QUICK[3]])
    server.close(grace=0)
    assert server.shutdown is Shutdown.KILLED
    assert server.exit_signal == 9
    wait_until(lambda: not is_alive(server.pid))


def test_closing_does_not_wait_for_a_server_that_reads_no_more():
    reply = {"jsonrpc": "2.0", "id": "discover-1", "result": {"supportedVersions": ["2026-07-28"]}}
    script = f"import sys, time; sys.stdin.readline(); print({json.dumps(reply)!r}, flush=True); time.sleep(600)"
    connection = open_connection([sys.executable, "-c", script], grace=0.1)
    os.set_blocking(connection.stdin.fileno(), False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(connection.stdin.fileno(), b" " * 4096)
    os.set_blocking(connection.stdin.fileno(), True)
    connection.stdin.write(b"unflushed")
    closing = threading.Thread(target=connection.close, daemon=True)
    closing.start()
    closing.join(30)
    assert not closing.is_alive()
    assert connection.shutdown is Shutdown.TERMINATED
    assert not is_alive(connection.pid)
