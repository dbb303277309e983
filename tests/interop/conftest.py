"""Writes down what a run saw, for page.py."""

import json
from pathlib import Path

import pytest
from table import REPOSITORY

RESULTS = REPOSITORY / ".cache" / "interop-results.json"


class Results:
    """Collects, where the tests are handed out, what they recorded: by server, its verdict or why it did not run."""

    def __init__(self) -> None:
        self.servers: dict[str, dict[str, object]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        recorded = dict(report.user_properties)
        if "server" in recorded:
            row = self.servers.setdefault(recorded["server"], {"failed": False})
            row["failed"] = row["failed"] or report.failed
            row.update((name, recorded[name]) for name in ("verdict", "missing") if name in recorded)

    def pytest_sessionfinish(self) -> None:
        RESULTS.parent.mkdir(exist_ok=True)
        Path(RESULTS).write_text(json.dumps(self.servers, indent=1), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for name, row in self.servers.items():
            if "missing" in row:
                terminalreporter.write_line(f"NOT RUN: {name}: {row['missing']}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Results())
