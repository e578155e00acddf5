"""The times that a question names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.retrieval import dates

NOW = datetime(2024, 3, 13, 15, 30, tzinfo=UTC)  # a Wednesday


def read(text: str) -> list[tuple[str, str]]:
    return [(f"{one.start:%Y-%m-%d}", f"{one.end:%Y-%m-%d}") for one in dates.periods(text, NOW)]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("What happened on 8 May 2023?", ("2023-05-08", "2023-05-09")),
        ("on the 8th of May, 2023", ("2023-05-08", "2023-05-09")),
        ("since May 8th, 2023", ("2023-05-08", "2023-05-09")),
        ("the notes of 2023-05-08", ("2023-05-08", "2023-05-09")),
        ("2023年5月8日发生了什么", ("2023-05-08", "2023-05-09")),
        ("2023年5月的会议", ("2023-05-01", "2023-06-01")),
        ("in December 2023", ("2023-12-01", "2024-01-01")),
        ("what was decided in 2022", ("2022-01-01", "2023-01-01")),
        ("2022年做了什么", ("2022-01-01", "2023-01-01")),
        ("what did we do yesterday", ("2024-03-12", "2024-03-13")),
        ("昨天做了什么", ("2024-03-12", "2024-03-13")),
        ("last week", ("2024-03-04", "2024-03-11")),
        ("上个月的发布", ("2024-02-01", "2024-03-01")),
        ("last year", ("2023-01-01", "2024-01-01")),
    ],
)
def test_a_time_in_full_is_one_period(text: str, right: tuple[str, str]) -> None:
    assert read(text) == [right]


def test_a_month_without_a_year_may_be_of_any_of_the_last_years() -> None:
    found = read("what did Ann plan in June?")
    assert ("2023-06-01", "2023-07-01") in found
    assert len(found) == dates.YEARS_BACK + 1
    assert read("29 February") == [("2024-02-29", "2024-03-01"), ("2020-02-29", "2020-03-01")]


@pytest.mark.parametrize(
    "text",
    [
        "May I release it?",
        "the march of progress",
        "port 2023",
        "version 3.11",
        "",
        "mar and dec",
        "31 April",
    ],
)
def test_words_and_numbers_that_are_no_time(text: str) -> None:
    assert read(text) == []


@given(st.text(max_size=200), st.datetimes(timezones=st.just(UTC), min_value=datetime(1990, 1, 1)))
def test_any_text_gives_periods_that_begin_before_they_end(text: str, now: datetime) -> None:
    if now.year > 9000:
        now = now.replace(year=2024, day=1)
    for one in dates.periods(text, now):
        assert timedelta(days=1) <= one.end - one.start <= timedelta(days=366)
