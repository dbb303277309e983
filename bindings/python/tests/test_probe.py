"""Probing: options, failures, threads, cancelling and Ctrl-C."""

import _thread
import errno
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import mcp_discover
import pytest
from conftest import QUICK, children, descriptors, example, is_alive, wait_until
from mcp_discover import (
    Cancel,
    Cancelled,
    CommandNotFound,
    EnvMode,
    Era,
    Fallback,
    Implementation,
    InvalidArgument,
    McpDiscoverError,
    Next,
    PermissionDenied,
    Shutdown,
    StartFailed,
    Status,
    _probe,
    probe,
)

SILENT = {"start": [{"stderr": "up\n"}]}
STUBBORN = {"start": [{"ignore": "SIGTERM"}, {"stderr": "up\n"}], "stdin_closed": [{"sleep": 60_000}]}


# What is asked


def test_a_command_is_a_program_or_a_program_with_arguments(tmp_path):
    whole = example("modern")
    assert probe(whole).server == probe(whole[0], args=whole[1:]).server == probe(whole[:2], args=whole[2:]).server
    assert probe(Path(whole[0]), args=[Path(whole[1]), whole[2].encode()]).era is Era.MODERN


def test_the_legacy_server_is_legacy():
    verdict = probe(example("legacy"))
    assert (verdict.era, verdict.next, verdict.version) == (Era.LEGACY, Next.INITIALIZE, "2025-11-25")
    assert verdict.initialize.server.name == verdict.server.name == "legacy-example"
    assert verdict.discover_error.code == -32601


def test_prefer_sorts_the_versions_by_era(scripted):
    agreeable = scripted(
        {
            "on": {
                "server/discover": [{"error": {"code": -32601, "message": "no"}}],
                "initialize": [{"result": {"protocolVersion": "$version", "capabilities": {}}}],
            }
        }
    )
    verdict = probe(example("dual"), prefer=["2025-06-18", "2026-07-28"])
    assert (verdict.era, verdict.version) == (Era.MODERN, "2026-07-28")
    verdict = probe(agreeable, prefer=["2025-06-18", "2026-07-28", "2024-11-05"])
    assert (verdict.era, verdict.version) == (Era.LEGACY, "2025-06-18")
    assert probe(agreeable, prefer=["2026-07-28"]).version == mcp_discover.LEGACY_VERSIONS[0]


def test_without_legacy_versions_initialize_is_never_sent():
    verdict = probe(example("legacy"), legacy_versions=[])
    assert verdict.next is Next.GIVE_UP
    assert verdict.initialize_outcome == "not_asked"


def test_without_fallback_initialize_is_never_sent():
    verdict = probe(example("legacy"), fallback=Fallback.NONE)
    assert (verdict.era, verdict.next, verdict.confirmed) == (Era.LEGACY, Next.INITIALIZE, False)
    assert verdict.initialize_outcome == "not_asked"


SAY = 'printf "%s|%s|%s|" "$VISIBLE" "${HOME-unset}" "$(pwd)" >&2; exit 0'


def said(**options):
    return probe(["/bin/sh", "-c", SAY], max_starts=1, **options).processes[0].stderr_tail


def test_the_environment_and_the_folder_reach_the_server(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/somewhere")
    folder = str(tmp_path.resolve())
    assert said(env={"VISIBLE": "yes"}, cwd=tmp_path) == f"yes|/somewhere|{folder}|"
    assert said(env={"HOME": None}, cwd=folder) == f"|unset|{folder}|"
    assert said(env={"VISIBLE": "only"}, env_mode=EnvMode.EXACT, cwd=folder.encode()) == f"only|unset|{folder}|"
    assert said(env={"VISIBLE": "\u00fc"}, env_mode="exact", cwd=tmp_path).startswith("\u00fc|")
    assert said(stderr="discard") == ""


def test_the_client_is_told_to_the_server():
    client = Implementation(name="my-client", version="2.0")
    verdict = probe(QUICK, client=client, client_capabilities={"roots": {}}, max_transcript_bytes=10_000)
    assert '"name":"my-client","version":"2.0"' in verdict.transcript[0].text
    assert '"roots":{}' in verdict.transcript[0].text


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"timeout": 0}, "timeout"),
        ({"timeout": -1}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": float("inf")}, "timeout"),
        ({"timeout": "5"}, "timeout"),
        ({"timeout": 200_000}, "timeout_ms"),
        ({"discover_timeout": 0}, "discover_timeout"),
        ({"grace": -1}, "grace"),
        ({"max_starts": 0}, "max_starts"),
        ({"max_starts": 101}, "max_starts"),
        ({"max_starts": True}, "max_starts"),
        ({"max_line_bytes": 2**40}, "max_line_bytes"),
        ({"fallback": "hope"}, "fallback"),
        ({"fallback": Fallback("hope")}, "fallback"),
        ({"env_mode": 1}, "env_mode"),
        ({"stderr": "print"}, "stderr"),
        ({"env": {"": "x"}}, "env"),
        ({"env": {"A=B": "x"}}, "env"),
        ({"env": {"A": "x\0secret"}}, "env"),
        ({"env": {"A": 5}}, "env"),
        ({"cwd": "a\0b"}, "cwd"),
        ({"args": "one"}, "args"),
        ({"args": 5}, "args"),
        ({"env": ["A=secret"]}, "env"),
        ({"cancel": "later"}, "cancel"),
        ({"args": ["a\0secret"]}, "args[0]"),
        ({"args": [5]}, "args[0]"),
        ({"prefer": "2026-07-28"}, "prefer"),
        ({"prefer": 5}, "prefer"),
        ({"prefer": ["2026-07-28"], "legacy_versions": []}, "prefer"),
        ({"modern_versions": []}, "modern_versions"),
        ({"modern_versions": ["2025-11-25"]}, "modern_versions[0]"),
        ({"client": Implementation(version="1")}, "client"),
        ({"client": Implementation(name="a", version="1", icons=("icon.png",))}, "client.icons"),
    ],
    ids=str,
)
def test_a_wrong_option_is_named_and_no_value_is_told(options, argument):
    with pytest.raises(InvalidArgument) as caught:
        probe("true", **options)
    assert caught.value.argument == argument
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("command", [[], 5, [5]], ids=str)
def test_what_is_no_command_is_refused(command):
    with pytest.raises(InvalidArgument) as caught:
        probe(command)
    assert caught.value.argument == "command"


# What cannot be started


def test_a_missing_command_is_a_file_that_is_not_found():
    with pytest.raises(FileNotFoundError) as caught:
        probe("no-such-server", args=["--key=secret"], env={"PATH": "/somewhere", "KEY": "secret"})
    error = caught.value
    assert isinstance(error, CommandNotFound)
    assert isinstance(error, McpDiscoverError)
    assert (error.status, error.errno) == (Status.COMMAND_NOT_FOUND, errno.ENOENT)
    assert "no-such-server" in str(error)
    assert "/somewhere" in str(error)
    assert "secret" not in str(error) + repr(error)


def test_a_file_that_may_not_be_run_is_a_permission_that_is_denied(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("text")
    with pytest.raises(PermissionError) as caught:
        probe(plain)
    assert isinstance(caught.value, PermissionDenied)
    assert caught.value.errno == errno.EACCES


def test_a_folder_that_is_missing_is_a_failed_start(tmp_path):
    with pytest.raises(StartFailed) as caught:
        probe("true", cwd=tmp_path / "missing")
    assert isinstance(caught.value, OSError)
    assert caught.value.status is Status.START_FAILED


# Many


def test_500_probes_leave_descriptors_threads_and_children_as_they_were():
    probe(QUICK)
    gc.collect()
    before = descriptors(), threading.active_count(), children(), len(os.listdir("/proc/self/task"))
    for i in range(500):
        if i % 5 == 0:
            with pytest.raises(CommandNotFound):
                probe("/no/such/server")
        else:
            assert probe(QUICK).era is Era.MODERN
    wait_until(lambda: len(os.listdir("/proc/self/task")) <= before[3])
    assert (descriptors(), threading.active_count(), children()) == before[:3]


def test_32_threads_probe_at_the_same_time(tmp_path):
    """Each server answers only once all 32 of them are there, which no lock around the calls would allow."""
    script = (
        ': > "$1/$$"; while [ "$(ls "$1" | wc -l)" -lt 32 ]; do sleep 0.05; done; '
        "read -r request; printf '%s\\n' \"$0\"; read -r more || exit 0"
    )
    command = ["/bin/sh", "-c", script, QUICK[3], str(tmp_path)]
    verdicts = []

    def work():
        verdicts.append(probe(command, timeout=60, discover_timeout=50))

    threads = [threading.Thread(target=work) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [verdict.era for verdict in verdicts] == [Era.MODERN] * 32
    assert {verdict.starts for verdict in verdicts} == {1}


# Stopping


class Started:
    """A server that says when it is up, by a file that holds its pid."""

    def __init__(self, folder):
        self.file = folder / "pid"
        self.command = [
            "/bin/sh",
            "-c",
            f"trap '' TERM; echo $$ > {self.file}.new; mv {self.file}.new {self.file}; cat",
        ]

    def pid(self):
        wait_until(self.file.exists)
        return int(self.file.read_text())


def test_a_cancel_stops_a_probe_from_another_thread(tmp_path):
    server, cancel, caught = Started(tmp_path), Cancel(), []

    def work():
        try:
            probe(server.command, cancel=cancel)
        except Cancelled as error:
            caught.append((error.status, time.monotonic()))

    thread = threading.Thread(target=work)
    thread.start()
    pid = server.pid()
    assert repr(cancel) == "<Cancel>"
    fired = time.monotonic()
    cancel.fire()
    thread.join()
    [(status, returned)] = caught
    assert status is Status.CANCELLED
    assert returned - fired < 0.5
    assert not is_alive(pid)
    assert (cancel.fired, repr(cancel)) == (True, "<Cancel fired>")
    with pytest.raises(Cancelled):
        probe(server.command, cancel=cancel)


def test_one_cancel_stops_several_probes_and_no_other(scripted):
    cancel, outcomes = Cancel(), []
    command = scripted({})

    def work():
        with pytest.raises(Cancelled):
            probe(command, cancel=cancel)
        outcomes.append("cancelled")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(cancel._handles) == 4)
    cancel.fire()
    for thread in threads:
        thread.join()
    assert outcomes == ["cancelled"] * 4
    assert not cancel._handles
    assert probe(QUICK, cancel=Cancel()).era is Era.MODERN


CHILD = """
import os, signal, sys, time
import mcp_discover
handler = signal.getsignal(signal.SIGINT)
try:
    verdict = mcp_discover.probe(sys.argv[1:], stderr="inherit")
    print("verdict", verdict, flush=True)
except KeyboardInterrupt:
    caught = time.monotonic()
    children = open(f"/proc/self/task/{os.getpid()}/children").read().split()
    while len(os.listdir("/proc/self/task")) > 1 and time.monotonic() < caught + 5:
        time.sleep(0.001)
    threads = len(os.listdir("/proc/self/task"))
    same = signal.getsignal(signal.SIGINT) is handler is signal.default_int_handler
    print("interrupted", caught, len(children), threads, same, flush=True)
"""


def interrupt(command, signals=1):
    """Probes in an interpreter of its own and sends it SIGINT when the server is up."""
    environment = {**os.environ, "PYTHONPATH": str(Path(mcp_discover.__file__).parents[1])}
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    with child:
        assert child.stderr.readline() == "up\n"
        sent = time.monotonic()
        for _ in range(signals):
            child.send_signal(signal.SIGINT)
        told = child.stdout.read().split()
        assert told[0] == "interrupted", (told, child.stderr.read())
    assert child.returncode == 0
    return float(told[1]) - sent, told[2:]


@pytest.mark.parametrize("script", [SILENT, STUBBORN], ids=["silent", "ignores SIGTERM"])
def test_ctrl_c_raises_within_100_ms_and_the_server_is_gone(scripted, script):
    """The fastest of a few, for the machine may be busy with other things just then."""
    command, times = scripted(script), []
    for _ in range(5):
        seconds, told = interrupt(command)
        assert told == ["0", "1", "True"]
        times.append(seconds)
        if seconds < 0.1:
            break
    print(f"Ctrl-C: {min(times) * 1000:.1f} ms")
    assert min(times) < 0.1, times


def test_what_a_signal_handler_raises_stops_the_probe_too(tmp_path):
    server = Started(tmp_path)

    def ring(number, frame):
        raise TimeoutError("the alarm rang")

    before = signal.signal(signal.SIGALRM, ring)
    helper = threading.Thread(target=lambda: (server.pid(), os.kill(os.getpid(), signal.SIGALRM)))
    try:
        helper.start()
        with pytest.raises(TimeoutError, match="the alarm rang"):
            probe(server.command)
    finally:
        helper.join()
        signal.signal(signal.SIGALRM, before)
    assert not is_alive(server.pid())


def test_a_second_exception_of_a_handler_lets_no_server_live(tmp_path):
    """It is raised while the call is being stopped."""
    server, raised = Started(tmp_path), []

    def ring(number, frame):
        raised.append(number)
        raise TimeoutError(f"signal {number}")

    numbers = (signal.SIGALRM, signal.SIGUSR1)
    before = [signal.signal(number, ring) for number in numbers]
    helper = threading.Thread(target=lambda: (server.pid(), [os.kill(os.getpid(), number) for number in numbers]))
    try:
        helper.start()
        with pytest.raises(TimeoutError):
            probe(server.command)
    finally:
        helper.join()
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)
    assert sorted(raised) == sorted(numbers)
    assert not is_alive(server.pid())


class InterruptedLock:
    """A lock whose owner is interrupted as soon as it has it."""

    acquired = 0

    def __init__(self):
        self._lock = threading.Lock()
        self.release = self._lock.release

    def acquire(self):
        InterruptedLock.acquired += 1
        if self.acquired <= 2:
            self._lock.acquire()
        if self.acquired == 2:
            raise KeyboardInterrupt


def test_an_interruption_at_the_very_end_waits_for_nothing_twice(monkeypatch):
    monkeypatch.setattr(InterruptedLock, "acquired", 0)
    monkeypatch.setattr(_probe._thread, "allocate_lock", InterruptedLock)
    stopped = []
    with pytest.raises(KeyboardInterrupt):
        _probe.interruptible(lambda: "done", lambda: stopped.append(True))
    assert stopped == [True]
    assert InterruptedLock.acquired == 2


def test_an_interruption_as_the_call_begins_to_be_stopped_leaves_it_not_running(monkeypatch):
    abandon, stopped, interruptions = _probe._abandon, threading.Event(), iter([KeyboardInterrupt("second")])
    ended = []

    def interrupted(job, stop):
        for interruption in interruptions:
            raise interruption
        abandon(job, stop)

    def call():
        started.release()
        stopped.wait()
        ended.append(True)

    def wait(job):
        started.acquire()
        monkeypatch.setattr(_probe._Job, "wait", waited)
        raise KeyboardInterrupt("first")

    started, waited = threading.Semaphore(0), _probe._Job.wait
    monkeypatch.setattr(_probe._Job, "wait", wait)
    monkeypatch.setattr(_probe, "_abandon", interrupted)
    with pytest.raises(KeyboardInterrupt, match="first"):
        _probe.interruptible(call, stopped.set)
    assert ended == [True]


def test_a_runtime_error_of_a_handler_does_not_pass_for_a_lack_of_threads(monkeypatch):
    """It is raised when the thread has just been started."""
    start, calls = _thread.start_new_thread, []

    def interrupted(run, arguments):
        start(run, arguments)
        raise RuntimeError("of a handler")

    monkeypatch.setattr(_probe._thread, "start_new_thread", interrupted)
    with pytest.raises(RuntimeError, match="of a handler"):
        _probe.interruptible(lambda: calls.append(True), lambda: None)
    assert calls in ([], [True])


def test_a_probe_for_which_no_thread_can_be_had_goes_on_without():
    before = threading.stack_size(2**60)
    try:
        verdict = probe(example("modern"))
    finally:
        threading.stack_size(before)
    assert verdict.era is Era.MODERN


# It asks for what it wants while the probe has just begun, and then says nothing.
HASTY = ["/bin/sh", "-c", 'echo "$$" >"$2"; kill -s "$1" "$PPID"; exec sleep 60', "sh"]


def test_a_signal_that_comes_at_once_is_handled_while_the_server_is_waited_for(tmp_path):
    cancel, file = Cancel(), tmp_path / "pid"
    before = signal.signal(signal.SIGALRM, lambda number, frame: cancel.fire())
    try:
        with pytest.raises(Cancelled):
            probe(HASTY, args=["ALRM", str(file)], cancel=cancel)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not is_alive(int(file.read_text()))


def test_a_ctrl_c_that_comes_at_once_ends_the_server(tmp_path):
    file = tmp_path / "pid"
    with pytest.raises(KeyboardInterrupt):
        probe(HASTY, args=["INT", str(file)])
    assert not is_alive(int(file.read_text()))


def test_a_cancel_may_be_fired_by_a_signal_handler(tmp_path):
    server, cancel = Started(tmp_path), Cancel()
    before = signal.signal(signal.SIGALRM, lambda number, frame: cancel.fire())
    helper = threading.Thread(target=lambda: (server.pid(), os.kill(os.getpid(), signal.SIGALRM)))
    try:
        helper.start()
        with pytest.raises(Cancelled):
            probe(server.command, cancel=cancel)
    finally:
        helper.join()
        signal.signal(signal.SIGALRM, before)


def test_a_forked_child_can_probe():
    probe(QUICK)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if probe(QUICK).era is Era.MODERN else 1)
    assert os.waitpid(pid, 0)[1] == 0


def test_a_probe_at_the_end_of_the_interpreter_works():
    program = textwrap.dedent(
        """
        import atexit, sys
        import mcp_discover
        atexit.register(lambda: print(mcp_discover.probe(sys.argv[1:]).era))
        """
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(mcp_discover.__file__).parents[1])}
    command = [sys.executable, "-c", program, *QUICK]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("modern\n", "")


def test_the_library_prints_nothing_and_changes_no_handler(capfd):
    signals = {number: signal.getsignal(number) for number in signal.valid_signals()}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert probe(QUICK).processes[0].shutdown in (Shutdown.STDIN_CLOSED, Shutdown.EXITED)
    assert {number: signal.getsignal(number) for number in signal.valid_signals()} == signals
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask
    assert capfd.readouterr() == ("", "")
