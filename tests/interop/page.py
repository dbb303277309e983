"""Writes docs/compatibility.md from what a run saw; with --check, compares the two instead, all but the times."""

import json
import os
import platform
import subprocess
import sys

from conftest import RESULTS
from table import REPOSITORY, SERVERS

PAGE = REPOSITORY / "docs" / "compatibility.md"
COLUMNS = ("server", "verdict", "version", "discover", "exit", "time", "remarks")
INTRODUCTION = """\
# Compatibility

Servers that nobody here wrote, and the least that can be written on every SDK, each with the verdict it gets.
`make interop` installs them from the public registries, at these versions, and writes this page from its own run.
Each server is probed through C, Python and Go, and each verdict has to agree with the table of
[tests/interop](../tests/interop/README.md), and in version, identity, capabilities and instructions with what the
client of the server's own SDK sees. Kept after a probe, each has to answer `tools/list` with the tools that this client
lists. No process may be left behind.

- verdict: `era`, `next`. For each era [verdicts.md](verdicts.md) has the rules.
- version: what to go on with.
- discover: what became of `server/discover`.
- exit: how each process that was started ended, in order. The first was asked discover, a second `initialize` alone.
- time: from the first start to the answer that decided, the server's own start included; to the end of the probe where
  no answer did. {machine}.
- remarks: what is odd about the server, by the codes of [remarks.md](remarks.md), and by hand.
"""


def machine() -> str:
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    python = platform.python_version()
    load = os.getloadavg()[1]
    return (
        f"Two servers at a time on {os.cpu_count()} cores whose average load was {load:.0f}, "
        f"with Python {python} and Node.js {node[1:] or 'missing'}"
    )


def ended(process: dict) -> str:
    how = process["exit"] or {}
    return " ".join(f"{kind} {value}" for kind, value in how.items()) or process["shutdown"]


def row(server, result: dict) -> dict[str, str]:
    cells = dict.fromkeys(COLUMNS, "")
    cells["server"] = server.name
    if "verdict" not in result:
        cells["verdict"] = "not run"
        cells["remarks"] = result.get("missing", "it failed")
        return cells
    verdict = result["verdict"]
    milliseconds = verdict["timing"]["replyMs"] or verdict["timing"]["elapsedMs"]
    remarks = [f"`{remark['code']}`" for remark in verdict["remarks"]] + [server.note] * bool(server.note)
    cells.update(
        verdict=f"{verdict['era']}, {verdict['next']}",
        version=verdict["version"] or "",
        discover=verdict["discoverOutcome"],
        exit=", ".join(ended(process) for process in verdict["processes"]),
        time=f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s",
        remarks=", ".join(remarks),
    )
    return cells


def line(cells) -> str:
    return "| " + " | ".join(cells) + " |"


def main(arguments: list[str]) -> int:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = [row(server, results.get(server.name, {})) for server in SERVERS]
    if arguments != ["--check"]:
        lines = [line(COLUMNS), line(["---"] * len(COLUMNS)), *(line(cells.values()) for cells in rows)]
        PAGE.write_text(INTRODUCTION.format(machine=machine()) + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
        return 0
    written = [text[2:-2].split(" | ") for text in PAGE.read_text(encoding="utf-8").splitlines()]
    status = 0
    for cells in rows:
        ran = cells["verdict"] != "not run"
        seen = [cells[name] for name in COLUMNS if name != "time"]
        stands = [
            [cell for i, cell in enumerate(known) if COLUMNS[i] != "time"]
            for known in written
            if len(known) == len(COLUMNS)
        ]
        if ran and seen not in stands:
            print(f"docs/compatibility.md is out of date; make interop writes it. Now: {line(seen)}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
