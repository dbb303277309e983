"""Servers that nobody here wrote. `make test` installs them; without them it says so."""

import os
from pathlib import Path

import pytest
from conftest import REPOSITORY
from mcp_discover import Era, Next, Shutdown, probe

#: Names the folder with the environments of the servers. Where it is set they have to be there.
FOLDER = "REAL_SERVERS"


def python_of(environment):
    if FOLDER not in os.environ:
        pytest.skip(f"{environment} is not installed; run make test")
    python = Path(os.environ[FOLDER], environment, "bin", "python")
    assert python.exists()
    return str(python)


def test_a_modern_server_on_the_python_sdk():
    command = [python_of("modern-server"), str(REPOSITORY / "tests" / "real_servers" / "modern.py")]
    verdict = probe(command, grace=30)
    assert (verdict.era, verdict.next, verdict.version) == (Era.MODERN, Next.USE_MODERN, "2026-07-28")
    assert (verdict.server.name, verdict.server.version) == ("smallest", "1.2.3")
    assert verdict.confirmed
    assert verdict.storable
    assert verdict.processes[-1].shutdown is Shutdown.STDIN_CLOSED


def test_a_legacy_server_of_2025():
    verdict = probe([python_of("legacy-server"), "-m", "mcp_server_time", "--local-timezone", "UTC"])
    assert (verdict.era, verdict.next, verdict.version) == (Era.LEGACY, Next.INITIALIZE, "2025-11-25")
    assert verdict.server.name == "mcp-time"
    assert verdict.capabilities.tools
    assert verdict.initialize.protocol_version == "2025-11-25"
    assert verdict.confirmed
