"""Reads the files in which MCP clients name their servers."""

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional


class ConfigError(Exception):
    """A file cannot be read."""


@dataclass(frozen=True)
class Server:
    """A server that a file names."""

    name: str
    config: Path
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Optional[str] = None
    #: Why it is not to be probed.
    skipped: Optional[str] = None

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for servers that would be started in the same way."""
        return self.command, tuple(sorted(self.env.items())), self.cwd


def _home(environment: Mapping[str, str] = os.environ) -> Optional[Path]:
    """The user's home folder, if there is one: in a container a user may have none."""
    try:
        return Path(environment.get("HOME") or Path.home())
    except RuntimeError:
        return None


def user_files(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """The user's own files, of the clients that are installed."""
    home = _home(environment)
    if home is None:
        return []
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    support = home / "Library" / "Application Support" if sys.platform == "darwin" else config
    codex = Path(environment.get("CODEX_HOME") or home / ".codex")
    places = [
        support / "Claude" / "claude_desktop_config.json",
        home / ".claude.json",
        home / ".cursor" / "mcp.json",
        home / ".codeium" / "windsurf" / "mcp_config.json",
        home / ".gemini" / "settings.json",
        support / "Code" / "User" / "mcp.json",
        support / "Code - Insiders" / "User" / "mcp.json",
        codex / "config.toml",
    ]
    return [place for place in places if place.is_file()]


_CLIENTS = {
    "claude_desktop_config.json": "Claude Desktop",
    ".claude.json": "Claude Code",
    ".mcp.json": "Claude Code",
    ".cursor": "Cursor",
    "windsurf": "Windsurf",
    ".gemini": "Gemini CLI",
    ".vscode": "VS Code",
    "User": "VS Code",
    ".codex": "Codex",
}


def client_of(path: Path) -> str:
    """The client whose file it is, as far as its place tells; else the file's name."""
    return _CLIENTS.get(path.name) or _CLIENTS.get(path.parent.name) or path.name


def read(path: Path, environment: Mapping[str, str] = os.environ) -> list[Server]:
    """The servers that a file names, in its order."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(error.strerror or "it cannot be read") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"not UTF-8, at byte {error.start}") from None
    document = _toml(text) if path.suffix == ".toml" else _json(text)
    if not isinstance(document, dict):
        raise ConfigError("expected an object")
    found: list[Server] = []
    for entries, folder in _tables(document, path):
        if not isinstance(entries, dict):
            raise ConfigError("expected an object of servers by name")
        found += [_server(str(name), entry, path, folder, environment) for name, entry in entries.items()]
    return found


def _toml(text: str) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"no TOML: {error}") from None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    import json5

    try:
        return json5.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"no JSON, even with comments: {str(error).splitlines()[0]}") from None


def _tables(document: dict[str, Any], path: Path) -> list[tuple[Any, Optional[Path]]]:
    """The objects of servers in a file, each with the folder of the project it is for, if it is for one."""
    project = _project_of(path)
    if path.suffix == ".toml":
        tables = [(document[name], project) for name in ("mcp_servers",) if name in document]
    else:
        tables = [(document[name], project) for name in ("mcpServers", "servers") if name in document]
        settings = document.get("mcp")
        if isinstance(settings, dict) and "servers" in settings:
            tables.append((settings["servers"], project))
        projects = document.get("projects")
        for folder, entry in projects.items() if isinstance(projects, dict) else ():
            if isinstance(entry, dict) and entry.get("mcpServers"):
                tables.append((entry["mcpServers"], Path(folder)))
    if not tables and not _may_be_without(path):
        raise ConfigError("it names no servers: expected mcpServers, servers or [mcp_servers]")
    return tables


def _may_be_without(path: Path) -> bool:
    """Files that hold other settings too need not name servers."""
    return path.name in {".claude.json", "settings.json", "config.toml", "claude_desktop_config.json"}


def _project_of(path: Path) -> Optional[Path]:
    """The project that a file is for: the folder in which its client starts the servers."""
    folder = path.resolve().parent
    if path.name == ".mcp.json":
        return folder
    if folder.name in {".vscode", ".cursor", ".gemini", ".codex"} and folder.parent != _home():
        return folder.parent
    return None


def _server(name: str, entry: Any, path: Path, project: Optional[Path], environment: Mapping[str, str]) -> Server:
    def skipped(why: str) -> Server:
        return Server(name, path, skipped=why)

    if not isinstance(entry, dict):
        return skipped("no object")
    if entry.get("disabled") is True or entry.get("enabled") is False:
        return skipped("disabled")
    kind = str(entry.get("type") or entry.get("transport") or "").lower()
    address = any(key in entry for key in ("url", "httpUrl", "serverUrl"))
    if "command" not in entry and (address or kind not in {"", "stdio"}):
        return skipped("HTTP")
    command, args, env = entry.get("command"), entry.get("args") or [], entry.get("env") or {}
    if not isinstance(command, str) or not command:
        return skipped("no command")
    if not isinstance(args, list) or not isinstance(env, dict):
        return skipped("args is no list, or env no object")
    expand = _expander(path, project, environment)
    try:
        words = tuple(expand(_plain(word)) for word in (command, *args))
        variables = {**_variables(entry, expand, project), **{str(k): expand(_plain(v)) for k, v in env.items()}}
        cwd = expand(_plain(entry["cwd"])) if entry.get("cwd") else None
    except _NotExpanded as error:
        return skipped(str(error))
    if cwd is not None and project is not None:
        cwd = str(project / cwd)
    if cwd is None and project is not None and project.is_dir():
        cwd = str(project)
    return Server(name, path, words, variables, cwd)


def _plain(value: Any) -> str:
    """Numbers and booleans stand for their text, as clients take them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise _NotExpanded("a value is no text")


class _NotExpanded(Exception):
    """A value depends on something that only the client has."""


_REFERENCE = re.compile(r"\$\{([^}]*)\}")
_GEMINI_REFERENCE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _expander(path: Path, project: Optional[Path], environment: Mapping[str, str]) -> Callable[[str], str]:
    """Puts in what references stand for, as the client of this file does."""
    if path.suffix == ".toml" or path.name == "claude_desktop_config.json":
        return lambda text: text
    home = _home(environment)
    folders: dict[str, Optional[str]] = {
        "userHome": str(home) if home else None,
        "workspaceFolder": str(project) if project else None,
        "workspaceFolderBasename": project.name if project else None,
        "pathSeparator": os.sep,
        "/": os.sep,
    }

    def value(found: "re.Match[str]") -> str:
        reference = found[1]
        if reference.startswith("env:"):
            return environment.get(reference[4:], "")
        if reference in folders:
            folder = folders[reference]
            if folder is None:
                raise _NotExpanded(f"${{{reference}}} is known to the client only")
            return folder
        name, has_default, default = reference.partition(":-")
        if not _NAME.fullmatch(name):
            raise _NotExpanded(f"${{{reference.partition(':')[0]}:...}} is known to the client only")
        if name in environment and (environment[name] or not has_default):
            return environment[name]
        if has_default:
            return default
        raise _NotExpanded(f"the variable {name} is not set")

    def expand(text: str) -> str:
        text = _REFERENCE.sub(value, text)
        if path.parent.name == ".gemini":
            text = _GEMINI_REFERENCE.sub(lambda found: environment.get(found[1], found[0]), text)
        return text

    return expand


def _variables(entry: Mapping[str, Any], expand: Callable[[str], str], project: Optional[Path]) -> dict[str, str]:
    """The variables of an envFile."""
    named = entry.get("envFile")
    if not isinstance(named, str):
        return {}
    path = Path(expand(named))
    path = project / path if project is not None else path
    try:
        lines: Sequence[str] = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise _NotExpanded("its envFile cannot be read") from None
    variables = {}
    for line in lines:
        name, equals, value = line.strip().partition("=")
        if equals and not name.startswith("#"):
            value = value.strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            variables[name.replace("export ", "", 1).strip()] = value[1:-1] if quoted else value
    return variables
