"""Weight: bounded, falling with age, rising with use, and the same when asked twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.tree import weight
from assets.tree.weight import Shares, Signals

NOW = datetime(2026, 3, 1, tzinfo=UTC)
unit = st.floats(0, 1)
signals = st.builds(
    Signals,
    importance=unit,
    confidence=unit,
    occurred_at=st.integers(0, 3000).map(lambda days: NOW - timedelta(days=days)),
    half_life=st.one_of(st.none(), st.floats(0.1, 400)),
    uses=st.integers(0, 10_000),
    links=st.integers(0, 100),
    is_held_fast=st.booleans(),
)


@given(signals, st.integers(0, 3000))
def test_weight_is_bounded_and_never_rises_with_age(one: Signals, days: int) -> None:
    first = weight.weight(one, NOW)
    assert weight.LOWEST <= first <= weight.HIGHEST
    assert weight.weight(one, NOW) == first
    assert weight.weight(one, NOW + timedelta(days=days)) <= first


@given(signals, st.integers(1, 1000))
def test_use_and_links_never_lower_it(one: Signals, more: int) -> None:
    first = weight.weight(one, NOW)
    assert weight.weight(replace(one, uses=one.uses + more), NOW) >= first
    assert weight.weight(replace(one, links=one.links + more), NOW) >= first
    assert weight.weight(replace(one, last_used_at=NOW), NOW) >= first


def test_the_numbers_of_one_plain_case() -> None:
    one = Signals(0.5, 0.7, NOW - timedelta(days=30), half_life=30.0)
    expected = (0.40 * 0.5 + 0.25 * 0.5 + 0.20 * 0.7 + 0.15 * 0.0) * 0.9
    assert weight.weight(one, NOW) == pytest.approx(expected)
    assert weight.idle_days(one, NOW) == 30
    assert weight.recency(replace(one, uses=10**9), NOW) == pytest.approx(0.5 ** (1 / 8))


def test_a_constraint_never_fades_or_leaves() -> None:
    old = Signals(0.9, 0.7, NOW - timedelta(days=3650), half_life=None, is_held_fast=True)
    assert weight.weight(old, NOW) == weight.weight(replace(old, occurred_at=NOW), NOW)
    assert not weight.may_archive(old, NOW)
    forgotten = Signals(0.1, 0.1, NOW - timedelta(days=365), half_life=14.0)
    assert weight.may_archive(forgotten, NOW)
    assert not weight.may_archive(replace(forgotten, last_used_at=NOW), NOW)


def test_the_tables_and_the_shares() -> None:
    assert weight.half_life("constraint") is None
    assert weight.half_life("message") == 14
    assert weight.half_life("something new") == weight.DEFAULT_HALF_LIFE
    assert weight.importance("tool_failure") == 0.7
    assert set(weight.PRESETS) == {"balanced", "personal", "realtime"}
    with pytest.raises(ValueError, match="sum to 1"):
        Shares(importance=0.9)


def test_broken_numbers_and_the_future_do_no_harm() -> None:
    odd = Signals(float("nan"), 7.0, NOW + timedelta(days=5), half_life=0.0, uses=-1, links=-3)
    assert weight.LOWEST <= weight.weight(odd, NOW) <= weight.HIGHEST
