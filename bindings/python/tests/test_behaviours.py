"""Runs the corpus of behaviours through the Python API, each file a test of its own."""

import json
import sys
import time

import mcp_discover
import pytest
from conftest import REPOSITORY, SCRIPTED, differs, outlives
from mcp_discover import McpDiscoverError, Verdict

FILES = sorted((REPOSITORY / "tests" / "behaviours").glob("*.json"))
assert FILES

SECONDS = {"timeoutMs": "timeout", "discoverTimeoutMs": "discover_timeout", "graceMs": "grace"}
AS_THEY_ARE = {
    "maxStarts": "max_starts",
    "fallback": "fallback",
    "modernVersions": "modern_versions",
    "legacyVersions": "legacy_versions",
    "maxLineBytes": "max_line_bytes",
    "maxStderrBytes": "max_stderr_bytes",
    "envMode": "env_mode",
    "cwd": "cwd",
    "stderr": "stderr",
}


def options_of(behaviour, log):
    given = dict(behaviour.get("options", {}))
    options = {"env": {**given.pop("env", {}), "BEHAVIOUR_LOG": str(log)}}
    for name, value in given.items():
        if name in SECONDS:
            options[SECONDS[name]] = value / 1000
        else:
            options[AS_THEY_ARE[name]] = value
    return options


def command_of(behaviour, file):
    paths = {"$PYTHON": sys.executable, "$SERVER": str(SCRIPTED), "$BEHAVIOUR": str(file)}
    words = behaviour.get("command", list(paths))
    for name, path in paths.items():
        words = [word.replace(name, path) for word in words]
    return words


def document_of(verdict):
    """What Python tells, in the words of the corpus."""

    def of_error(error):
        return None if error is None else {"code": error.code, "message": error.message, "data": error.data}

    server = verdict.server
    names = {"name": "name", "version": "version", "title": "title", "description": "description"}
    return {
        "schema": 1,
        "era": str(verdict.era),
        "next": str(verdict.next),
        "version": verdict.version,
        "confirmed": verdict.confirmed,
        "storable": verdict.storable,
        "summary": verdict.summary,
        "discoverOutcome": str(verdict.discover_outcome),
        "initializeOutcome": str(verdict.initialize_outcome),
        "receivedAt": verdict.received_at and int(verdict.received_at.timestamp() * 1000),
        "supportedVersions": list(verdict.supported_versions),
        "server": server and {names.get(name, name): getattr(server, name) for name in names},
        "capabilities": verdict.capabilities and verdict.capabilities.raw,
        "instructions": verdict.instructions,
        "ttlMs": verdict.ttl_ms,
        "cacheScope": verdict.cache_scope and str(verdict.cache_scope),
        "discover": verdict.discover and verdict.discover.raw,
        "initialize": verdict.initialize and verdict.initialize.raw,
        "discoverError": of_error(verdict.discover_error),
        "initializeError": of_error(verdict.initialize_error),
        "remarks": [{"code": str(remark.code), "text": remark.text} for remark in verdict.remarks],
        "processes": [
            {
                "exit": exit_of(process),
                "shutdown": str(process.shutdown),
                "bytesReceived": process.bytes_received,
                "skippedLines": process.skipped_lines,
                "skippedSample": list(process.skipped_sample),
                "stderrTail": process.stderr_tail,
            }
            for process in verdict.processes
        ],
        "timing": {"elapsedMs": verdict.elapsed * 1000, "replyMs": verdict.reply_time and verdict.reply_time * 1000},
    }


def exit_of(process):
    if process.exit_code is not None:
        return {"code": process.exit_code}
    return {"signal": process.exit_signal} if process.exit_signal is not None else None


def asked(log):
    starts = [record["pid"] for record in log if record.get("start")]
    return [[r["method"] for r in log if r["pid"] == pid and "method" in r] for pid in starts]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_behaviour(file, tmp_path):
    behaviour = json.loads(file.read_bytes())
    log_file = tmp_path / "log"
    options = options_of(behaviour, log_file)
    started = time.monotonic()
    verdict = failure = None
    try:
        verdict = mcp_discover.probe(command_of(behaviour, file), **options)
    except McpDiscoverError as error:
        failure = error
    elapsed = time.monotonic() - started

    log = [json.loads(line) for line in log_file.read_text().splitlines()] if log_file.exists() else []
    faults = []
    if "failure" in behaviour:
        assert failure is not None, verdict
        assert str(failure.status) == behaviour["failure"]["status"]
        faults += [f"{part!r} is missing" for part in behaviour["failure"]["message"] if part not in str(failure)]
    else:
        assert verdict is not None, failure
        assert Verdict.from_json(verdict.to_json()) == verdict
        faults += compare(behaviour["expect"], verdict, log, elapsed)
    faults += [f"process {record['pid']} was left behind" for record in log if outlives(record["pid"])]
    assert not faults, (faults, verdict and verdict.to_json(), log)

    most = options.get("max_starts", 2)
    allowance = 2 * options.get("grace", 2.0) + 2 + 1
    assert sum("start" in record for record in log) <= most
    assert elapsed <= options.get("timeout", 30) + most * allowance


def compare(expect, verdict, log, elapsed):
    assert expect
    seen = document_of(verdict)
    codes = {remark["code"] for remark in seen["remarks"]}
    faults = []
    for name, expected in expect.items():
        if name == "remarks":
            faults += [f"the remark {code} is missing" for code in expected if code not in codes]
        elif name == "noRemarks":
            faults += [f"the remark {code} should not be there" for code in expected if code in codes]
        elif name == "asked":
            faults.append(differs(name, expected, asked(log)))
        elif name == "withinMs":
            faults += [f"took {elapsed} s"] if elapsed * 1000 > expected else []
        else:
            faults.append(differs(name, expected, seen[name]))
    return [fault for fault in faults if fault]
