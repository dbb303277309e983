"""Scanning the configuration files of MCP clients."""

import json
import signal
import subprocess
import sys
import time

import pytest
from conftest import QUICK, QUICK_ANSWER, example, is_alive
from mcp_discover.cli import _configs
from test_cli import ENVIRONMENT, ESCAPES, PROGRAM, assert_safe, on_a_terminal, run
from test_probe import Started

MODERN, LEGACY = example("modern"), example("legacy")


def entry(command, **more):
    return {"command": command[0], "args": command[1:], **more}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return path


def read(path, **environment):
    return {server.name: server for server in _configs.read(path, environment)}


def toml_entry(name, command):
    return f"[mcp_servers.{name}]\ncommand = {json.dumps(command[0])}\nargs = {json.dumps(command[1:])}\n"


# What files say


@pytest.mark.parametrize(
    "name",
    [
        ".config/Claude/claude_desktop_config.json",
        ".mcp.json",
        ".cursor/mcp.json",
        ".codeium/windsurf/mcp_config.json",
        ".gemini/settings.json",
        "any.json",
    ],
)
def test_files_with_mcp_servers_are_read(tmp_path, name):
    found = read(write(tmp_path / name, {"mcpServers": {"a": entry(QUICK, env={"A": "b", "N": 1})}, "theme": "dark"}))
    assert found["a"].command == tuple(QUICK)
    assert found["a"].env == {"A": "b", "N": "1"}
    assert found["a"].skipped is None


def test_files_of_vs_code_have_comments_and_trailing_commas(tmp_path):
    text = f"""
    // Servers of this workspace.
    {{
        /* asked for once */
        "inputs": [{{"type": "promptString", "id": "key", "password": true,}},],
        "servers": {{
            "plain": {json.dumps(entry(QUICK))}, // the first
            "keyed": {{"command": "x", "env": {{"KEY": "${{input:key}}"}}}},
            "here": {{"type": "stdio", "command": "${{workspaceFolder}}/server", "args": ["http://not.a/comment"]}},
            "home": {{"command": "${{userHome}}/server", "env": {{"P": "${{env:THERE}}${{env:MISSING}}"}}}},
        }},
    }}
    """
    found = read(write(tmp_path / ".vscode" / "mcp.json", text), HOME="/home/me", THERE="yes")
    assert found["plain"].command == tuple(QUICK)
    assert found["plain"].cwd == str(tmp_path)
    assert found["keyed"].skipped == "${input:...} is known to the client only"
    assert found["here"].command == (f"{tmp_path}/server", "http://not.a/comment")
    assert (found["home"].command, found["home"].env) == (("/home/me/server",), {"P": "yes"})


def test_settings_of_vs_code_have_the_servers_further_in(tmp_path):
    found = read(write(tmp_path / "settings.json", {"mcp": {"servers": {"a": entry(QUICK)}}}))
    assert found["a"].command == tuple(QUICK)


def test_variables_are_put_in_as_claude_code_does(tmp_path):
    servers = {
        "set": {"command": "${TOOL}", "args": ["--at=${URL:-http://x:1}", "$TOOL", "${EMPTY:-full}"]},
        "missing": {"command": "x", "env": {"KEY": "${MISSING}"}},
        "default": {"command": "x", "env": {"KEY": "${MISSING:-a:-b}", "NONE": "${MISSING:-}"}},
        "empty": {"command": "x", "args": ["${EMPTY}"]},
    }
    found = read(write(tmp_path / ".mcp.json", {"mcpServers": servers}), TOOL="tool", EMPTY="")
    assert found["set"].command == ("tool", "--at=http://x:1", "$TOOL", "full")
    assert found["missing"].skipped == "the variable MISSING is not set"
    assert found["default"].env == {"KEY": "a:-b", "NONE": ""}
    assert found["empty"].command == ("x", "")
    assert found["set"].cwd == str(tmp_path)


def test_the_projects_of_claude_code_are_read(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    text = {
        "mcpServers": {"mine": entry(QUICK)},
        "projects": {str(project): {"mcpServers": {"local": entry(QUICK)}}, "/gone": {"mcpServers": {}}, "odd": 5},
    }
    found = read(write(tmp_path / ".claude.json", text))
    assert (found["mine"].cwd, found["local"].cwd) == (None, str(project))


def test_claude_desktop_puts_nothing_in(tmp_path):
    found = read(write(tmp_path / "claude_desktop_config.json", {"mcpServers": {"a": {"command": "${X}"}}}), X="y")
    assert found["a"].command == ("${X}",)


def test_variables_of_gemini_need_no_braces(tmp_path):
    servers = {"a": {"command": "x", "env": {"A": "$THERE", "B": "${THERE}", "C": "$MISSING"}}}
    found = read(write(tmp_path / ".gemini" / "settings.json", {"mcpServers": servers}), THERE="yes")
    assert found["a"].env == {"A": "yes", "B": "yes", "C": "$MISSING"}


def test_files_of_codex_are_toml(tmp_path):
    text = (
        'model = "x"\n'
        + toml_entry("a", QUICK)
        + 'cwd = "/"\n[mcp_servers.a.env]\nKEY = "${NOT}"\n'
        + '[mcp_servers."over there"]\nurl = "https://example.com"\n'
        + '[mcp_servers.off]\ncommand = "x"\nenabled = false\n'
    )
    found = read(write(tmp_path / "config.toml", text))
    assert found["a"].command == tuple(QUICK)
    assert (found["a"].env, found["a"].cwd) == ({"KEY": "${NOT}"}, "/")
    assert found["over there"].skipped == "HTTP"
    assert found["off"].skipped == "disabled"


def test_an_env_file_is_read(tmp_path):
    write(tmp_path / ".env", '# keys\nA=1\nexport B="two words"\nC=\n\n')
    servers = {
        "a": {"command": "x", "envFile": "${workspaceFolder}/.env", "env": {"A": "own"}},
        "b": {"command": "x", "envFile": "missing"},
    }
    found = read(write(tmp_path / ".vscode" / "mcp.json", {"servers": servers}))
    assert found["a"].env == {"A": "own", "B": "two words", "C": ""}
    assert found["b"].skipped == "its envFile cannot be read"


@pytest.mark.parametrize(
    ("server", "why"),
    [
        ({"url": "https://example.com"}, "HTTP"),
        ({"httpUrl": "https://example.com"}, "HTTP"),
        ({"serverUrl": "https://example.com"}, "HTTP"),
        ({"type": "sse", "url": "https://example.com"}, "HTTP"),
        ({"type": "http"}, "HTTP"),
        ({"command": "x", "disabled": True}, "disabled"),
        ({}, "no command"),
        ({"command": ["x"]}, "no command"),
        ({"command": "x", "args": "y"}, "args is no list, or env no object"),
        ({"command": "x", "args": [{}]}, "a value is no text"),
        ("x", "no object"),
    ],
    ids=str,
)
def test_what_is_not_to_be_probed_has_a_reason(tmp_path, server, why):
    assert read(write(tmp_path / "a.json", {"mcpServers": {"a": server}}))["a"].skipped == why


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.json", "{", "no JSON, even with comments"),
        ("a.json", "[]", "expected an object"),
        ("a.json", "{}", "it names no servers"),
        ("a.json", '{"mcpServers": []}', "expected an object of servers by name"),
        ("a.toml", "[", "no TOML"),
        ("a.json", "[" * 100_000, "no JSON"),
        ("a.toml", "a = " + "[" * 100_000, "no TOML"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path, name, text, why):
    with pytest.raises(_configs.ConfigError, match=why):
        _configs.read(write(tmp_path / name, text))


def test_the_users_own_files_are_found(tmp_path):
    names = [
        ".config/Claude/claude_desktop_config.json",
        ".claude.json",
        ".cursor/mcp.json",
        ".codeium/windsurf/mcp_config.json",
        ".gemini/settings.json",
        ".config/Code/User/mcp.json",
        ".codex/config.toml",
    ]
    assert _configs.user_files({"HOME": str(tmp_path)}) == []
    for name in names:
        write(tmp_path / name, "")
    write(tmp_path / ".mcp.json", "")
    assert _configs.user_files({"HOME": str(tmp_path)}) == [tmp_path / name for name in names]
    write(tmp_path / "elsewhere" / "config.toml", "")
    moved = _configs.user_files({"HOME": str(tmp_path), "CODEX_HOME": str(tmp_path / "elsewhere")})
    assert moved[-1] == tmp_path / "elsewhere" / "config.toml"


# What a scan does


@pytest.fixture
def home(tmp_path):
    """A user with files of several clients."""
    write(
        tmp_path / ".cursor" / "mcp.json",
        {
            "mcpServers": {
                "clock": entry(MODERN, env={"API_KEY": "hunter2"}),
                "old": entry(LEGACY),
                "far": {"url": "https://example.com/mcp?key=hunter2"},
            }
        },
    )
    write(tmp_path / ".codex" / "config.toml", toml_entry("same", LEGACY))
    return tmp_path


def variables(home):
    return {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "COLUMNS": "200", "CODEX_HOME": ""}


def test_a_scan_without_files_reads_the_users_own(home):
    done = run("scan", "--yes", environment=variables(home))
    assert done.returncode == 0, done.err
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["name", "era", "version", "server", "capabilities", "notes", "from"]
    told = {line[0]: line for line in lines if len(line) > 3}
    assert (told["clock"][1:3], told["clock"][-1]) == (["modern", "2026-07-28"], "Cursor")
    assert (told["old"][1:3], told["old"][-1]) == (["legacy", "2025-11-25"], "Cursor")
    assert (told["same"][1:3], told["same"][-1]) == (["legacy", "2025-11-25"], "Codex")
    assert told["far"] == ["far", "-", "not", "probed:", "HTTP", "Cursor"]
    assert done.out.splitlines()[-1] == "4 servers: 1 modern, 2 legacy, 1 not probed"
    assert "hunter2" not in done.out + done.err
    assert "\x1b" not in done.out + done.err


def test_a_narrow_terminal_folds_the_table(home):
    status, text = on_a_terminal("scan", "--yes", **{**variables(home), "COLUMNS": "70"})
    assert status == 0
    assert "2026-07-28" in text


def test_a_scan_lists_the_programs_and_asks(home, tmp_path):
    started = tmp_path / "started"
    config = write(
        tmp_path / "a.json", {"mcpServers": {"a": entry(["/bin/touch", str(started)], env={"KEY": "hunter2"})}}
    )
    for answer in (b"", b"\n", b"n\n", b"yes?\n"):
        done = run("scan", str(config), stdin=answer, environment=variables(home))
        assert done.returncode == 1
        assert "a: /bin/touch, 1 argument, sets KEY" in done.err
        assert "Start 1 program? [y/N]" in done.err
        assert "nothing was started" in done.err
        assert "hunter2" not in done.err
        assert str(started) not in done.err
        assert not started.exists()
    done = run("scan", str(config), stdin=b"y\n", environment=variables(home))
    assert started.exists()
    assert done.returncode == 3


def test_a_scan_gives_json(home):
    config = home / ".cursor" / "mcp.json"
    done = run("scan", "--yes", "--json", str(config))
    told = json.loads(done.out)["servers"]
    assert [server["name"] for server in told] == ["clock", "old", "far"]
    assert [server.get("verdict", {}).get("era") for server in told] == ["modern", "legacy", None]
    assert told[2]["notProbed"] == "HTTP"
    assert {server["config"] for server in told} == {str(config)}
    assert "hunter2" not in done.out


def test_a_scan_tells_failures_and_unknown_servers(tmp_path):
    servers = {
        "gone": {"command": "no-such-server"},
        "mute": {"command": "false"},
        "dies": {"command": "sh", "args": ["-c", "echo; echo 'cannot read my config' >&2; exit 7"]},
        "good": entry(QUICK),
    }
    config = write(tmp_path / "a.json", {"mcpServers": servers})
    done = run("scan", "--yes", str(config), environment={"COLUMNS": "200"})
    assert done.returncode == 1
    assert done.out.splitlines()[-1] == "4 servers: 1 failed, 2 unknown, 1 modern"
    rows = {line.split()[0]: line.strip() for line in done.out.splitlines() if line.strip()}
    assert rows["gone"].split(maxsplit=2)[1:] == ["failed", "command not found: no-such-server"]
    assert rows["dies"].split(maxsplit=2)[1:] == ["unknown", "exit code 7: cannot read my config"]
    assert "ended without an answer" in rows["mute"]
    told = json.loads(run("scan", "--yes", "--json", str(config)).out)["servers"]
    assert told[0]["failure"]["status"] == "command_not_found"
    del servers["gone"]
    write(config, {"mcpServers": servers})
    assert run("scan", "--yes", str(config)).returncode == 3


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"command": "a\0hunter2"}, "command has a NUL at byte 1"),
        ({"command": "x", "args": ["hunter2\ud800"]}, "command[1] holds characters"),
        ({"command": "x", "env": {"": "hunter2"}}, "env has a variable whose name is empty"),
        ({"command": "x", "env": {"A=B": "hunter2"}}, "env has a variable whose name is empty or holds '='"),
        ({"command": "x", "cwd": "a\0hunter2"}, "cwd has a NUL"),
    ],
    ids=str,
)
def test_a_server_that_no_program_could_start_does_not_hide_the_others(tmp_path, bad, why):
    config = write(tmp_path / "a.json", {"mcpServers": {"bad": bad, "good": entry(QUICK)}})
    done = run("scan", "--yes", str(config), environment={"COLUMNS": "200"})
    assert done.returncode == 1
    assert why in done.out
    assert done.out.splitlines()[-1] == "2 servers: 1 failed, 1 modern"
    assert "hunter2" not in done.out + done.err
    told = json.loads(run("scan", "--yes", "--json", str(config)).out)["servers"]
    assert told[0]["failure"]["status"] == "invalid_argument"


def test_a_user_without_a_home_folder_can_scan(tmp_path, monkeypatch):
    def none(*_):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(_configs.Path, "home", none)
    monkeypatch.delenv("HOME", raising=False)
    assert _configs.user_files({}) == []
    servers = {"a": entry(QUICK), "b": {"command": "${userHome}/b"}}
    found = read(write(tmp_path / ".cursor" / "mcp.json", {"mcpServers": servers}))
    assert (found["a"].skipped, found["a"].cwd) == (None, str(tmp_path))
    assert found["b"].skipped == "${userHome} is known to the client only"


def test_a_file_that_cannot_be_read_does_not_hide_the_others(tmp_path):
    good = write(tmp_path / "good.json", {"mcpServers": {"good": entry(QUICK)}})
    done = run("scan", "--yes", "/no/such/file.json", str(good))
    assert done.returncode == 1
    assert "/no/such/file.json: No such file or directory" in done.err
    assert "1 server: 1 modern" in done.out


def test_without_any_file_a_scan_says_what_to_do(tmp_path):
    done = run("scan", environment=variables(tmp_path))
    assert done.returncode == 1
    assert "mcp-discover scan CONFIG" in done.err


def test_servers_are_probed_side_by_side_and_each_once(tmp_path):
    """Each answers only when all are there; a server that two files name is started once."""
    script = (
        ': > "$1/$$"; while [ "$(ls "$1" | wc -l)" -lt 4 ]; do sleep 0.05; done; '
        "read -r request; printf '%s\\n' \"$0\"; read -r more || exit 0"
    )
    folder = tmp_path / "up"
    folder.mkdir()
    servers = {f"s{i}": entry(["/bin/sh", "-c", script, QUICK[3], str(folder)], env={"N": str(i)}) for i in range(4)}
    first = write(tmp_path / "a.json", {"mcpServers": servers})
    second = write(tmp_path / "b.json", {"mcpServers": servers})
    done = run("scan", "--yes", "--jobs", "4", str(first), str(second))
    assert done.out.splitlines()[-1] == "8 servers: 8 modern"
    assert len(list(folder.iterdir())) == 4


def test_no_escape_of_a_file_or_server_reaches_the_terminal(tmp_path, scripted):
    result = {
        **QUICK_ANSWER["result"],
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": ESCAPES, "version": ESCAPES}},
    }
    command = scripted({"on": {"server/discover": [{"result": result}]}})
    servers = {
        ESCAPES: entry(command),
        f"[bold]{ESCAPES}": {"command": ESCAPES, "env": {ESCAPES: ""}},
        "x": {"command": "x", "env": {"a": f"${{{ESCAPES}}}"}},
    }
    config = write(tmp_path / "a.json", {"mcpServers": servers})
    done = run("scan", str(config), stdin=b"y\n")
    assert_safe(done.out)
    assert_safe(done.err)
    assert "[bold]" in done.out


def test_a_terminal_sees_progress(home):
    status, text = on_a_terminal("scan", "--yes", **variables(home))
    assert status == 0
    assert "0/2" in text
    assert "clock" in text
    assert "\x1b[32mmodern" in text


def test_ctrl_c_ends_a_scan_and_its_servers(tmp_path):
    servers = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        servers.append(Started(tmp_path / name))
    config = write(tmp_path / "a.json", {"mcpServers": {str(i): entry(s.command) for i, s in enumerate(servers)}})
    child = subprocess.Popen(
        [*PROGRAM, "scan", "--yes", str(config)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    )
    with child:
        pids = [server.pid() for server in servers]
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
    assert (child.returncode, out) == (130, b"")
    assert b"interrupted" in err
    assert b"Traceback" not in err
    assert time.monotonic() - sent < 5
    assert not [pid for pid in pids if is_alive(pid)]


def test_without_the_extra_a_scan_says_what_to_install(home):
    """An interpreter that sees nothing but the package."""
    hide = "import sys; sys.modules['rich.console'] = None; sys.modules['rich'] = None; "
    program = [sys.executable, "-c", f"{hide}from mcp_discover.cli import main; sys.exit(main())"]
    done = run("scan", environment=variables(home), program=program)
    assert done.returncode == 1
    assert "pip install 'mcp-discover[cli]'" in done.err
    assert run("request", program=program).returncode == 0
