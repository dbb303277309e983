"""Every server gets the verdict that its era demands, from every language."""

import os
import shutil

import pytest
from install import report_of
from mcp_discover import NoConnection
from probing import (
    Kept,
    as_its_client_sees_it,
    kept_in_c,
    kept_in_go,
    kept_in_python,
    through_c,
    through_go,
    through_python,
)
from table import SERVERS, SETS, client_of

NEXT = {"modern": "use_modern", "legacy": "initialize", "unknown": "give_up"}


@pytest.fixture(params=[pytest.param(s, marks=pytest.mark.xdist_group(s.name), id=s.name) for s in SERVERS])
def server(request, record_property):
    record_property("server", request.param.name)
    for name in {request.param.set, client_of(request.param)[0]}:
        report = report_of(SETS[name])
        if report["state"] == "unreachable":
            record_property("missing", report["why"])
            pytest.skip(f"{name} is not installed: {report['why']}")
        assert report["state"] == "installed", f"{name} is not installed: {report['why']}"
    return request.param


def told_by_client(server):
    """Version, identity, capabilities and instructions, as the client of the server's SDK sees them."""
    if server.verdict == "unknown":
        return {"version": None, "server": None, "capabilities": None, "instructions": None}
    seen = as_its_client_sees_it(server)
    assert seen["version"] == server.version
    return {name: seen.get(name) or None for name in ("version", "server", "capabilities", "instructions")}


def check(server, verdict):
    """Holds a verdict to the table, and to what the client of the server's SDK sees."""
    expected = {
        "era": server.verdict,
        "next": NEXT[server.verdict],
        "confirmed": server.verdict != "unknown",
        "storable": server.verdict != "unknown" and server.discover in ("result", "error"),
        "discoverOutcome": server.discover,
        "initializeOutcome": {"modern": "not_asked", "legacy": "result", "unknown": "exit"}[server.verdict],
        "supportedVersions": list(server.speaks),
    }
    assert {name: verdict[name] for name in expected} == expected
    told = told_by_client(server)
    assert {name: verdict[name] or None for name in told} == told
    assert [process["exit"] for process in verdict["processes"]] == [{"code": code} for code in server.exits]
    assert {process["shutdown"] for process in verdict["processes"]} <= {"exited", "stdin_closed"}
    assert server.stderr in verdict["processes"][-1]["stderrTail"]


def test_through_python(server, record_property):
    verdict = through_python(server)
    check(server, verdict)
    record_property("verdict", verdict)


def needs_go():
    if shutil.which("go") is None and os.environ.get("CI") != "true":
        pytest.skip("Go is not installed")


def test_through_go(server):
    needs_go()
    check(server, through_go(server))


def test_through_c(server):
    """With the defaults: a server that a busy machine starts slowly is asked initialize too, and perhaps terminated."""
    printed = through_c(server)
    proof = "" if server.verdict == "unknown" else ", and the server said so"
    assert printed["era"] == [server.verdict + proof]
    assert printed["next"] == [NEXT[server.verdict]]
    assert printed.get("speaks", []) == list(server.speaks)
    seen = told_by_client(server)
    if server.verdict == "unknown":
        assert any(server.stderr in line for line in printed["stderr"])
    else:
        assert printed["with"] == [seen["version"]]
        assert (printed["server"], printed["version"]) == ([seen["server"]["name"]], [seen["server"]["version"]])
        assert printed["capabilities"] == [capabilities_in_c(seen["capabilities"])]
        assert printed.get("extension", []) == list(seen["capabilities"].get("extensions", {}))
    assert len(printed["process"]) == len(server.exits)
    assert all(line.startswith(("exit code ", "signal ")) for line in printed["process"])


@pytest.mark.parametrize("keep", [kept_in_c, kept_in_go, kept_in_python])
def test_kept(server, keep):
    """A server that is kept can be used at once, in its own era."""
    if keep is kept_in_go:
        needs_go()
    if server.verdict == "unknown":
        with pytest.raises((AssertionError, NoConnection), match="no connection"):
            keep(server)
        return
    assert keep(server) == Kept(server.verdict, as_its_client_sees_it(server)["tools"], "stdin_closed")


def capabilities_in_c(capabilities):
    """What the example prints about them."""
    flags = {"tools": ["listChanged"], "resources": ["subscribe", "listChanged"], "prompts": ["listChanged"]}
    names = [name for name in ("tools", "resources", "prompts", "completions", "logging") if name in capabilities]
    return " ".join(
        name + "".join(f"+{flag}" for flag in flags.get(name, []) if capabilities[name].get(flag)) for name in names
    )
