"""What owns memory of the library: it is freed once, and only if it was ever there."""

import copy
import gc
import os
import pickle

import mcp_discover
import pytest
from conftest import QUICK, descriptors, is_alive
from mcp_discover import Connection, HttpExchange, Negotiation, Scan, open_connection


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda how: how.__name__)
def test_it_cannot_be_copied(how):
    with open_connection(QUICK) as connection, mcp_discover.scan([QUICK]) as scan:
        for owner in (connection, scan, Negotiation(), HttpExchange()):
            with pytest.raises(TypeError, match=f"a {type(owner).__name__} cannot be copied or pickled"):
                how(owner)


@pytest.mark.parametrize("owner", [Connection, HttpExchange, Negotiation, Scan])
def test_one_that_was_never_made_frees_nothing(owner):
    """pytest makes an error of what a destructor raises."""
    with pytest.raises(TypeError, match="__init__"):
        owner(nonsense=1)
    gc.collect()


@pytest.mark.parametrize("spared", [0, 1, 2])
def test_a_connection_for_which_there_are_too_few_descriptors_leaves_no_server(monkeypatch, tmp_path, spared):
    copies = iter(range(spared))
    duplicate = os.dup

    def scarce(fd):
        if next(copies, None) is None:
            raise OSError(24, "Too many open files")
        return duplicate(fd)

    before = descriptors()
    file = tmp_path / "pid"
    command = [*QUICK[:2], f"echo $$ > {file}; {QUICK[2]}", QUICK[3]]
    monkeypatch.setattr(os, "dup", scarce)
    with pytest.raises(OSError, match="Too many open files"):
        open_connection(command, stderr="capture")
    gc.collect()
    assert not is_alive(int(file.read_text()))
    assert descriptors() == before


def test_a_close_that_is_interrupted_at_once_leaves_no_server(monkeypatch):
    """As by Ctrl-C, while what is left in the buffer waits for a server that does not read."""
    before = descriptors()
    server = open_connection(QUICK)

    def interrupted():
        raise KeyboardInterrupt

    flushed = server.stdin
    server.stdin = type("Stdin", (), {"close": staticmethod(interrupted)})()
    with pytest.raises(KeyboardInterrupt):
        server.close()
    assert not is_alive(server.pid)
    flushed.close()
    assert descriptors() == before
