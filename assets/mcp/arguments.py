"""Reads a tool's arguments by its schema: every wrong place is named, and nothing unknown passes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from assets.mcp.schemas import Schema, id_pattern
from hub import ids
from hub.problems import Invalid

IDS = {id_pattern(kind): kind for kind in ids.PREFIXES}
MOST_NAMED = 20  # bad places that one answer names
LONGEST_NAME = 200  # characters of a name that an answer repeats
WORDS = {
    "object": "an object", "array": "a list", "string": "text", "integer": "a whole number",
    "number": "a number", "boolean": "true or false",
}  # fmt: skip


def read(schema: Schema, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as acts take them: ids as UUIDs, times aware, defaults filled in.

    Raises Invalid with a reason for each bad place.
    """
    wrong: dict[str, str] = {}
    found: dict[str, Any] = _read(schema, given, "", wrong)
    if wrong:
        named = list(wrong.items())[:MOST_NAMED]
        raise Invalid(fields={place[:LONGEST_NAME]: reason for place, reason in named})
    return found


def _read(schema: Schema, value: Any, place: str, wrong: dict[str, str]) -> Any:
    kind = schema["type"]
    if not _is(kind, value):
        wrong[place or "arguments"] = f"must be {WORDS[kind]}"
        return None
    if kind == "object":
        return _object(schema, value, place, wrong)
    if kind == "array":
        if len(value) > schema.get("maxItems", len(value)):
            wrong[place] = f"at most {schema['maxItems']}"
            return None
        return [_read(schema["items"], one, f"{place}.{number}", wrong) for number, one in enumerate(value)]
    if kind == "string":
        return _text(schema, value, place, wrong)
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    if not least <= value <= most:
        wrong[place] = f"must be {WORDS[kind]}, {_span(schema)}"
    return int(value) if kind == "integer" else value


def _object(schema: Schema, value: Mapping[str, Any], place: str, wrong: dict[str, str]) -> dict[str, Any]:
    known: dict[str, Schema] = schema["properties"]
    inside = f"{place}." if place else ""
    for name in value:
        if name not in known:
            shown = name.encode("utf-8", "replace").decode()
            wrong[inside + shown] = f"unknown; allowed are: {', '.join(sorted(known))}"
    for name in schema["required"]:
        if name not in value:
            wrong[inside + name] = "is required"
    found = {name: one["default"] for name, one in known.items() if "default" in one}
    return found | {
        name: _read(known[name], one, inside + name, wrong) for name, one in value.items() if name in known
    }


def _text(schema: Schema, value: str, place: str, wrong: dict[str, str]) -> Any:
    reason = None
    if "\x00" in value or any(0xD800 <= ord(sign) <= 0xDFFF for sign in value):
        reason = "holds NUL or half of a surrogate pair"
    elif "enum" in schema:
        reason = None if value in schema["enum"] else f"one of {', '.join(schema['enum'])}"
    elif "pattern" in schema:
        kind = IDS[schema["pattern"]]
        if re.search(schema["pattern"], value) and (found := ids.parse(kind, value)) is not None:
            return found
        reason = f"not an id that begins with {ids.PREFIXES[kind]}_"
    elif schema.get("format") == "date-time":
        at = _moment(value)
        if at is not None:
            return at
        reason = "not a time of ISO 8601, such as 2030-01-31T09:00:00Z"
    elif not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        reason = f"{schema.get('minLength', 0)} to {schema.get('maxLength')} characters"
    if reason is not None:
        wrong[place] = reason
    return value


def _moment(value: str) -> datetime | None:
    try:
        found = parse_datetime(value)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found


def _is(kind: str, value: Any) -> bool:
    if kind == "object":
        return isinstance(value, Mapping)
    if kind == "array":
        return isinstance(value, list)
    if kind == "string":
        return isinstance(value, str)
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    is_finite = value - value == 0
    return is_finite and (kind == "number" or float(value).is_integer())


def _span(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None:
        return f"at most {most}"
    return f"at least {least}" if most is None else f"{least} to {most}"
