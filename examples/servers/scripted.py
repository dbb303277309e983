#!/usr/bin/env python3
"""A scripted MCP stdio server: it plays any kind of peer, as a JSON script tells it.

    python3 scripted.py SCRIPT.json

README.md in this folder describes the script. Messages are judged by their method, never by their order.
"""

import json
import os
import signal
import sys
import time

BLOCK = 65536
STREAMS = {"stdin": 0, "stdout": 1, "stderr": 2}
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

# Each step: the type of its value (object is any JSON value), and what may stand beside it.
STEPS = {
    "result": (object, {"each", "encoding"}),
    "error": (object, {"each", "encoding"}),
    "message": (object, {"each", "encoding"}),
    "line": (str, {"times", "each", "encoding"}),
    "write": (str, {"times", "each", "encoding"}),
    "stderr": (str, {"times"}),
    "sleep": (int, set()),
    "hold": (bool, set()),
    "close": (str, set()),
    "exit": (int, set()),
    "kill": (int, set()),
    "ignore": (str, set()),
    "spawn": (dict, set()),
    "when": (dict, {"then", "else"}),
}
CONDITIONS = {"saw", "start", "version"}


def fail(message):
    os.write(2, f"scripted.py: {message}\n".encode())
    os._exit(2)


def load(path):
    """The script in this file: the whole, or the "server" member of a behaviour."""
    try:
        with open(path, encoding="utf-8") as file:
            script = json.load(file)
    except (OSError, ValueError) as error:
        fail(f"{path}: {error}")
    if not isinstance(script, dict):
        fail(f"{path}: a script is an object")
    script = script.get("server", script)
    unknown = set(script) - {"start", "on", "stdin_closed"}
    if unknown:
        fail(f"{path}: a script has no {sorted(unknown)}")
    check(script.get("start", []), f"{path}: start")
    check(script.get("stdin_closed", []), f"{path}: stdin_closed")
    for method, steps in script.get("on", {}).items():
        check(steps, f"{path}: on {method}")
    return script


def check(steps, where):
    for number, step in enumerate(steps, 1):
        here = f"{where}, step {number}"
        names = [key for key in step if key in STEPS]
        if len(names) != 1:
            fail(f"{here}: unknown step {json.dumps(step)}")
        kind, beside = STEPS[names[0]]
        value = step[names[0]]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            fail(f"{here}: {names[0]} takes a {kind.__name__}, not {json.dumps(value)}")
        unknown = set(step) - beside - {names[0]}
        if unknown:
            fail(f"{here}: {names[0]} takes no {sorted(unknown)}")
        if "close" in step and value not in STREAMS:
            fail(f"{here}: no stream {value}")
        for name in [value] if "ignore" in step else value.get("ignores", []) if "spawn" in step else []:
            if not hasattr(signal, name):
                fail(f"{here}: no signal {name}")
        if "when" in step:
            if len(value) != 1 or not set(value) <= CONDITIONS:
                fail(f"{here}: unknown condition {json.dumps(value)}")
            check(step.get("then", []), f"{here}, then")
            check(step.get("else", []), f"{here}, else")


class Log:
    """Notes what happened in the file that BEHAVIOUR_LOG names, if it does: one JSON object a line."""

    def __init__(self, path):
        self.path = path
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) if path else None

    def add(self, pid=None, **record):
        if self.file is not None:
            os.write(self.file, (json.dumps({"pid": pid or os.getpid(), **record}) + "\n").encode())

    def starts(self):
        if self.file is None:
            return 1
        with open(self.path, encoding="utf-8") as file:
            return sum("start" in json.loads(line) for line in file)


class Message:
    """A message received, and its values that a script may use."""

    def __init__(self, message):
        if not isinstance(message, dict):
            message = {}
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        self.method = message.get("method")
        self.id = message.get("id")
        self.version = meta.get(VERSION_KEY, params.get("protocolVersion"))
        self.values = {"id": self.id, "version": self.version, "request": message}

    def fill(self, value):
        """Puts our values for the strings "$id", "$version" and "$request" anywhere in a JSON value."""
        if isinstance(value, dict):
            return {key: self.fill(member) for key, member in value.items()}
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, str) and value.startswith("$"):
            return self.values.get(value[1:], value)
        return value

    def fill_text(self, text):
        """Puts our values, as JSON, for ${id}, ${version} and ${request} in a text."""
        for name, value in self.values.items():
            text = text.replace("${" + name + "}", compact(value))
        return text


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write(stream, data, times=1, each=None):
    """Writes data so many times, in large blocks or in pieces of `each` bytes."""
    if each is None:
        block = data * max(1, min(times, BLOCK // max(1, len(data))))
        blocks, rest = divmod(len(data) * times, max(1, len(block)))
        pieces = [block] * blocks + [block[:rest]]
    else:
        pieces = [data[at : at + each] for at in range(0, len(data), each)] * times
    for piece in pieces:
        piece = memoryview(piece)
        while piece:
            piece = piece[os.write(STREAMS[stream], piece) :]


class Server:
    def __init__(self, script, log):
        self.script = script
        self.log = log
        self.seen = set()
        self.held = []

    def serve(self):
        self.log.add(start=True)
        self.run(self.script.get("start", []), Message(None))
        rest = b""
        while True:
            try:
                data = os.read(0, BLOCK)
            except OSError:  # a "close" step
                data = b""
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self.receive(line)
        for steps, message in self.held:
            self.run(steps, message)
        self.run(self.script.get("stdin_closed", []), Message(None))

    def receive(self, line):
        try:
            message = Message(json.loads(line))
        except ValueError:
            message = Message(None)
        self.log.add(method=message.method, id=message.id, version=message.version)
        if isinstance(message.method, str):
            on = self.script.get("on", {})
            self.run(on.get(message.method, on.get("*", [])), message)
            self.seen.add(message.method)

    def run(self, steps, message):
        steps = list(steps)
        while steps:
            step = steps.pop(0)
            if "when" in step:
                steps[:0] = step.get("then" if self.holds(step["when"], message) else "else", [])
            elif "hold" in step:
                self.held.append((steps, message))
                return
            else:
                self.perform(step, message)

    def holds(self, condition, message):
        ((name, value),) = condition.items()
        if name == "saw":
            return value in self.seen
        if name == "start":
            return value == self.log.starts()
        return value == message.version

    def perform(self, step, message):
        if "stderr" in step:
            write("stderr", step["stderr"].encode(), step.get("times", 1))
        elif "sleep" in step:
            time.sleep(step["sleep"] / 1000)
        elif "close" in step:
            os.close(STREAMS[step["close"]])
        elif "exit" in step:
            os._exit(step["exit"])
        elif "kill" in step:
            os.kill(os.getpid(), step["kill"])
        elif "ignore" in step:
            signal.signal(getattr(signal, step["ignore"]), signal.SIG_IGN)
        elif "spawn" in step:
            self.spawn(**step["spawn"])
        else:
            text = self.text(step, message)
            write("stdout", text.encode(step.get("encoding", "utf-8")), step.get("times", 1), step.get("each"))

    def text(self, step, message):
        if "write" in step:
            return message.fill_text(step["write"])
        if "line" in step:
            return message.fill_text(step["line"]) + "\n"
        if "message" in step:
            return compact(message.fill(step["message"])) + "\n"
        name = "result" if "result" in step else "error"
        return compact(message.fill({"jsonrpc": "2.0", "id": "$id", name: step[name]})) + "\n"

    def spawn(self, seconds, keeps=(), ignores=()):
        """Starts a child that only sleeps, in our process group."""
        child = os.fork()
        if child:
            self.log.add(pid=child, spawned=True)
            return
        for stream, number in STREAMS.items():
            if stream not in keeps:
                os.dup2(os.open(os.devnull, os.O_RDWR), number)
        for name in ignores:
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        time.sleep(seconds)
        os._exit(0)


def main():
    if len(sys.argv) != 2:
        fail("usage: scripted.py SCRIPT.json")
    server = Server(load(sys.argv[1]), Log(os.environ.get("BEHAVIOUR_LOG")))
    try:
        server.serve()
    except BrokenPipeError:  # nobody reads us any more
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
