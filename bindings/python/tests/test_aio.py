"""Probing from asyncio."""

import asyncio
import threading
import time

import pytest
from conftest import QUICK, is_alive
from mcp_discover import Cancel, Cancelled, CommandNotFound, Era, InvalidArgument, aio
from test_probe import Started


def test_a_probe_is_a_coroutine():
    assert asyncio.run(aio.probe(QUICK)).server.name == "quick"


def test_failures_come_out():
    with pytest.raises(CommandNotFound):
        asyncio.run(aio.probe("/no/such/server"))
    with pytest.raises(InvalidArgument):
        asyncio.run(aio.probe("true", timeout=0))


def test_the_loop_goes_on_meanwhile(tmp_path):
    """The server answers only when a task of the same loop has seen it and said so."""
    up, go = tmp_path / "up", tmp_path / "go"
    script = f": > {up}; while [ ! -e {go} ]; do sleep 0.02; done; read -r request; printf '%s\\n' \"$0\"; cat"

    async def answer():
        while not up.exists():
            await asyncio.sleep(0.005)
        go.touch()

    async def both():
        verdict, _ = await asyncio.gather(aio.probe(["/bin/sh", "-c", script, QUICK[3]]), answer())
        return verdict

    assert asyncio.run(both()).era is Era.MODERN


def test_many_run_at_once():
    async def many():
        return await asyncio.gather(*(aio.probe(QUICK) for _ in range(20)))

    assert {verdict.era for verdict in asyncio.run(many())} == {Era.MODERN}


async def started(server):
    task = asyncio.ensure_future(aio.probe(server.command))
    while not server.file.exists():
        await asyncio.sleep(0.005)
    return task


def test_a_cancelled_task_has_ended_its_server(tmp_path):
    server, threads = Started(tmp_path), threading.active_count()

    async def run():
        task = await started(server)
        asked = time.monotonic()
        task.cancel()
        task.get_loop().call_soon(task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - asked, is_alive(server.pid())

    seconds, alive = asyncio.run(run())
    assert not alive
    assert seconds < 0.5
    assert threading.active_count() == threads


def test_a_timeout_of_asyncio_works(tmp_path):
    server = Started(tmp_path)

    async def run():
        task = await started(server)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(task, 0.05)

    asyncio.run(run())
    assert not is_alive(server.pid())


def test_a_cancel_stops_it_too(tmp_path):
    server, cancel = Started(tmp_path), Cancel()

    async def run():
        task = asyncio.ensure_future(aio.probe(server.command, cancel=cancel))
        while not server.file.exists():
            await asyncio.sleep(0.005)
        cancel.fire()
        await task

    with pytest.raises(Cancelled):
        asyncio.run(run())


def test_its_options_are_those_of_the_blocking_call():
    import inspect

    import mcp_discover

    assert inspect.signature(aio.probe) == inspect.signature(mcp_discover.probe)
