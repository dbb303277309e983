"""Measures the library side by side with what it is compared with, and writes the table in docs/performance.md.

table.py [--quick] [--dry] [GROUP]...

Every program is started once. Then they take turns, round by round, so that whatever else the machine does hits all of
them alike; a ratio is that of the medians of all rounds. `make bench` builds the programs, and installs what they need.
"""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parents[1]
RELEASE = ROOT / "target/release"
LIBRARY = RELEASE / "libmcp_discover.so"
BUILT = ROOT / "target/bench"
CACHE = ROOT / ".cache"
PAGE = ROOT / "docs/performance.md"
MESSAGES = ROOT / "benches/messages"
STARTED, ENDED = "<!-- written by make bench -->", "<!-- to here -->"

PYTHON = CACHE / "modern-server/bin/python"
SERVER = str(BUILT / "server")
FLOOR = [str(BUILT / "floor")]
CALLS = [str(BUILT / "calls"), SERVER]
HOST = [str(BUILT / "host")]
RMCP = [str(ROOT / "target/rmcp/release/rmcp-host")]
GO = [str(BUILT / "go-host")]
TYPESCRIPT = ["node", str(CACHE / "typescript-host/host.mjs")]
PYTHON_HOST = [str(PYTHON), str(ROOT / "benches/python/host.py")]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "bindings/python/src"), "MCP_DISCOVER_LIBRARY": str(LIBRARY)}


class Host:
    """A measuring program, as benches/c/rounds.h describes it."""

    def __init__(self, argv):
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, bufsize=1
        )

    def run(self, times):
        """Nanoseconds for one time, those until the answer, and the peak of memory in kB."""
        self.process.stdin.write(f"{times}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args} has failed")
        took, answered, peak = map(int, line.split())
        return took / times, answered / times, peak

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            sys.exit(f"{self.process.args} has failed")


@dataclass
class Figures:
    """The medians of a program's rounds."""

    took: float
    answered: float
    peak: float


def side_by_side(programs, rounds, times, first=3):
    """Lets programs take turns; `times` is how often each does its task in a round, one number or one for each."""
    hosts = {name: Host(argv) for name, argv in programs.items()}
    often = times if isinstance(times, dict) else dict.fromkeys(hosts, times)
    figures = {name: [] for name in hosts}
    order = list(hosts)
    for turn in range(first + rounds):
        for name in order:
            figure = hosts[name].run(often[name])
            if turn >= first:
                figures[name].append(figure)
        order.append(order.pop(0))
    for host in hosts.values():
        host.close()
    return {name: Figures(*map(statistics.median, zip(*rows))) for name, rows in figures.items()}


@dataclass
class Row:
    what: str
    against: str
    figure: float
    target: Optional[float] = None
    unit: str = ""
    more: str = ""

    @property
    def holds(self):
        return self.target is None or self.figure <= self.target

    def cells(self):
        digits = 0 if isinstance(self.figure, int) or self.figure >= 100 else 2
        figure = f"{self.figure:.{digits}f}{self.unit}"
        target = "" if self.target is None else f"{self.target:g}{self.unit}"
        return [self.what, self.against, figure, target, "" if self.holds else "missed", self.more]


def nanoseconds(figure):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if figure >= size:
            return f"{figure / size:.3g} {unit}"
    return f"{figure:.0f} ns"


def kilobytes(figure):
    return f"{figure / 1000:.0f} kB"


def ratio(what, against, ours, theirs, target=None, unit=nanoseconds):
    return Row(what, against, ours / theirs, target, more=f"{unit(ours)}, {unit(theirs)}")


def message(name, size):
    """A file with a reply of about so many bytes: `text` has it in its instructions, `dense` in many small members."""
    path = BUILT / "messages" / f"{name}-{size}.json"
    reply = json.loads((MESSAGES / "typical.json").read_text())
    if name == "text":
        line = 'Call "forecast" with a place, then read the result line by line; ask again if it is old.\n'
        reply["result"]["instructions"] = line * (size // (len(line) + 3))
    else:
        members = size // 60
        experimental = {f"com.example/feature-{i}": {"on": True, "level": i, "of": [1, 2]} for i in range(members)}
        reply["result"]["capabilities"]["experimental"] = experimental
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(reply, separators=(",", ":")) + "\n")
    return str(path)


def probing(scale):
    """A whole probe beside the floor, from each language and by each SDK."""
    programs = {
        "floor": [*FLOOR, "1", SERVER],
        "calls": CALLS,
        "C": [*HOST, "probe", SERVER],
        "Go": [*GO, "probe", SERVER],
        "the floor from Go": [*GO, "floor", SERVER],
        "Python": [*PYTHON_HOST, "probe", SERVER],
        "rmcp": [*RMCP, "probe", SERVER],
        "the Go SDK": [*GO, "sdk-probe", SERVER],
    }
    slow = {
        "floor": programs["floor"],
        "the TypeScript client": [*TYPESCRIPT, "probe", SERVER],
        "Python `mcp`": [*PYTHON_HOST, "mcp-probe", SERVER],
    }
    found = side_by_side(programs, scale(200), 1, first=10)
    floor = found["floor"]
    for name, target in (("C", 1.10), ("Go", 1.15), ("Python", 1.25)):
        yield ratio(f"a probe from {name}", "the floor", found[name].took, floor.took, target)
    yield ratio("the system calls of a probe, nothing else", "the floor", found["calls"].took, floor.took)
    yield ratio("the floor, called from Go", "the floor", found["the floor from Go"].took, floor.took)
    yield ratio("from start to verdict, from C", "the floor's answer", found["C"].answered, floor.answered)
    for name in ("rmcp", "the Go SDK"):
        yield ratio("a probe from C", name, found["C"].took, found[name].took)
    slowly = side_by_side(slow, scale(40), 1)
    for name in ("the TypeScript client", "Python `mcp`"):
        ours = found["C"].took / floor.took * slowly["floor"].took
        yield ratio("a probe from C", name, ours, slowly[name].took)
    peaks = side_by_side({name: programs[name] for name in ("floor", "C")}, 1, 1, first=0)
    more = (peaks["C"].peak - peaks["floor"].peak) / 1024
    yield Row("peak memory of a probe from C", "above the floor", more, 1.5, " MB")


def scanning(scale):
    """Many servers at once."""
    asleep = (
        side_by_side({"scan": [*HOST, "scan", SERVER, "sleep", "500"]}, scale(5), 64, first=1)["scan"].took * 64 / 1e9
    )
    yield Row("64 servers that sleep 0.5 s, in one scan", "", asleep, 0.8, " s")
    programs = {"floor": [*FLOOR, "64", SERVER], "C": [*HOST, "scan", SERVER]}
    found = side_by_side(programs, scale(15), 1000, first=1)
    yield ratio("a scan of 1,000, 64 at a time", "the floor, 64 at a time", found["C"].took, found["floor"].took, 1.1)


def system_calls(scale):
    """How many system calls a probe takes, the child's not counted."""
    ours, floor = (calls_of(argv) for argv in ([*HOST, "probe", SERVER], [*FLOOR, "1", SERVER]))
    yield Row("system calls of a probe from C", f"the floor takes {floor:.0f}", ours, CEILING)


# As tests/system_calls.rs has it.
CEILING = 75


def calls_of(argv):
    """System calls for one more probe, as strace counts them."""

    def count(times):
        with tempfile.NamedTemporaryFile("r") as log:
            traced = ["strace", "-qq", "-o", log.name, *argv]
            subprocess.run(traced, input=f"{times}\n", text=True, check=True, stdout=subprocess.DEVNULL)
            return sum(1 for line in log if re.match(r"\w+\(", line))

    return (count(21) - count(1)) / 20


def reading(scale):
    """A reply from bytes to structs or objects, every field of it."""
    for size, target in (("small", None), ("typical", 0.4), ("full", None)):
        path = str(MESSAGES / f"{size}.json")
        programs = {"C": [*HOST, "read", path], "rmcp": [*RMCP, "read", path]}
        found = side_by_side(programs, scale(200), 500)
        length = os.path.getsize(path)
        yield ratio(f"reading {length} bytes in C", "rmcp", found["C"].took, found["rmcp"].took, target)
    for kind, size in (("text", 100_000), ("dense", 100_000), ("text", 10_000_000), ("dense", 10_000_000)):
        path = message(kind, size)
        programs = {"C": [*HOST, "read", path], "rmcp": [*RMCP, "read", path]}
        found = side_by_side(programs, scale(100 if size < 1e6 else 15), max(1, 1_000_000 // size))
        what = f"reading {size / 1e6:g} MB, {'mostly text' if kind == 'text' else 'small members'}, in C"
        yield ratio(what, "rmcp", found["C"].took, found["rmcp"].took)
    path = str(MESSAGES / "typical.json")
    programs = {
        "Python": [*PYTHON_HOST, "read", path],
        "json": [*PYTHON_HOST, "json-read", path],
        "mcp": [*PYTHON_HOST, "mcp-read", path],
        "Go": [*GO, "read", path],
        "sdk": [*GO, "sdk-read", path],
    }
    found = side_by_side(programs, scale(150), 200)
    ours = found["Python"].took
    yield ratio("reading 478 bytes in Python", "`json.loads` and the look-ups", ours, found["json"].took, 1.0)
    yield ratio("reading 478 bytes in Python", "Python `mcp`", ours, found["mcp"].took, 0.6)
    yield ratio("reading 478 bytes in Go", "the Go SDK", found["Go"].took, found["sdk"].took, 0.5)


def building(scale):
    programs = {"C": [*HOST, "build"], "rmcp": [*RMCP, "build"]}
    found = side_by_side(programs, scale(200), 1000)
    yield ratio("building a request in C", "rmcp's serialisation", found["C"].took, found["rmcp"].took, 0.5)


def growing(scale):
    """Ten times as much should take ten times as long."""
    for kind, name in (("text", "mostly text"), ("dense", "small members")):
        small, large = message(kind, 1_000_000), message(kind, 10_000_000)
        programs = {"small": [*HOST, "read", small], "large": [*HOST, "read", large]}
        if kind == "text":
            programs |= {"copy small": [*HOST, "copy", small], "copy large": [*HOST, "copy", large]}
        often = {name: 10 if "small" in name else 1 for name in programs}
        found = side_by_side(programs, scale(40), often)
        each = found["small"].took * 10
        yield ratio(f"reading 10 MB, {name}", "ten times 1 MB", found["large"].took, each, 1.2)
        if kind == "text":
            each = found["copy small"].took * 10
            yield ratio("three copies of 10 MB by memcpy", "ten times 1 MB", found["copy large"].took, each)
    cases = (
        ("noise", 1_000_000, "a probe behind 1,000,000 lines of noise", "ten behind 100,000"),
        ("dribble", 100_000, "a reply of 100,000 bytes, one at a time", "ten of 10,000"),
    )
    for mode, number, what, against in cases:
        programs = {
            "small": [*HOST, "probe", SERVER, mode, str(number // 10)],
            "large": [*HOST, "probe", SERVER, mode, str(number)],
        }
        found = side_by_side(programs, scale(15), {"small": 10, "large": 1}, first=1)
        yield ratio(what, against, found["large"].took, found["small"].took * 10, 1.2)


def sizes(scale):
    """What the library adds to a program that has it."""
    yield Row("the stripped library", "", LIBRARY.stat().st_size / 1000, 520, " kB")
    for name, what in (("empty", "one with a single function"), ("runtime", "one that starts and reads a process")):
        least = (ROOT / f"target/least/{name}/release/libleast.so").stat().st_size
        yield ratio("the stripped library", what, LIBRARY.stat().st_size, least, unit=kilobytes)
    yield Row("crates linked, this one included", "", crates(), 16)
    load = [str(BUILT / "load"), str(LIBRARY)]
    loads = [int(subprocess.check_output(load)) / 1e6 for _ in range(scale(40))]
    yield Row("dlopen", "", statistics.median(loads), 1, " ms")
    python = {
        code: [str(PYTHON), str(ROOT / "benches/python/start.py"), code] for code in ("pass", "import mcp_discover")
    }
    found = side_by_side(python, scale(40), 1)
    bare, ours = (figures.took / 1e6 for figures in found.values())
    yield Row("`import mcp_discover`", "above the bare interpreter", ours - bare, 30, " ms")


def crates():
    command = ["cargo", "tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    lines = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    return len({line.split()[0] for line in lines if line})


GROUPS = {
    "probing": probing,
    "scanning": scanning,
    "calls": system_calls,
    "reading": reading,
    "building": building,
    "growing": growing,
    "sizes": sizes,
}


def first_line(*command):
    return subprocess.check_output(command, cwd=ROOT, text=True).splitlines()[0].strip()


def pinned(path, name):
    """The version that a file pins a package to."""
    return re.search(rf"{re.escape(name)}\W.*?(\d[0-9.]+\d)", (ROOT / path).read_text()).group(1)


def surroundings(load):
    with open("/proc/cpuinfo") as file:
        virtual = "hypervisor" in file.read()
    kind = f"{platform.machine()}, {os.cpu_count()} cores{', virtual' if virtual else ''}"
    versions = [
        f"{platform.system()} {platform.release().split('-')[0]}",
        first_line("rustc", "--version").rsplit(" (", 1)[0],
        f"gcc {first_line('cc', '-dumpfullversion')}",
        first_line("go", "version").split()[2].replace("go", "Go "),
        first_line(str(PYTHON), "--version"),
        f"Node {first_line('node', '--version')}",
        f"rmcp {pinned('benches/rmcp/Cargo.toml', 'rmcp =')}",
        f"the Go SDK {pinned('benches/go/go.mod', 'modelcontextprotocol/go-sdk')}",
        f"the TypeScript client {pinned('benches/typescript/package.json', '@modelcontextprotocol/client')}",
        f"Python mcp {pinned('tests/requirements/modern-server.txt', 'mcp')}",
    ]
    return f"Measured on {kind}, at a load of {load:.1f} when it began, with {', '.join(versions)}."


def table(rows):
    head = ["what", "beside", "found", "target", "", "in turn"]
    lines = [head, ["---"] * len(head), *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main():
    parser = argparse.ArgumentParser(description="Measures the library side by side with others.")
    load = os.getloadavg()[0]
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds")
    parser.add_argument("--dry", action="store_true", help="leave the page alone")
    options = parser.parse_args()
    rows = []
    for name in options.groups or GROUPS:
        for row in GROUPS[name](lambda rounds: max(5, rounds // 10) if options.quick else rounds):
            print("  ".join(cell for cell in row.cells() if cell), file=sys.stderr, flush=True)
            rows.append(row)
    text = f"{surroundings(load)}\n\n{table(rows)}"
    print(text)
    if not (options.groups or options.quick or options.dry):
        before, rest = PAGE.read_text().split(STARTED)
        after = rest.split(ENDED)[1]
        PAGE.write_text(f"{before}{STARTED}\n\n{text}\n\n{ENDED}{after}")


if __name__ == "__main__":
    main()
