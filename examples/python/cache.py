"""Tells how to speak to a server, and asks it only if that is not known yet: cache.py FOLDER COMMAND [ARGUMENT]...

The key is the command and the working directory; see docs/caching.md for what else belongs into one.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

import mcp_discover
from mcp_discover import Verdict


def place_of(folder, command):
    key = json.dumps([command, str(Path.cwd())])
    return folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


def load(place):
    """What is stored, if it is there and can be used."""
    try:
        verdict = Verdict.from_json(place.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        print(f"cache: {place.name}: {error}", file=sys.stderr)
        return None
    return verdict if verdict.storable else None


def store(place, verdict):
    """Renaming puts the whole file in place at once, so that nobody reads half of it."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = place.with_suffix(f".{os.getpid()}")
    new.write_text(verdict.to_json(), encoding="utf-8")
    new.replace(place)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: cache.py FOLDER COMMAND [ARGUMENT]...")
    command = sys.argv[2:]
    place = place_of(Path(sys.argv[1]), command)
    verdict = load(place)
    print("known:", "no" if verdict is None else "yes")
    if verdict is None:
        try:
            verdict = mcp_discover.probe(command)
        except mcp_discover.StartFailed as error:
            sys.exit(f"cache: {error}")
        if verdict.storable:
            store(place, verdict)
    print("next: ", verdict.next, verdict.version or "")
    print("fresh:", "yes" if verdict.is_fresh() else "no; ask it for its capabilities when they are needed")


if __name__ == "__main__":
    main()
