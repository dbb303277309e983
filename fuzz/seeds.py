"""Writes what the servers of tests/behaviours say as seeds for the fuzzer: seeds.py BEHAVIOURS CORPUS

`reply/` gets each message by itself, `conversation/` and `http/` what a server says in one sitting, with the marks of
those targets, and `verdict/` the verdicts that are expected.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

IDS = {"server/discover": "discover-1", "initialize": "initialize-1"}
DEFAULT_OPTIONS = b"0"
CLOSED, EXITED = b"\x02", b"\x03"
HTTP_200_JSON, HTTP_200_EVENTS, HTTP_400_JSON = b"\x0f\x02", b"\x0f\x01", b"\x04\x02"
LONGEST = 4096


def main() -> None:
    behaviours, corpus = map(Path, sys.argv[1:])
    for path in sorted(behaviours.glob("*.json")):
        behaviour = json.loads(path.read_text())
        keep(corpus / "verdict", verdict(behaviour.get("expect", {})))
        script = behaviour.get("server", {})
        sittings = [("server/discover", script.get("start", []))]
        sittings += script.get("on", {}).items()
        talk = b""
        for method, steps in sittings:
            for text in said(steps, method):
                keep(corpus / "reply", text)
                for head in (HTTP_200_JSON, HTTP_400_JSON, HTTP_200_EVENTS + b"data: "):
                    keep(corpus / "http", head + text + b"\n")
                talk += text
        keep(corpus / "conversation", DEFAULT_OPTIONS + talk + EXITED)
        keep(corpus / "conversation", DEFAULT_OPTIONS + talk + CLOSED + talk)


def said(steps: list[dict[str, Any]], method: str) -> Iterator[bytes]:
    """What these steps write, a piece each."""
    request_id = IDS.get(method, "discover-1")
    for step in steps:
        for answer in ("result", "error"):
            if answer in step:
                yield line({"jsonrpc": "2.0", "id": request_id, answer: step[answer]}, request_id)
        if "message" in step:
            yield line(step["message"], request_id)
        for text, end in (("line", "\n"), ("write", "")):
            if text in step:
                filled = step[text].replace("${id}", json.dumps(request_id)) + end
                yield filled.encode(step.get("encoding", "utf-8"), "replace")
        for branch in ("then", "else"):
            yield from said(step.get(branch, []), method)


def verdict(expected: dict[str, Any]) -> bytes:
    return json.dumps({"schema": 1, "era": "unknown", "next": "give_up", **expected}).encode()


def line(message: Any, request_id: str) -> bytes:
    text = json.dumps(message)
    text = text.replace('"$id"', json.dumps(request_id)).replace('"$version"', '"2026-07-28"')
    return text.encode() + b"\n"


def keep(folder: Path, seed: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if len(seed) <= LONGEST:
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


if __name__ == "__main__":
    main()
