"""Finds the shared library, checks that it is the right one, and loads it."""

import ctypes
import os
import sys

from . import _abi

#: Names the library to load instead of the one that came with the package.
VARIABLE = "MCP_DISCOVER_LIBRARY"
_ENDING = "dylib" if sys.platform == "darwin" else "so"
NAME = f"libmcp_discover.{_ENDING}"


def candidates() -> list[str]:
    """Where the library may be, best first."""
    named = os.environ.get(VARIABLE)
    if named:
        return [named]
    package = os.path.dirname(os.path.realpath(__file__))
    places = [os.path.join(package, NAME)]
    # In a checkout the package is bindings/python/src/mcp_discover, and cargo builds into target.
    checkout = os.path.normpath(os.path.join(package, *[os.pardir] * 4))
    parts = ("Cargo.toml", os.path.join("include", "mcp_discover.h"))
    if all(os.path.isfile(os.path.join(checkout, part)) for part in parts):
        target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(checkout, "target")
        places.append(os.path.join(target, "release", NAME))
    return places


def load() -> tuple[_abi.Functions, str]:
    """The functions of the first library that is there. It has to be the right one: no other is tried."""
    places = candidates()
    path = next((place for place in places if os.path.isfile(place)), None)
    if path is None:
        looked = ", ".join(places)
        raise ImportError(
            f"mcp_discover found no shared library: there is no {looked}. The wheels of mcp-discover bring it along. "
            f"In a checkout `make build` makes it; {VARIABLE} may name one that is elsewhere."
        )
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"mcp_discover cannot load {path}: {error}") from error
    try:
        library.mcpd_abi_version.restype = ctypes.c_int32
        found = int(library.mcpd_abi_version())
    except AttributeError as error:
        raise ImportError(f"{path} is no mcp-discover library: it has no mcpd_abi_version") from error
    if found != _abi.MCPD_ABI_VERSION:
        raise ImportError(
            f"{path} has version {found} of the binary interface, and this package needs {_abi.MCPD_ABI_VERSION}: "
            f"install the library and the package in the same version"
        )
    try:
        functions = _abi.Functions(library)
    except AttributeError as error:
        raise ImportError(f"{path} is older than this package, {_abi.VERSION}: {error}") from error
    version = functions.mcpd_version().decode()
    if numbers(version) < numbers(_abi.VERSION):
        raise ImportError(f"{path} is version {version}, older than this package, {_abi.VERSION}")
    return functions, path


def numbers(version: str) -> list[int]:
    """The numbers of a version, for comparing."""
    return [int(part) for part in version.split("-")[0].split("+")[0].split(".")]


#: The functions of the library, and where it is.
lib, path = load()
