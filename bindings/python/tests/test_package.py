"""What is shipped: a wheel with the library inside, and an sdist from which it can be built."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import mcp_discover
import pytest
from conftest import QUICK, REPOSITORY

PACKAGE = REPOSITORY / "bindings" / "python"
PINNED = REPOSITORY / "tests" / "requirements" / "python.txt"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def build(source, what, folder, target=TARGET):
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    run(sys.executable, "-m", "build", "--no-isolation", f"--{what}", "--outdir", folder, source, env=environment)
    [made] = Path(folder).iterdir()
    return made


@pytest.fixture(scope="module")
def released():
    """What `make build` has built, read before a wheel is built in the same place."""
    return (TARGET / "release" / "libmcp_discover.so").read_bytes()


@pytest.fixture(scope="module")
def wheel(released, tmp_path_factory):
    return build(PACKAGE, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return build(PACKAGE, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An environment with nothing in it but the wheel."""
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-index", wheel)
    return folder / "bin"


def outside(*words, **options):
    """Runs an installed program, far from the repository and its variables."""
    variables = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, env=variables, cwd="/", **options
    )


def test_the_wheel_is_for_any_python_3_and_this_platform(wheel):
    name, version, python, abi, platform = wheel.stem.split("-")
    assert (name, version, python, abi) == ("mcp_discover", mcp_discover.__version__, "py3", "none")
    assert platform != "any"


def test_the_wheel_holds_the_library_the_types_and_the_licences(wheel, released):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert archive.read("mcp_discover/libmcp_discover.so") == released
        folder = f"mcp_discover-{mcp_discover.__version__}.dist-info"
        metadata = archive.read(f"{folder}/METADATA").decode()
    assert "mcp_discover/libmcp_discover.so" in names
    assert "mcp_discover/py.typed" in names
    assert {f"{folder}/licenses/LICENSE-MIT", f"{folder}/licenses/LICENSE-APACHE"} <= set(names)
    assert not [name for name in names if not name.startswith(("mcp_discover/", folder))]
    assert "License-Expression: MIT OR Apache-2.0" in metadata
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert required
    assert all("extra == 'cli'" in line for line in required)
    assert "## Three lines of Python" in metadata


def test_the_licences_are_those_of_the_repository():
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert (PACKAGE / name).read_bytes() == (REPOSITORY / name).read_bytes()


def test_the_tag_names_the_oldest_glibc_that_the_library_runs_on(wheel):
    told = run(sys.executable, "-m", "auditwheel", "show", wheel).stdout
    needed = max(tuple(map(int, found)) for found in re.findall(r"'GLIBC_(\d+)\.(\d+)", told))
    [tag] = re.findall(r"manylinux_(\d+)_(\d+)_\w+", wheel.name)
    assert tuple(map(int, tag)) == needed
    consistent = re.search(r'platform tag:\s+"manylinux_(\d+)_(\d+)', " ".join(told.split()))
    assert tuple(map(int, consistent.groups())) >= needed
    print(told)


def test_the_wheel_works_in_an_empty_environment(installed):
    done = outside(installed / "mcp-discover", "probe", "--json", "--", *QUICK)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["server"]["name"] == "quick"
    done = outside(installed / "python", "-c", "from mcp_discover import _library; print(_library.path)")
    assert done.stdout.strip().startswith(str(installed.parent.resolve()))
    assert outside(installed / "python", "-m", "mcp_discover", "request").stdout.startswith('{"jsonrpc"')


def test_without_the_extra_a_scan_says_how_to_get_it(installed):
    done = outside(installed / "mcp-discover", "scan")
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'mcp-discover[cli]'" in done.stderr


def test_with_the_extra_a_scan_works(wheel, tmp_path):
    """As the README has it: from nothing to a scan in two commands."""
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    programs = tmp_path / "venv" / "bin"
    run(programs / "python", "-m", "pip", "install", "--quiet", "--constraint", PINNED, f"{wheel}[cli]")
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"one": {"command": QUICK[0], "args": QUICK[1:]}}}))
    done = outside(programs / "mcp-discover", "scan", config, input="y\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1 server: 1 modern"


def test_the_sdist_builds_where_there_is_rust(sdist):
    """In a place that stays, so that cargo need not build all anew each time."""
    place = TARGET / "sdist"
    place.mkdir(parents=True, exist_ok=True)
    with tarfile.open(sdist) as archive:
        assert not [member.name for member in archive if not (member.isfile() or member.isdir())]
        archive.extractall(place)
    source = place / sdist.name[: -len(".tar.gz")]
    assert (source / "rust" / "src" / "lib.rs").exists()
    folder = place / "wheel"
    for old in folder.glob("*"):
        old.unlink()
    wheel = build(source, "wheel", folder, target=place / "target")
    assert wheel.name.startswith(f"mcp_discover-{mcp_discover.__version__}-py3-none-")
    with zipfile.ZipFile(wheel) as archive:
        assert "mcp_discover/libmcp_discover.so" in archive.namelist()


def test_without_rust_a_build_says_what_is_missing(sdist, tmp_path):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path)
    source = tmp_path / sdist.name[: -len(".tar.gz")]
    words = [sys.executable, "-m", "build", "--no-isolation", "--wheel", str(source)]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "CARGO": "/no/such/cargo"})
    assert done.returncode != 0
    assert "building mcp-discover needs Rust" in done.stdout + done.stderr
