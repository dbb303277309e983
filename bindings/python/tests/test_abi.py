"""The C library as Python sees it: its layouts, its codes, and finding the right one."""

import ctypes
import os
import pickle
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import mcp_discover
import pytest
from conftest import REPOSITORY
from mcp_discover import _abi, _codes, _library
from mcp_discover._code import Code

GENERATOR = REPOSITORY / "bindings" / "python" / "tools" / "generate.py"
HEADER = REPOSITORY / "include" / "mcp_discover.h"
NAMED = ["Status", "Era", "CacheScope", "RemarkCode", "ReplyKind", "Next", "Outcome", "Shutdown", "Step"]
CODES = [getattr(_codes, name) for name in _codes.__all__]


def test_what_is_generated_is_what_the_header_says():
    done = subprocess.run([sys.executable, str(GENERATOR), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_generator_tells_of_drift(tmp_path):
    """In a copy of the tree whose header has a constant more."""
    package = tmp_path / "bindings" / "python" / "src" / "mcp_discover"
    package.mkdir(parents=True)
    for name in ("_abi.py", "_codes.py"):
        shutil.copy(Path(mcp_discover.__file__).with_name(name), package)
    copy = tmp_path / "bindings" / "python" / "tools" / "generate.py"
    copy.parent.mkdir()
    shutil.copy(GENERATOR, copy)
    (tmp_path / "include").mkdir()
    changed = HEADER.read_text().replace("#define MCPD_ERA_LEGACY 2", "#define MCPD_ERA_LEGACY 3")
    (tmp_path / "include" / "mcp_discover.h").write_text(changed)
    done = subprocess.run([sys.executable, str(copy), "--check"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "_abi.py, _codes.py" in done.stderr


def test_layouts_are_those_of_the_c_compiler(tmp_path):
    lines = ["#include <stdio.h>", '#include "mcp_discover.h"', "int main(void) {"]
    expected = []
    for name, layout in _abi.STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(layout)}")
        for field, _ in layout._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            expected.append(f"{name}.{field} {getattr(layout, field).offset}")
    source, program = tmp_path / "layout.c", tmp_path / "layout"
    source.write_text("\n".join([*lines, "return 0; }"]))
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, f"-I{HEADER.parent}", str(source), "-o", str(program)], check=True)
    told = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == expected


@pytest.mark.parametrize("name", [name for name in _abi.STRUCTS if not name.endswith("_options")])
def test_formats_are_as_long_as_the_structs(name):
    assert struct.calcsize(getattr(_abi, f"{name}_format")) == ctypes.sizeof(_abi.STRUCTS[name])


@pytest.mark.parametrize("name", NAMED)
def test_codes_have_the_names_that_the_library_gives_them(name):
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    function = getattr(_library.lib, f"mcpd{words.replace('_remark_code', '_remark')}_name")
    for member in getattr(_codes, name):
        assert function(member.code).decode() == member.value, member


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.__name__)
def test_an_unknown_number_or_name_is_a_code_too(code):
    numbered = code.of(9999)
    assert (numbered.code, str(numbered), numbered.is_known) == (9999, "unrecognized_9999", False)
    named = code("of_a_later_version")
    assert named == "of_a_later_version"
    assert named == code("of_a_later_version")
    assert hash(named) == hash(code("of_a_later_version"))
    assert named not in list(code)
    assert pickle.loads(pickle.dumps(named)) == named
    assert "unknown to this version" in repr(named)
    for member in code:
        assert code.of(member.code) is member
        assert code(member.value) is member
        assert pickle.loads(pickle.dumps(member)) is member
        assert member.is_known


def test_codes_are_texts():
    assert mcp_discover.Era.MODERN == "modern"
    assert f"{mcp_discover.Era.MODERN:>8}" == "  modern"
    assert repr(mcp_discover.Era.MODERN) == "Era.MODERN"
    assert issubclass(mcp_discover.Era, Code)
    with pytest.raises(ValueError):
        mcp_discover.Era(7)


def test_the_versions_agree():
    manifest = (REPOSITORY / "Cargo.toml").read_text()
    assert f'version = "{mcp_discover.__version__}"' in manifest
    assert mcp_discover.library_version() == mcp_discover.__version__


def imported(**variables):
    """What becomes of importing the package with these variables."""
    environment = {**os.environ, "PYTHONPATH": str(Path(mcp_discover.__file__).parents[1]), **variables}
    program = "import mcp_discover; from mcp_discover import _library; print(_library.path)"
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)


def fake_library(folder, code):
    source, library = folder / "fake.c", folder / "libfake.so"
    source.write_text(code)
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    return str(library)


def test_a_variable_names_the_library(tmp_path):
    copy = tmp_path / "elsewhere.so"
    shutil.copy(_library.path, copy)
    assert imported(MCP_DISCOVER_LIBRARY=str(copy)).stdout.strip() == str(copy)


def test_without_a_library_the_error_says_where_it_was_sought_and_how_to_get_it(tmp_path):
    missing = tmp_path / "missing.so"
    told = imported(MCP_DISCOVER_LIBRARY=str(missing)).stderr
    for part in ("ImportError", str(missing), "MCP_DISCOVER_LIBRARY", "make build"):
        assert part in told


def test_a_package_without_its_library_says_so(tmp_path):
    package = Path(mcp_discover.__file__).parent
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(package, tmp_path / "mcp_discover", ignore=ignored)
    told = imported(PYTHONPATH=str(tmp_path), MCP_DISCOVER_LIBRARY="").stderr
    assert "ImportError" in told
    assert str(tmp_path / "mcp_discover" / "libmcp_discover.so") in told


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("int other(void) { return 0; }", "is no mcp-discover library"),
        ("int mcpd_abi_version(void) { return 99; }", "has version 99 of the binary interface"),
        ("int mcpd_abi_version(void) { return 0; }", "is older than this package"),
    ],
    ids=["another library", "another interface", "fewer functions"],
)
def test_another_library_is_refused(tmp_path, code, part):
    told = imported(MCP_DISCOVER_LIBRARY=fake_library(tmp_path, code)).stderr
    assert "ImportError" in told
    assert part in told


def test_a_file_that_is_no_library_is_refused(tmp_path):
    text = tmp_path / "text.so"
    text.write_text("no library")
    told = imported(MCP_DISCOVER_LIBRARY=str(text)).stderr
    assert "ImportError: mcp_discover cannot load" in told


@pytest.mark.parametrize(
    ("older", "newer"), [("0.1.0", "0.1.1"), ("0.9.0", "0.10.0"), ("0.1.0-rc.1", "0.1.1"), ("1.0.0", "2.0.0+build")]
)
def test_versions_are_compared_by_their_numbers(older, newer):
    assert _library.numbers(older) < _library.numbers(newer)
