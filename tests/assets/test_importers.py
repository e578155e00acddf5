"""Importers: what was said comes in once, and a broken field is named."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.importers import guess, locomo
from assets.importers.types import ImportProblem

DATA = Path(os.environ.get("HUB_TEST_DATA", "../shared/data"))
DIALOGUE = {
    "sample_id": "conv-1",
    "qa": [{"question": "Never indexed?", "answer": "never"}],
    "conversation": {
        "speaker_a": "Ann",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Hi!"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Look", "blip_caption": "a red boat"},
        ],
        "session_2_date_time": "12:05 am on 1 January, 2024",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": " "}],
        "session_10": [{"speaker": "Ben", "text": "Late."}],
    },
}


def payload(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_messages_keep_their_order_ids_and_times() -> None:
    found = guess.read(
        payload(
            {
                "title": "Deploy",
                "messages": [
                    {
                        "role": "user",
                        "content": "Why?",
                        "at": "2026-01-02T03:04:05+08:00",
                        "id": "m1",
                    },
                    {
                        "speaker": "scout-1",
                        "text": [{"type": "text", "text": "Disk"}, {"type": "image"}],
                    },
                    {"role": "assistant", "content": None},
                ],
            }
        )
    )
    (conversation,) = found.conversations
    first, second = conversation.turns
    assert (first.source, first.speaker, first.text) == ("m1", "user", "Why?")
    assert first.occurred_at == conversation.started_at
    assert first.occurred_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=8)))
    assert (second.source, second.text, second.occurred_at) == ("2", "Disk", None)
    assert (found.read, found.turns, found.empty, found.skipped) == (3, 2, 1, 0)


def test_the_same_messages_are_the_same_conversation() -> None:
    bare = payload([{"role": "user", "content": "hi"}])
    assert guess.read(bare).conversations == guess.read(bare).conversations
    assert (
        guess.read(bare).conversations[0].source
        != guess.read(payload([{"role": "user", "content": "ho"}])).conversations[0].source
    )


def test_a_bad_message_is_named_and_the_rest_comes_in() -> None:
    found = guess.read(
        payload(
            [
                {"role": "user", "content": "good"},
                {"role": "user", "content": 7},
                {"content": "nobody"},
                {"role": "user", "content": "when", "at": "yesterday"},
                {"role": "user", "content": "twice", "id": "1"},
                "text",
            ]
        )
    )
    assert [problem.path for problem in found.problems] == [
        "messages[1].content",
        "messages[2]",
        "messages[3].at",
        "messages[4].id",
        "messages[5]",
    ]
    assert (found.read, found.turns, found.skipped) == (6, 1, 5)


def test_sessions_of_a_dialogue() -> None:
    found = guess.read(payload(DIALOGUE))
    first, tenth = found.conversations
    assert found.format == "locomo"
    assert first.source == "conv-1/session_1"
    assert first.started_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert first.turns[1].text == "Look [image: a red boat]"
    assert [turn.source for turn in first.turns] == ["D1:1", "D1:2"]
    assert (tenth.source, tenth.started_at, tenth.turns[0].source) == (
        "conv-1/session_10",
        None,
        "D10:1",
    )
    assert (found.read, found.turns, found.empty) == (4, 3, 1)
    assert "Never indexed" not in repr(found)


def test_one_dialogue_of_a_list() -> None:
    both = payload([DIALOGUE, {**DIALOGUE, "sample_id": "conv-2"}])
    assert guess.read(both, sample="conv-2").conversations[0].source == "conv-2/session_1"
    assert guess.read(both, sample=0).conversations[0].source == "conv-1/session_1"
    assert guess.read(both).turns == 6
    with pytest.raises(ImportProblem, match="sample: the file has no dialogue"):
        guess.read(both, sample="conv-3")


@pytest.mark.parametrize(
    "text", ["25:00 pm on 8 May, 2023", "1:56 pm on 8 Mai 2023", "", "1:56 pm on 31 June, 2023"]
)
def test_a_wrong_session_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        locomo.session_time(text)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"", "line 1: not JSON"),
        (b'{"messages": [\n NaN]}', "NaN is not a JSON number"),
        (b"[1e999]", "too large"),
        (b"1" * 5000, "more than 400 digits"),
        (b"[" * 100_000, "nested deeper"),
        (b"[" * 70 + b"]" * 70, "nested deeper"),
        (b'{"a": 1, "a": 2}', "a: the key stands twice"),
        (b"[]\n\xff", "line 2: not UTF-8"),
        (b'{"messages": "x"}', "messages: must be a list"),
        (b'{"what": 1}', "no known format"),
    ],
)
def test_a_payload_that_cannot_be_read_says_why(broken: bytes, message: str) -> None:
    with pytest.raises(ImportProblem, match=message):
        guess.read(broken)


def test_signs_that_cannot_be_stored_are_counted() -> None:
    found = guess.read(rb'[{"role": "u", "content": "a\u0000b\ud800"}]')
    assert found.conversations[0].turns[0].text == "ab\ufffd"
    assert found.problems[0].severity == "warning"
    marked = '[{"role": "u", "content": "é"}]'.encode("utf-16")
    assert guess.read(marked).conversations[0].turns[0].text == "é"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "messages", "at", "id", "session_1", "conversation"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_json_is_read_or_refused_and_counts_add_up(value: Any) -> None:
    try:
        found = guess.read(payload(value))
    except ImportProblem:
        return
    assert found.read == found.turns + found.empty + found.skipped


@pytest.mark.skipif(not (DATA / "locomo").is_dir(), reason="HUB_TEST_DATA is absent")
def test_the_five_long_dialogues() -> None:
    found = guess.read((DATA / "locomo/locomo5.json").read_bytes())
    assert (found.turns, found.read, found.problems) == (2760, 2760, ())
