"""Installs the servers: install.py [SET]...

Every set is installed once, by its registry's own client and from its lock, into a folder whose name tells of its
content. What becomes of it stands in a report there: "installed"; "unreachable", if the registry is, if it takes too
long, or outside of CI if its tool is missing; or "failed". The exit status is 1 if a set failed, else 0.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from table import CACHE, REPOSITORY, SETS, PackageSet

#: For all sets together, in seconds; what is not there by then is left out.
PATIENCE = 570
#: Two at a time: most of it is waiting for a registry, but some of it is compiling.
AT_A_TIME = 2
#: How a client is told not to wait long for a registry that does not answer.
IMPATIENT = {
    "PIP_DEFAULT_TIMEOUT": "20",
    "PIP_RETRIES": "2",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "npm_config_fetch_timeout": "20000",
    "npm_config_fetch_retries": "2",
    "npm_config_fetch_retry_maxtimeout": "5000",
    "CARGO_HTTP_TIMEOUT": "20",
    "CARGO_NET_RETRY": "2",
}


class NotInstalledError(Exception):
    """A step of an installation failed; the text says how."""


class TooSlowError(NotInstalledError):
    """A step was not done in time."""


@dataclass(frozen=True)
class Registry:
    """Where packages of a kind come from, and the client that gets them."""

    name: str
    tool: str
    #: A small look-up: where it fails too, it is the registry that cannot be reached.
    look_up: tuple[str, ...]


REGISTRIES = {
    "python": Registry("PyPI", sys.executable, (sys.executable, "-m", "pip", "index", "versions", "mcp")),
    "npm": Registry("npm", "npm", ("npm", "view", "@modelcontextprotocol/sdk", "version")),
    "cargo": Registry("crates.io", "cargo", ("cargo", "info", "--registry", "crates-io", "rmcp")),
    "go": Registry("the Go module proxy", "go", ("go", "list", "-m", "github.com/mark3labs/mcp-go@latest")),
}


def _sources(packages: PackageSet) -> list[Path]:
    if packages.lock:
        return [REPOSITORY / packages.lock]
    return sorted(path for path in (REPOSITORY / str(packages.folder)).rglob("*") if path.is_file())


def folder_of(packages: PackageSet) -> Path:
    """Where a set is installed."""
    content = hashlib.sha256(f"{packages.kind} {packages.modfile}".encode())
    if packages.kind == "python":
        content.update(f"{sys.base_prefix} {sys.version}".encode())
    for path in _sources(packages):
        content.update(path.name.encode() + b"\0" + path.read_bytes())
    return CACHE / f"{packages.name.replace('/', '-').replace(' ', '-')}-{content.hexdigest()[:8]}"


def report_of(packages: PackageSet) -> dict[str, str]:
    """What became of a set."""
    path = folder_of(packages) / "report.json"
    if not path.exists():
        return {"state": "failed", "why": "nobody installed it; run make interop"}
    return json.loads(path.read_text(encoding="utf-8"))


def _run(command: list[str], deadline: float, cwd: Path = REPOSITORY, **env: str) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **IMPATIENT, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=max(deadline - time.monotonic(), 0.1),
        )
    except subprocess.TimeoutExpired:
        raise TooSlowError(f"{Path(command[0]).name} was not done in time") from None
    if done.returncode != 0:
        raise NotInstalledError(done.stdout.decode(errors="replace")[-2000:])


def _python(packages: PackageSet, target: Path, deadline: float) -> None:
    lock = str(REPOSITORY / str(packages.lock))
    _run([sys.executable, "-m", "venv", "--without-pip", str(target)], deadline)
    python = str(target / "bin" / "python")
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--requirement",
        lock,
    ]
    _run(install, deadline)


def _npm(packages: PackageSet, target: Path, deadline: float) -> None:
    shutil.copytree(REPOSITORY / str(packages.folder), target, dirs_exist_ok=True)
    _run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], deadline, target)


def _cargo(packages: PackageSet, target: Path, deadline: float) -> None:
    built = CACHE / "cargo-target"
    _run(
        ["cargo", "build", "--locked", "--quiet"],
        deadline,
        REPOSITORY / str(packages.folder),
        CARGO_TARGET_DIR=str(built),
    )
    for program in (built / "debug").glob("rmcp-*"):
        if program.is_file() and not program.suffix:
            shutil.copy2(program, target)


def _go(packages: PackageSet, target: Path, deadline: float) -> None:
    build = ["go", "build", "-mod=readonly", f"-modfile={packages.modfile}", "-o", str(target / "server"), "."]
    _run(build, deadline, REPOSITORY / str(packages.folder))


INSTALLERS = {"python": _python, "npm": _npm, "cargo": _cargo, "go": _go}


def _reaches(registry: Registry) -> bool:
    try:
        _run(list(registry.look_up), time.monotonic() + 60)
    except NotInstalledError:
        return False
    return True


def _attempt(packages: PackageSet, target: Path, deadline: float) -> dict[str, str]:
    registry = REGISTRIES[packages.kind]
    if shutil.which(registry.tool) is None:
        state = "failed" if os.environ.get("CI") == "true" else "unreachable"
        return {"state": state, "why": f"there is no {registry.tool}"}
    try:
        INSTALLERS[packages.kind](packages, target, deadline)
    except NotInstalledError as error:
        if not _reaches(registry):
            return {"state": "unreachable", "why": f"{registry.name} cannot be reached"}
        if isinstance(error, TooSlowError):
            return {"state": "unreachable", "why": str(error)}
        return {"state": "failed", "why": str(error)}
    return {"state": "installed", "why": ""}


def install(packages: PackageSet, deadline: float) -> dict[str, str]:
    """Installs a set, unless it is there, and tells what became of it."""
    target = folder_of(packages)
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(f"{target}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            if report_of(packages)["state"] == "installed":
                return report_of(packages)
            shutil.rmtree(target)
        target.mkdir()
        report = _attempt(packages, target, deadline)
        (target / "report.json").write_text(json.dumps(report), encoding="utf-8")
    return report


def main(names: list[str]) -> int:
    deadline = time.monotonic() + PATIENCE
    wanted = [SETS[name] for name in names] if names else list(SETS.values())
    # What compiles takes longest, so it comes first.
    wanted.sort(key=lambda packages: ["cargo", "npm", "python", "go"].index(packages.kind))
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        reports = list(pool.map(lambda packages: install(packages, deadline), wanted))
    for packages, report in zip(wanted, reports, strict=True):
        if report["state"] != "installed":
            print(f"NOT INSTALLED, {report['state']}: {packages.name}: {report['why']}", file=sys.stderr)
    return int(any(report["state"] == "failed" for report in reports))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
