"""What the tests share: places in the repository, servers to probe, and a look at processes."""

import gc
import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
SCRIPTED = REPOSITORY / "examples" / "servers" / "scripted.py"
SERVERS = SCRIPTED.parent


def pytest_configure():
    """A run in the background may have been told to ignore SIGINT, and then so would every program it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def example(role):
    """The command of an example server, such as "modern"."""
    return [sys.executable, str(SCRIPTED), str(SERVERS / f"{role}.json")]


@pytest.fixture
def scripted(tmp_path):
    """Makes the command of a server that does what a script says."""

    def make(script, name="script"):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(script), encoding="utf-8")
        return [sys.executable, str(SCRIPTED), str(path)]

    return make


QUICK_ANSWER = {
    "jsonrpc": "2.0",
    "id": "discover-1",
    "result": {
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {},
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "quick", "version": "1"}},
    },
}
# Answers and leaves, without the time that an interpreter needs to start.
QUICK = ["/bin/sh", "-c", "read -r request; printf '%s\\n' \"$0\"; read -r more || exit 0", json.dumps(QUICK_ANSWER)]


def is_alive(pid):
    """A zombie that a foreign init has not reaped yet is not alive."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rsplit(") ", 1)[1][0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def outlives(pid, patience=2.0):
    """Whether a process lives on; what SIGKILL was sent to takes a moment to go."""
    end = time.monotonic() + patience
    while is_alive(pid):
        if time.monotonic() > end:
            return True
        time.sleep(0.005)
    return False


def wait_until(condition, patience=20.0):
    """Waits for what another process does; fails if it never comes."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.005)


def descriptors():
    # Those of objects that earlier tests dropped would go at any time.
    gc.collect()
    return sorted(os.listdir("/proc/self/fd"))


def children():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """No test leaves a child of its own behind."""
    before = set(children())
    yield
    assert set(children()) <= before


def differs(place, expected, seen):
    """Where what is expected is not what is seen, by the corpus's one rule; None if it is."""
    if isinstance(expected, dict) and isinstance(seen, str) and "contains" in expected:
        return None if expected["contains"] in seen else f"{place}: {expected['contains']!r} is not in {seen!r}"
    if isinstance(expected, dict) and isinstance(seen, dict):
        faults = (differs(f"{place}.{name}", value, seen.get(name)) for name, value in expected.items())
        return next((fault for fault in faults if fault), None)
    if isinstance(expected, list) and isinstance(seen, list) and len(expected) == len(seen):
        faults = (differs(f"{place}[{i}]", *pair) for i, pair in enumerate(zip(expected, seen)))
        return next((fault for fault in faults if fault), None)
    same = expected == seen and isinstance(expected, bool) == isinstance(seen, bool)
    return None if same else f"{place}: expected {expected!r}, seen {seen!r}"
