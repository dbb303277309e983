"""Many servers at once, through `scan`."""

import gc
import os
import signal
import subprocess
import sys
import threading

import pytest
from conftest import QUICK, is_alive, outlives, wait_until
from mcp_discover import (
    CommandNotFound,
    Era,
    InvalidArgument,
    Server,
    Status,
    Verdict,
    scan,
)

SILENT = ["sleep", "100"]


def telling(tmp_path, name, then="exec sleep 100"):
    """A server that writes its process id into a file, and then does this."""
    path = tmp_path / name
    return ["/bin/sh", "-c", f'echo $$ > "$0.new"; mv "$0.new" "$0"; {then}', str(path)], path


def pid_in(path):
    wait_until(path.exists)
    return int(path.read_text(encoding="utf-8"))


def test_every_server_comes_with_its_outcome():
    servers = [QUICK, Server(QUICK[0], args=QUICK[1:], env={"A": "1"}), "no-such-server", ["true"]]
    found = list(scan(servers, jobs=2))
    assert len(found) == 4
    outcomes = {id(server): outcome for server, outcome in found}
    first, second, missing, unknown = (outcomes[id(server)] for server in servers)
    assert (first.era, first.server.name, second.era) == (Era.MODERN, "quick", Era.MODERN)
    assert isinstance(missing, CommandNotFound)
    assert missing.argument == "argv"
    assert unknown.era is Era.UNKNOWN
    assert first.raw == Verdict.from_json(first.to_json()).raw


def test_servers_are_taken_as_there_is_room():
    taken = []

    def servers():
        for number in range(20):
            taken.append(number)
            yield QUICK

    found = scan(servers(), jobs=2)
    assert len(taken) == 2
    counts = []
    for number, (_, outcome) in enumerate(found):
        assert outcome.era is Era.MODERN
        counts.append(len(taken) - number)
    assert len(counts) == 20
    assert max(counts) <= 3
    assert list(scan([])) == []


def test_what_is_not_an_option_is_refused_at_once():
    for options, argument in (
        ({"jobs": 0}, "jobs"),
        ({"jobs": 1025}, "max_running"),
        ({"timeout": -1}, "timeout"),
        ({"fallback": "maybe"}, "fallback"),
        ({"timeout": 100_000}, "timeout_ms"),
    ):
        with pytest.raises(InvalidArgument) as caught:
            scan([QUICK], **options)
        assert caught.value.argument == argument
    with pytest.raises(InvalidArgument):
        scan([[]])
    for servers in ("my-server", b"my-server", Server("my-server"), 5):
        with pytest.raises(InvalidArgument) as caught:
            scan(servers)
        assert caught.value.argument == "servers"
    later = scan([QUICK, Server([])], jobs=1)
    assert next(later)[1].era is Era.MODERN
    with pytest.raises(InvalidArgument):
        next(later)
    assert list(later) == []


@pytest.mark.parametrize("leave", ["close", "with", "collect"])
def test_leaving_early_ends_the_servers(tmp_path, leave):
    # What other tests left to the collector is none of this one's.
    gc.collect()
    gc.collect()
    descriptors = len(os.listdir("/proc/self/fd"))
    silent, path = telling(tmp_path, "pid")
    found = scan([silent, SILENT, QUICK, SILENT])
    _, outcome = next(found)
    assert outcome.era is Era.MODERN
    pid = pid_in(path)
    if leave == "close":
        found.close()
        found.close()
    elif leave == "with":
        with found:
            pass
    else:
        del found
        gc.collect()
    assert not is_alive(pid)
    assert len(os.listdir("/proc/self/fd")) == descriptors
    if leave != "collect":
        assert list(found) == []


def test_another_thread_closes_it(tmp_path):
    silent, path = telling(tmp_path, "pid")
    found = scan([silent])
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.extend(found))
    thread.start()
    pid = pid_in(path)
    with pytest.raises(ValueError, match="already"):
        next(found)
    found.close()
    thread.join()
    assert outcomes == []
    assert not is_alive(pid)


CHILD = """
import sys
import mcp_discover
servers = [sys.argv[i::2] for i in (1, 2)]
try:
    for server, outcome in mcp_discover.scan(servers):
        print("outcome", outcome, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.stdin.read()
"""


def test_ctrl_c_ends_every_server(tmp_path):
    """What is left is looked at while the program that was interrupted still runs."""
    one, first = telling(tmp_path, "one")
    other, second = telling(tmp_path, "other", "trap '' TERM; sleep 100; sleep 100")
    words = [word for pair in zip(one, other) for word in pair]
    program = [sys.executable, "-c", CHILD, *words]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        pids = [pid_in(first), pid_in(second)]
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert not [pid for pid in pids if is_alive(pid)]
        child.stdin.close()
    assert child.returncode == 0


def test_a_forked_child_is_told(tmp_path):
    silent, path = telling(tmp_path, "pid")
    with scan([silent, QUICK]) as found:
        next(found)
        pid = pid_in(path)
        child = os.fork()
        if child == 0:
            try:
                next(found)
            except Exception as error:
                os._exit(0 if getattr(error, "status", None) is Status.WRONG_PROCESS else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert is_alive(pid)
    assert not outlives(pid)
