"""The times that a question names, in English, Chinese or digits, as periods in UTC.

A day, a month or a year becomes the period it covers; a month or day without a year stands for
each of the last years, since the asker did not say which. Words such as "last week" are read
from the clock that is handed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

YEARS_BACK = 6  # a month without a year may be of any of these
MOST = 24  # periods of one question
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
MONTH = "|".join([*MONTHS, "sept", *(name[:3] for name in MONTHS)])
DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
YEAR = r"(?P<year>(?:19|20)\d\d)"
NUMBERED = (
    re.compile(rf"(?<!\d){YEAR}[-/.](?P<month>[01]?\d)[-/.](?P<day>[0-3]?\d)(?!\d)"),
    re.compile(rf"(?<!\d){YEAR}-(?P<month>[01]\d)(?![\d-])"),
    re.compile(rf"(?<!\d){YEAR}\s*年(?:\s*(?P<month>[01]?\d)\s*月(?:\s*(?P<day>[0-3]?\d)\s*[日号])?)?"),
    re.compile(r"(?<!\d)(?P<month>[01]?\d)\s*月(?:\s*(?P<day>[0-3]?\d)\s*[日号])?"),
    re.compile(rf"\b{DAY}(?: of)? (?P<name>{MONTH})\b\.?(?:,? {YEAR})?"),
    re.compile(rf"\b(?P<name>{MONTH})\b\.? {DAY}\b(?:,? {YEAR})?"),
    re.compile(rf"\b(?P<name>{MONTH})\b\.?,?(?: of)? {YEAR}\b"),
    # "May", "March" and the short names are words of their own: alone they need a sign of time.
    re.compile(rf"\b(?:in|during|since|until|by|before|after|last|this|of) (?P<name>{MONTH})\b"),
    re.compile(rf"\b(?:in|during|since|of|year) {YEAR}\b"),
)
RELATIVE = (
    (re.compile(r"\btoday\b|今天|今日"), "day", 0),
    (re.compile(r"\byesterday\b|昨天|昨日"), "day", 1),
    (re.compile(r"\bthis week\b|这周|本周|这个星期"), "week", 0),
    (re.compile(r"\blast week\b|上周|上个星期"), "week", 1),
    (re.compile(r"\bthis month\b|这个月|本月"), "month", 0),
    (re.compile(r"\blast month\b|上个月|上月"), "month", 1),
    (re.compile(r"\bthis year\b|今年"), "year", 0),
    (re.compile(r"\blast year\b|去年"), "year", 1),
)


@dataclass(frozen=True, slots=True)
class Period:
    """From a moment, included, to a moment, excluded."""

    start: datetime
    end: datetime


def periods(text: str, now: datetime) -> tuple[Period, ...]:
    """What the text names, in the order of the patterns, at most `MOST`; empty for no time."""
    rest = text.casefold()[:4000]
    found: list[Period] = []
    for pattern, unit, back in RELATIVE:
        if pattern.search(rest):
            found.append(_before(now, unit, back))
    for pattern in NUMBERED:
        # What one pattern has read is no part of a shorter one's reading.
        matches = list(pattern.finditer(rest))
        for match in matches:
            found += _named(match, now)
        for match in reversed(matches):
            rest = f"{rest[: match.start()]} {' ' * len(match[0])} {rest[match.end() :]}"
    return tuple(dict.fromkeys(found))[:MOST]


def _named(match: re.Match[str], now: datetime) -> Iterator[Period]:
    parts = match.groupdict()
    name = parts.get("name")
    month = _number(name) if name else int(parts["month"]) if parts.get("month") else None
    day = int(parts["day"]) if parts.get("day") else None
    years = (
        [int(parts["year"])] if parts.get("year") else [now.year + 1 - back for back in range(YEARS_BACK + 1)]
    )
    for year in years:
        try:
            yield _period(year, month, day)
        except ValueError:  # no such day
            continue


def _number(name: str) -> int:
    return [month[:3] for month in MONTHS].index(name[:3]) + 1


def _period(year: int, month: int | None, day: int | None) -> Period:
    start = datetime(year, month or 1, day or 1, tzinfo=UTC)
    if day:
        return Period(start, start + timedelta(days=1))
    if month:
        return Period(start, _next_month(start))
    return Period(start, datetime(year + 1, 1, 1, tzinfo=UTC))


def _next_month(start: datetime) -> datetime:
    return (start.replace(day=1) + timedelta(days=32)).replace(day=1)


def _before(now: datetime, unit: str, back: int) -> Period:
    day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        start = day - timedelta(days=back)
        return Period(start, start + timedelta(days=1))
    if unit == "week":
        start = day - timedelta(days=day.weekday() + 7 * back)
        return Period(start, start + timedelta(days=7))
    if unit == "month":
        start = day.replace(day=1)
        for _ in range(back):
            start = (start - timedelta(days=1)).replace(day=1)
        return Period(start, _next_month(start))
    start = day.replace(month=1, day=1, year=day.year - back)
    return Period(start, start.replace(year=start.year + 1))
