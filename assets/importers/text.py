"""Bytes to text and JSON under limits, with nothing in it that the database would refuse."""

from __future__ import annotations

import codecs
import json
import math
import re
from datetime import UTC, datetime
from typing import Any

from assets.importers.types import ImportProblem

LARGEST = 100 * 1024 * 1024  # bytes of one payload
DEEPEST = 60  # nested lists and objects
MOST_ITEMS = 2_000_000  # values in one payload
LONGEST_NUMBER = 400  # digits; longer ones cost time that grows with their square
REFUSED = re.compile("[\ud800-\udfff]")
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(payload: bytes, largest: int = LARGEST) -> str:
    """UTF-8, with or without mark, or UTF-16 with mark. Raises ImportProblem for any other."""
    if len(payload) > largest:
        message = f"the file has {len(payload):,} bytes; at most {largest:,} are read"
        raise ImportProblem(message)
    encoding = next((name for mark, name in MARKS if payload.startswith(mark)), "utf-8")
    try:
        return payload.decode(encoding)
    except UnicodeDecodeError as error:
        line = payload[: error.start].count(b"\n") + 1
        message = f"not {encoding.upper()} text (byte {error.start})"
        raise ImportProblem(message, line=line) from None


def parse(text: str) -> Any:
    """Strict JSON within the limits. Raises ImportProblem with a line or a field."""
    try:
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_int=_whole,
            parse_float=_fraction,
            object_pairs_hook=_once,
        )
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}, column {error.colno}"
        raise ImportProblem(message, line=error.lineno) from None
    except RecursionError:
        message = f"nested deeper than {DEEPEST} levels"
        raise ImportProblem(message) from None
    _measure(value)
    return value


def clean(text: str) -> tuple[str, int]:
    """The text without NUL and with lone surrogates replaced, and how many were changed."""
    changed = text.count("\0")
    if changed:
        text = text.replace("\0", "")
    text, replaced = REFUSED.subn("\ufffd", text)
    return text, changed + replaced


def moment(value: object, path: str) -> datetime | None:
    """An ISO 8601 text or a Unix number as an aware time; a naive one is read as UTC.

    Raises ImportProblem naming `path` for anything else but None and an empty text.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) > 1e11 else value
            return datetime.fromtimestamp(seconds, UTC)
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return at if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    message = f"not a time: {str(value)[:40]!r}"
    raise ImportProblem(message, path=path)


def _measure(value: Any) -> None:
    """Walk without recursion and refuse what is too deep or has too many values."""
    count = 0
    waiting = [(value, 1, "$")]
    while waiting:
        item, depth, path = waiting.pop()
        if not isinstance(item, dict | list):
            continue
        if depth > DEEPEST:
            message = f"nested deeper than {DEEPEST} levels"
            raise ImportProblem(message, path=path[:200])
        count += len(item)
        if count > MOST_ITEMS:
            message = f"more than {MOST_ITEMS:,} values"
            raise ImportProblem(message, path=path[:200])
        if isinstance(item, dict):
            waiting += [
                (child, depth + 1, f"{path}.{key}")
                for key, child in item.items()
                if isinstance(child, dict | list)
            ]
        else:
            waiting += [
                (child, depth + 1, f"{path}[{index}]")
                for index, child in enumerate(item)
                if isinstance(child, dict | list)
            ]


def _refuse_constant(name: str) -> Any:
    message = f"{name} is not a JSON number"
    raise ImportProblem(message)


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        message = f"a number has more than {LONGEST_NUMBER} digits"
        raise ImportProblem(message)
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        message = f"a number is too large: {digits[:20]}"
        raise ImportProblem(message)
    return number


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers differ over a repeated key, so a scan and a reader could see different texts."""
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        message = "the key stands twice in one object"
        raise ImportProblem(message, path=clean(twice)[0][:100])
    return result
