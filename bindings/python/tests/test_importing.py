"""What an import loads, and what it leaves for later."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import mcp_discover
import pytest

# All of these take longer to load than the C library.
SLOW = {"asyncio", "dataclasses", "datetime", "enum", "inspect", "json", "pathlib", "re", "threading", "typing"}
# No use of the package but that of its `aio` and its command line needs these.
NEVER = {"asyncio", "logging", "pathlib", "socket", "ssl", "subprocess", "urllib"}


def loaded(program):
    """The modules that a program loads, besides those that Python has loaded before."""
    lines = ["import sys", "before = set(sys.modules)", program, "print(*set(sys.modules) - before)"]
    environment = {**os.environ, "PYTHONPATH": str(Path(mcp_discover.__file__).parents[1])}
    # Without `site`, which may load anything for other packages.
    words = [sys.executable, "-S", "-c", "\n".join(lines)]
    return set(subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.split())


def test_an_import_loads_the_library_and_little_else():
    modules = loaded("import mcp_discover")
    assert {"mcp_discover._library", "ctypes"} <= modules
    assert not modules & SLOW


@pytest.mark.parametrize(
    "name", ["probe", "parse_reply", "build_request", "scan", "discover_http", "open_connection", "Verdict"]
)
def test_what_is_used_is_loaded_without_a_network_or_an_event_loop(name):
    assert not loaded(f"from mcp_discover import {name}") & NEVER


def test_every_name_is_found_and_only_those():
    modules = loaded("from mcp_discover import *\nassert probe and Verdict and aio.probe")
    assert "asyncio" in modules
    for name in mcp_discover.__all__:
        assert getattr(mcp_discover, name) is getattr(mcp_discover, name)
    assert set(mcp_discover.__all__) <= set(dir(mcp_discover))
    with pytest.raises(AttributeError, match="has no attribute 'prob'"):
        mcp_discover.prob  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'prob'"):
        from mcp_discover import prob  # noqa: F401


def test_the_names_are_those_that_type_checkers_see():
    """The list of homes and the imports that only type checkers see say the same."""
    tree = ast.parse(Path(mcp_discover.__file__).read_text(encoding="utf-8"))
    [unseen] = [node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]
    homes = {}
    for node in unseen.body:
        if node.module is not None:
            homes[node.module] = [name.name for name in node.names]
    assert homes == mcp_discover._HOMES
    named = {name for names in homes.values() for name in names}
    assert {*mcp_discover.__all__} == named | {"__version__", "aio"}
