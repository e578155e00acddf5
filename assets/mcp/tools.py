"""What a tool is: what it says of itself, its policy, and one act of the services."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework.utils.encoders import JSONEncoder

from assets.mcp.schemas import Schema
from hub.authn.principal import Principal
from hub.policy import Policy


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gives: `text` for a model to read, `data` for a program, in the tool's `gives`."""

    text: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the endpoint. `act` gets the arguments as `takes` reads them, and raises Problem."""

    name: str
    title: str
    about: str
    policy: Policy
    takes: Schema
    gives: Schema
    act: Callable[[Principal, dict[str, Any]], Result]

    @property
    def only_reads(self) -> bool:
        return self.policy.action == "read"

    @property
    def bucket(self) -> str:
        """The bucket in which a call counts."""
        return self.policy.bucket("GET" if self.only_reads else "POST")


def plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """As REST writes it in JSON, without what is null: a schema without unions has no word for it."""
    found: dict[str, Any] = _given(json.loads(json.dumps(value, cls=JSONEncoder)))
    return found


def _given(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _given(one) for name, one in value.items() if one is not None}
    return [_given(one) for one in value] if isinstance(value, list) else value
