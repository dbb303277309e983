"""Negotiating over a transport of the program's own: by hand, over a socket, and with the corpus of behaviours."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from datetime import datetime, timezone

import mcp_discover
import pytest
from conftest import QUICK_ANSWER, example, outlives
from mcp_discover import Era, InvalidArgument, Negotiation, Next, Outcome, RemarkCode, Step
from test_behaviours import FILES, command_of, compare, options_of


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def asked(negotiation, method):
    """The request that is sent now."""
    assert negotiation.next() is Step.SEND
    assert negotiation.line == negotiation.message + b"\n"
    request = json.loads(negotiation.message)
    assert request["method"] == method
    return request["id"]


def answer(identifier, **members):
    return json.dumps({"jsonrpc": "2.0", "id": identifier, **members}).encode() + b"\n"


def finish(negotiation):
    if negotiation.next() is Step.CLOSE:
        negotiation.closed()
    assert negotiation.next() is Step.FINISH
    return negotiation.verdict()


def test_an_answer_gives_a_verdict(clock):
    negotiation = Negotiation(clock=clock, timeout=10)
    assert negotiation.next() is Step.START
    negotiation.started()
    identifier = asked(negotiation, "server/discover")
    assert negotiation.next() is Step.WAIT
    assert (negotiation.step, negotiation.line, negotiation.timeout) == (Step.WAIT, b"", 5.0)
    clock.now += 0.25
    said = b"noise\n" + answer(identifier, result=QUICK_ANSWER["result"])
    negotiation.received(said[:20])
    assert negotiation.next() is Step.WAIT
    assert negotiation.timeout == 4.75
    negotiation.received(memoryview(said)[20:])
    verdict = finish(negotiation)
    assert (verdict.era, verdict.next, verdict.storable) == (Era.MODERN, Next.USE_MODERN, True)
    assert (verdict.reply_time, verdict.elapsed) == (0.25, 0.25)
    assert abs((datetime.now(timezone.utc) - verdict.received_at).total_seconds()) < 600
    assert verdict.processes[0].bytes_received == len(said)
    assert RemarkCode.NOISE in {remark.code for remark in verdict.remarks}


def test_silence_and_an_exit_are_answered_by_deadlines_and_a_second_start(clock):
    negotiation = Negotiation(clock=clock, timeout=10, discover_timeout=1)
    negotiation.started()
    asked(negotiation, "server/discover")
    assert negotiation.next() is Step.WAIT
    clock.now += 1
    asked(negotiation, "initialize")
    negotiation.closed("exit")
    assert negotiation.next() is Step.START
    negotiation.started()
    identifier = asked(negotiation, "initialize")
    message = answer(identifier, result={"protocolVersion": "2025-11-25"}).decode()
    negotiation.received_message(message.replace(",", ",\n"))
    verdict = finish(negotiation)
    assert (verdict.era, verdict.version, verdict.starts) == (Era.LEGACY, "2025-11-25", 2)
    assert (verdict.discover_outcome, verdict.initialize_outcome) == (Outcome.SILENCE, Outcome.RESULT)


def test_a_late_answer_counts(clock):
    with Negotiation(clock=clock) as negotiation:
        negotiation.started()
        discover = asked(negotiation, "server/discover")
        clock.now += 5
        initialize = asked(negotiation, "initialize")
        negotiation.received(answer(initialize, result={"protocolVersion": "2025-11-25"}))
        assert negotiation.next() is Step.CLOSE
        negotiation.received(answer(discover, result=QUICK_ANSWER["result"]))
        assert finish(negotiation).era is Era.MODERN


def test_calls_out_of_order_are_refused(clock):
    negotiation = Negotiation(clock=clock)
    for call in (negotiation.closed, lambda: negotiation.received(b""), lambda: negotiation.received_message("")):
        with pytest.raises(InvalidArgument, match="has no server"):
            call()
    negotiation.started()
    with pytest.raises(InvalidArgument, match="MCPD_STEP_START"):
        negotiation.started()
    for how in ("result", "hope", 5):
        with pytest.raises(InvalidArgument, match=r"how is .*; expected one of stdout_closed, exit"):
            negotiation.closed(how)
    early = negotiation.verdict()
    assert (early.era, early.confirmed) == (Era.UNKNOWN, False)
    for call in (negotiation.next, negotiation.started, negotiation.verdict, lambda: negotiation.line):
        with pytest.raises(InvalidArgument, match="has given its verdict"):
            call()
    negotiation.close()
    with pytest.raises(InvalidArgument, match="legacy_versions"):
        Negotiation(legacy_versions=["2026-07-28"])
    with pytest.raises(InvalidArgument, match="timeout"):
        Negotiation(timeout=-1)


class Server:
    """A server as a program would start it that has only its pipes."""

    def __init__(self, command, options):
        environment = {name: value for name, value in options.get("env", {}).items() if value is not None}
        inherited = {} if options.get("env_mode") == "exact" else os.environ
        unset = {name for name, value in options.get("env", {}).items() if value is None}
        self.grace = options.get("grace", 2.0)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**{name: value for name, value in inherited.items() if name not in unset}, **environment},
            cwd=options.get("cwd"),
            bufsize=0,
            start_new_session=True,
        )
        os.set_blocking(self.process.stdin.fileno(), False)
        self.at_end = False

    def send(self, line):
        # That it is gone is told by its output.
        with contextlib.suppress(OSError):
            self.process.stdin.write(line)

    def read(self, timeout):
        """What it says within this time; nothing at its end, and None if nothing comes."""
        ready, _, _ = select.select([self.process.stdout], [], [], timeout)
        return os.read(self.process.stdout.fileno(), 65536) if ready else None

    def has_exited(self, timeout=0.0):
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self, heard):
        """Ends it as the specification wants it, and passes on what it still says."""
        self.process.stdin.close()
        for sent in (None, signal.SIGTERM, signal.SIGKILL):
            if sent is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, sent)
            end = time.monotonic() + self.grace
            while not self.at_end and (left := end - time.monotonic()) > 0:
                data = self.read(min(left, 0.02))
                if data:
                    heard(data)
                elif data is not None:
                    self.at_end = True
                elif self.has_exited():
                    break
            if self.has_exited(max(0.0, end - time.monotonic())):
                break
        self.process.wait()
        while not self.at_end and (data := self.read(0)):
            heard(data)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.stdout.close()


def negotiated(command, options):
    """The verdict on a server that this program has started itself."""
    ours = {"env", "env_mode", "cwd", "stderr", "grace", "max_stderr_bytes"}
    negotiation = Negotiation(**{name: value for name, value in options.items() if name not in ours})
    server = None
    while True:
        step = negotiation.next()
        if step is Step.START:
            if server is not None:
                server.close(lambda data: None)
            server = Server(command, options)
            negotiation.started()
        elif step is Step.SEND:
            server.send(negotiation.line)
        elif step is Step.WAIT:
            data = server.read(min(negotiation.timeout, 0.05))
            if data:
                negotiation.received(data)
            elif data is not None:
                server.at_end = True
                negotiation.closed(Outcome.EXIT if server.has_exited(1) else Outcome.STDOUT_CLOSED)
            elif server.has_exited():
                while data := server.read(0):
                    negotiation.received(data)
                negotiation.closed(Outcome.EXIT)
        elif step is Step.CLOSE:
            server.close(negotiation.received)
            server = None
            negotiation.closed()
        else:
            if server is not None:
                server.close(lambda data: None)
            return negotiation.verdict()


#: What only whoever starts and ends the processes can tell, and the library did not.
OF_PROCESSES = {"terminated", "killed", "abandoned", "stderr_truncated", "exited_early"}
PLAYED = [file for file in FILES if "failure" not in json.loads(file.read_bytes())]


def expected_of(behaviour):
    expect = {name: value for name, value in behaviour["expect"].items() if name not in {"withinMs", "noRemarks"}}
    expect["remarks"] = [code for code in expect.get("remarks", ()) if code not in OF_PROCESSES]
    told = {"bytesReceived", "skippedLines", "skippedSample"}
    if "processes" in expect:
        expect["processes"] = [
            {name: value for name, value in process.items() if name in told} for process in expect["processes"]
        ]
    return expect


@pytest.mark.parametrize("file", PLAYED, ids=lambda file: file.stem)
def test_behaviour(file, tmp_path):
    """The verdict is that of the probe, whoever starts the servers."""
    behaviour = json.loads(file.read_bytes())
    log_file = tmp_path / "log"
    verdict = negotiated(command_of(behaviour, file), options_of(behaviour, log_file))
    log = [json.loads(line) for line in log_file.read_text().splitlines()] if log_file.exists() else []
    faults = compare(expected_of(behaviour), verdict, log, 0)
    faults += [f"process {record['pid']} was left behind" for record in log if outlives(record["pid"])]
    assert not faults, (faults, verdict.to_json(), log)
    assert all(process.shutdown is None and process.exit_code is None for process in verdict.processes)


def test_the_corpus_is_played():
    assert len(PLAYED) > 200
    assert mcp_discover.probe(example("modern")).era is Era.MODERN
