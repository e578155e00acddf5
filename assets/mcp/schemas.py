"""JSON schemas of what tools take and give: plain objects, no unions, so that every client reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hub import ids

Schema = dict[str, Any]


def record(properties: Mapping[str, Schema], *, required: Sequence[str] = (), about: str = "") -> Schema:
    """An object with these properties and no others, as an argument."""
    return described(
        {
            "type": "object",
            "properties": dict(properties),
            "required": list(required),
            "additionalProperties": False,
        },
        about,
    )


def answer(properties: Mapping[str, Schema], *, required: Sequence[str] = ()) -> Schema:
    """An object that is given. It may have more properties, since answers grow while clients stay."""
    return {"type": "object", "properties": dict(properties), "required": list(required)}


def text(
    about: str = "", *, shortest: int = 0, longest: int | None = None, default: str | None = None
) -> Schema:
    found: Schema = {"type": "string"}
    if shortest:
        found["minLength"] = shortest
    if longest is not None:
        found["maxLength"] = longest
    if default is not None:
        found["default"] = default
    return described(found, about)


def choice(among: Sequence[str], about: str = "", *, default: str | None = None) -> Schema:
    found: Schema = {"type": "string", "enum": list(among)}
    if default is not None:
        found["default"] = default
    return described(found, about)


def public_id(kind: str, about: str = "") -> Schema:
    """A public id of one kind; it is read as a UUID."""
    return described({"type": "string", "pattern": id_pattern(kind)}, about)


def id_pattern(kind: str) -> str:
    return f"^{ids.PREFIXES[kind]}_[0-9a-f]{{32}}$"


def moment(about: str = "") -> Schema:
    """A time of ISO 8601; without an offset it is UTC."""
    return described({"type": "string", "format": "date-time"}, about)


def whole(about: str = "", *, least: int | None = None, most: int | None = None) -> Schema:
    return described({"type": "integer", **_bounds(least, most)}, about)


def number(about: str = "", *, least: float | None = None, most: float | None = None) -> Schema:
    return described({"type": "number", **_bounds(least, most)}, about)


def yes_or_no(about: str = "") -> Schema:
    return described({"type": "boolean"}, about)


def several(items: Schema, about: str = "", *, most: int | None = None) -> Schema:
    found: Schema = {"type": "array", "items": items}
    if most is not None:
        found["maxItems"] = most
    return described(found, about)


def described(schema: Schema, about: str) -> Schema:
    return {**schema, "description": about} if about else schema


def _bounds(least: float | None, most: float | None) -> Schema:
    named = {"minimum": least, "maximum": most}
    return {name: value for name, value in named.items() if value is not None}
