"""Verdicts as JSON, and back."""

import dataclasses
import json
import pickle
from datetime import datetime, timedelta, timezone

import mcp_discover
import pytest
from conftest import QUICK, example
from mcp_discover import CacheScope, Direction, Era, InvalidArgument, Next, Outcome, RemarkCode, Shutdown, Verdict


@pytest.fixture(scope="module")
def verdict():
    return mcp_discover.probe(example("noisy"), max_transcript_bytes=10_000)


def test_a_verdict_tells_what_there_is(verdict):
    assert (verdict.era, verdict.next, verdict.version) == (Era.MODERN, Next.USE_MODERN, "2026-07-28")
    assert verdict.confirmed is True
    assert verdict.storable is True
    assert verdict.server.name == "noisy-example"
    assert verdict.capabilities.tools
    assert verdict.discover.server == verdict.server
    assert (verdict.ttl_ms, verdict.cache_scope) == (600_000, CacheScope.PUBLIC)
    assert (verdict.discover_outcome, verdict.initialize_outcome) == (Outcome.RESULT, Outcome.NOT_ASKED)
    assert RemarkCode.NOISE in {remark.code for remark in verdict.remarks}
    [process] = verdict.processes
    assert (process.exit_code, process.shutdown) == (0, Shutdown.STDIN_CLOSED)
    assert process.skipped_sample
    assert verdict.starts == 1
    assert 0 < verdict.reply_time <= verdict.elapsed
    assert abs((datetime.now(timezone.utc) - verdict.received_at).total_seconds()) < 600


def test_a_transcript_tells_what_was_said(verdict):
    asked, *answers = verdict.transcript
    assert asked.direction is Direction.TO_SERVER
    assert json.loads(asked.text)["method"] == "server/discover"
    assert {entry.direction for entry in answers} == {Direction.FROM_SERVER}
    assert not verdict.transcript_truncated
    assert [entry.at for entry in verdict.transcript] == sorted(entry.at for entry in verdict.transcript)
    assert mcp_discover.probe(QUICK, max_transcript_bytes=10).transcript_truncated


def test_json_and_back_gives_the_same(verdict):
    text = verdict.to_json()
    assert "\n" not in text
    again = Verdict.from_json(text)
    assert again == verdict
    assert again.to_json() == text
    assert Verdict.from_json(text.encode()) == verdict
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    assert verdict.raw == json.loads(text)


def test_what_is_read_later_is_there_whenever_it_is_asked_for():
    for name in [field.name for field in dataclasses.fields(Verdict)]:
        probed = mcp_discover.probe(QUICK)
        again = pickle.loads(pickle.dumps(probed))
        whole = Verdict.from_json(probed.to_json())
        assert getattr(probed, name) == getattr(again, name) == getattr(whole, name), name
        assert probed == again == whole
    assert probed.discover is probed.discover
    with pytest.raises(AttributeError, match="'Verdict' object has no attribute 'transcripts'"):
        probed.transcripts  # noqa: B018
    with pytest.raises(dataclasses.FrozenInstanceError):
        mcp_discover.probe(QUICK).remarks = ()


def test_a_verdict_that_a_program_makes_has_defaults():
    made = Verdict(era=Era.MODERN, next=Next.USE_MODERN)
    assert (made.server, made.remarks, made.elapsed, made.discover_outcome) == (None, (), 0.0, Outcome.NOT_ASKED)
    assert dataclasses.replace(made, version="2026-07-28").version == "2026-07-28"


def test_a_number_beyond_a_float_keeps_nothing_from_being_read(verdict):
    discover = {**verdict.raw["discover"], "capabilities": {"experimental": {"limits": ["@"]}}}
    text = json.dumps({**verdict.raw, "discover": discover}).replace('"@"', "1e999, -1e999, " + "9" * 5000)
    large, small, huge = Verdict.from_json(text).capabilities.experimental["limits"]
    assert large == huge == -small > 10**300


def test_an_indented_text_becomes_one_line(verdict):
    indented = json.dumps(verdict.raw, indent=2)
    again = Verdict.from_json(indented)
    assert again == verdict
    assert "\n" not in again.to_json()


def test_codes_and_members_of_later_versions_are_kept(verdict):
    document = {
        **verdict.raw,
        "schema": 2,
        "era": "postmodern",
        "next": "knock",
        "discoverOutcome": "shrug",
        "later": {"a": 1},
        "remarks": [{"code": "too_polite", "text": "The server said please.", "later": 1}],
        "processes": [{"shutdown": "dissolved", "exit": {"code": 3}}, {"exit": {"later": 1}}],
        "receivedAt": 2**62,
    }
    later = Verdict.from_json(json.dumps(document))
    assert (later.era, later.next, later.discover_outcome) == ("postmodern", "knock", "shrug")
    assert not later.era.is_known
    assert not Era("MODERN").is_known
    assert Era("modern").is_known
    assert later.confirmed
    assert not later.storable
    assert later.remarks[0].code == "too_polite"
    assert [str(process.shutdown) for process in later.processes] == ["dissolved", "None"]
    assert [process.exit_code for process in later.processes] == [3, None]
    assert later.received_at is None  # further away than a datetime goes
    assert not later.is_fresh()
    assert json.loads(later.to_json())["later"] == {"a": 1}
    assert later.server == verdict.server


def test_what_the_server_said_is_fresh_from_its_arrival_until_its_time_has_passed(verdict):
    lifetime = timedelta(milliseconds=verdict.ttl_ms)
    assert verdict.is_fresh()
    assert verdict.is_fresh(verdict.received_at)
    assert verdict.is_fresh(verdict.received_at + lifetime - timedelta(milliseconds=1))
    assert not verdict.is_fresh(verdict.received_at + lifetime)
    assert not verdict.is_fresh(verdict.received_at - timedelta(milliseconds=1))
    assert not mcp_discover.probe(example("legacy"), grace=5).is_fresh()


def test_a_bare_verdict_is_enough():
    bare = Verdict.from_json('{"schema": 1, "era": "legacy", "next": "initialize"}')
    assert (bare.era, bare.version, bare.server, bare.processes) == (Era.LEGACY, None, None, ())


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", 0),
        ("{", 1),
        ("[]", 0),
        ("null", 0),
        ("{}", 0),
        ('{"schema": "1"}', 11),
        ('{"schema": 1}', 0),
        ('{"schema":1,"era":1,"next":"x"}', 18),
        ('{"schema":1,"era":"x","next":"x","remarks":[null]}', 44),
        ("\ud800", 0),
        ("[" * 100_000, 128),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_what_is_no_verdict_is_refused(text, offset):
    with pytest.raises(InvalidArgument, match="json: ") as raised:
        Verdict.from_json(text)
    assert (raised.value.argument, raised.value.offset) == ("json", offset)


def test_a_repr_says_what_matters(verdict):
    text = repr(verdict)
    assert text.startswith("<Verdict modern use_modern version='2026-07-28' server=Implementation(name='noisy-example'")
    assert "remarks=[noise" in text
