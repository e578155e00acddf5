"""Where a value can stand in a request: every field and parameter of the committed description."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

DESCRIBED = yaml.safe_load((Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml").read_text("utf-8"))
MARK = "@here@"


@dataclass(frozen=True)
class Place:
    """A field by its path (`filters.tags.any.0`), with its described schema."""

    path: tuple[str | int, ...]
    schema: dict[str, Any]

    @property
    def name(self) -> str:
        return ".".join(str(part) for part in self.path)

    @property
    def takes_text(self) -> bool:
        return self.schema.get("type") == "string" or "string" in (self.schema.get("type") or ())


def operation(method: str, address: str) -> dict[str, Any]:
    found: dict[str, Any] = DESCRIBED["paths"][f"/api/v1/{address.partition('?')[0]}"][method.lower()]
    return found


def fields(method: str, address: str) -> list[Place]:
    """Every field of the JSON body, those inside lists and objects too."""
    body = operation(method, address).get("requestBody")
    if body is None:
        return []
    return list(_inside(body["content"]["application/json"]["schema"], ()))


def parameters(method: str, address: str) -> list[str]:
    return [one["name"] for one in operation(method, address).get("parameters", ()) if one["in"] == "query"]


def written(body: dict[str, Any], place: Place, raw: bytes, *, twice: bool = False) -> bytes:
    """The body as JSON with `raw` at the place; with `twice` under the same name two times."""
    text = json.dumps(_put(copy.deepcopy(body), place.path)).encode()
    if not twice:
        return text.replace(json.dumps(MARK).encode(), raw)
    named = f'{json.dumps(place.path[-1])}: "{MARK}"'.encode()
    once = named.replace(json.dumps(MARK).encode(), raw)
    return text.replace(named, once + b", " + once)


def _inside(schema: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[Place]:
    schema = _resolved(schema)
    if path:
        yield Place(path, schema)
    for name, one in schema.get("properties", {}).items():
        yield from _inside(one, (*path, name))
    if "items" in schema:
        yield from _inside(schema["items"], (*path, 0))


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = DESCRIBED["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _put(value: Any, path: tuple[str | int, ...]) -> Any:
    if not path:
        return MARK
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        return [_put(None, rest)]
    found = value if isinstance(value, dict) else {}
    return {**found, first: _put(found.get(first), rest)}
