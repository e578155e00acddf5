"""A draft of a loadout as fields of a form, and back. The draft lives in the form alone until it is saved."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assets.services.loadout_drafts import TERMS
from assets.templatetags.labels import label
from hub.problems import Invalid

Entry = dict[str, Any]
PLAIN: Entry = {
    "access": "read", "mode": "retrieve", "pin": None, "follow": "approved", "priority": 50, "share": None,
    "expires_at": None,
}  # fmt: skip
FIELDS = ("access", "mode", "version", "priority", "share", "expires")
LARGEST_FILE = 1_000_000  # bytes


def fields_of(entry: Entry) -> dict[str, str]:
    """The terms as texts of form fields."""
    share = entry["share"]
    return {
        "access": entry["access"], "mode": entry["mode"],
        "version": str(entry["pin"] or entry["follow"]), "priority": str(entry["priority"]),
        "share": "" if share is None else f"{share * 100:.4g}", "expires": str(entry["expires_at"] or "")[:10],
    }  # fmt: skip


def terms_of(entry: Mapping[str, Any]) -> Entry:
    """The asset and the terms alone, the rest as it usually is."""
    return {"asset": entry["asset"], **{name: entry.get(name, PLAIN[name]) for name in TERMS}}


def draft_of(post: Mapping[str, str], saved: Mapping[str, Entry]) -> list[Entry]:
    """The items that a form holds, by asset. A field that stands as it was saved keeps its exact
    value. What cannot be read is handed on as it is: the service names what is wrong with it.
    """
    named = [name.removeprefix("access.") for name in post if name.startswith("access.ast_")]
    return [
        _entry(asset, {name: post.get(f"{name}.{asset}", "").strip() for name in FIELDS}, saved.get(asset))
        for asset in named
        if post[f"access.{asset}"]
    ]


def _entry(asset: str, given: Mapping[str, str], saved: Entry | None) -> Entry:
    was = fields_of(saved) if saved else {}
    version = given["version"] or "approved"
    found: Entry = {
        "asset": asset, "access": given["access"], "mode": given["mode"] or "retrieve",
        "follow": version if version in ("approved", "head") else "approved",
        "pin": None if version in ("approved", "head") else _number(version),
        "priority": _number(given["priority"] or "50"),
        "share": _share(given["share"]),
        "expires_at": f"{given['expires']}T23:59:59+00:00" if given["expires"] else None,
    }  # fmt: skip
    if saved is not None:
        kept = (("share", "share"), ("expires", "expires_at"))
        found |= {term: saved[term] for field, term in kept if was[field] == given[field]}
        if was["version"] == version:
            found |= {"pin": saved["pin"], "follow": saved["follow"]}
    return found


def _number(text: str) -> int | str:
    return int(text) if text.isdecimal() and len(text) < 12 else text


def _share(text: str) -> float | str | None:
    try:
        return round(float(text.removesuffix("%")) / 100, 6) if text else None
    except ValueError:
        return text


def document_in(raw: bytes) -> list[Entry]:
    """The items of an exported loadout. Raises Invalid for anything else."""
    if len(raw) > LARGEST_FILE:
        raise Invalid(fields={"file": f"at most {LARGEST_FILE} bytes"})
    try:
        document = json.loads(raw)
        items: Any = document["items"] if document["format"] == "loadout/1" else None
        return [terms_of(one) for one in items]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Invalid(fields={"file": "not an exported loadout"}) from error


@dataclass(frozen=True)
class Marks:
    """What a draft changes, by asset."""

    added: frozenset[str]
    changed: frozenset[str]
    removed: frozenset[str]

    @property
    def count(self) -> int:
        return len(self.added) + len(self.changed) + len(self.removed)

    def of(self, asset: str) -> str:
        for name in ("added", "changed", "removed"):
            if asset in getattr(self, name):
                return name
        return ""


def marks(saved: Mapping[str, Entry], draft: Iterable[Entry]) -> Marks:
    new = {one["asset"]: terms_of(one) for one in draft}
    both = saved.keys() & new.keys()
    return Marks(
        frozenset(new.keys() - saved.keys()),
        frozenset(asset for asset in both if terms_of(saved[asset]) != new[asset]),
        frozenset(saved.keys() - new.keys()),
    )


def wrong_by_asset(problem_fields: Mapping[str, str], draft: Sequence[Entry]) -> dict[str, list[str]]:
    """`items.3.share` and `removed.ast_...` as texts beside the asset; the rest under ""."""
    found: dict[str, list[str]] = {}
    for name, text in problem_fields.items():
        kind, _, rest = name.partition(".")
        place = rest.partition(".")[0]
        asset = ""
        if kind == "items" and place.isdecimal() and int(place) < len(draft):
            asset = str(draft[int(place)]["asset"])
        elif kind == "removed":
            asset = rest
        found.setdefault(asset, []).append(label(text) if asset else f"{label(name)}: {label(text)}")
    return found
