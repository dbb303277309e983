"""Builds the Rust library into the wheel, and puts its sources into the sdist."""

import json
import os
import re
import subprocess
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.tags import platform_tags

# What cargo needs to build the library.
SOURCES = ["Cargo.toml", "Cargo.lock", "build.rs", "cbindgen.toml", "include", "src"]
# Where they are in an sdist.
IN_SDIST = "rust"


def crate(root):
    """The folder of the Rust crate: in an sdist, or in a checkout."""
    for folder in (Path(root, IN_SDIST), Path(root, "..", "..")):
        if (folder / "Cargo.toml").is_file():
            return folder.resolve()
    raise RuntimeError(f"the sources of the Rust library are missing: there is no {IN_SDIST}/Cargo.toml in {root}")


class VersionFromCargo(MetadataHookInterface):
    def update(self, metadata):
        manifest = (crate(self.root) / "Cargo.toml").read_text(encoding="utf-8")
        metadata["version"] = re.search(r'^version = "([^"]+)"', manifest, re.M)[1]


class LibraryOrItsSources(BuildHookInterface):
    def initialize(self, version, build_data):
        folder = crate(self.root)
        if self.target_name == "sdist":
            for path in [*SOURCES, *declared_targets(folder)]:
                build_data["force_include"][str(folder / path)] = f"{IN_SDIST}/{path}"
            return
        library = build(folder)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_of(library)}"
        # An editable install finds the library where cargo has put it.
        if version != "editable":
            build_data["force_include"][str(library)] = f"mcp_discover/{library.name}"


def declared_targets(folder):
    """The files of targets that Cargo.toml names: cargo wants them to be there, though it builds none of them."""
    manifest = (folder / "Cargo.toml").read_text(encoding="utf-8")
    tables = re.findall(r"^\[\[(test|bench|example|bin)\]\]\n((?:[^\[\n].*\n?|\n)*)", manifest, re.M)
    for kind, table in tables:
        members = dict(re.findall(r'^(\w+) = "([^"]+)"', table, re.M))
        folder_of = {"bin": "src/bin", "bench": "benches"}.get(kind, f"{kind}s")
        yield members.get("path") or f"{folder_of}/{members['name']}.rs"


def build(folder):
    """Builds the shared library as `make build` does; gives its path, as cargo tells it."""
    command = [os.environ.get("CARGO", "cargo"), "rustc", "--release", "--locked", "--lib"]
    # With an rlib among them nothing would be optimised across crates.
    command += ["--crate-type", "cdylib,staticlib"]
    try:
        done = subprocess.run(
            [*command, "--message-format=json-render-diagnostics"], cwd=folder, stdout=subprocess.PIPE, check=True
        )
    except FileNotFoundError:
        raise RuntimeError("building mcp-discover needs Rust: cargo was not found") from None
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"cargo could not build the library; it ended with {error.returncode}") from None
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    files = [file for m in messages if is_the_library(m) for file in m["filenames"]]
    return Path(next(file for file in files if file.endswith((".so", ".dylib"))))


def is_the_library(message):
    return message.get("reason") == "compiler-artifact" and message["target"]["name"] == "mcp_discover"


def platform_of(library):
    """The platform that the wheel runs on. With glibc that is told by the newest of the symbols the library needs."""
    tags = list(platform_tags())
    manylinux = [tag for tag in tags if re.match(r"manylinux_\d", tag)]
    newest = max(glibc_versions(library), default=None)
    if manylinux and newest is not None:
        architecture = manylinux[0].split("_", 3)[3]
        return f"manylinux_{newest[0]}_{newest[1]}_{architecture}"
    return next((tag for tag in tags if tag.startswith("musllinux")), tags[0])


def glibc_versions(library):
    names = re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)", library.read_bytes())
    return {(int(major), int(minor)) for major, minor in names}
