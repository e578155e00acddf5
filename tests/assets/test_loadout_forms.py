"""A draft of a loadout as form fields: what is not touched stays exact, what is wrong is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assets.web import loadout_forms as forms
from hub.problems import Invalid

ONE, TWO, THREE = (f"ast_{number:032x}" for number in (1, 2, 3))


def entry(asset: str, **terms: Any) -> dict[str, Any]:
    return {"asset": asset, **forms.PLAIN, **terms}


def posted(*entries: dict[str, Any]) -> dict[str, str]:
    return {f"{name}.{one['asset']}": text for one in entries for name, text in forms.fields_of(one).items()}


def test_what_is_not_touched_stays_as_it_was_saved() -> None:
    saved = {
        ONE: entry(ONE, share=1 / 3, expires_at="2099-01-02T03:04:05.678901+00:00", pin=4, priority=7),
        TWO: entry(TWO, access="write", mode="always", follow="head"),
    }
    assert forms.draft_of(posted(*saved.values()), saved) == list(saved.values())
    assert forms.marks(saved, forms.draft_of(posted(*saved.values()), saved)).count == 0


def test_each_field_is_read() -> None:
    fields = posted(entry(ONE)) | {
        f"access.{ONE}": "write", f"mode.{ONE}": "on_demand", f"version.{ONE}": "12",
        f"priority.{ONE}": "90", f"share.{ONE}": "12.5", f"expires.{ONE}": "2099-05-06",
    }  # fmt: skip
    assert forms.draft_of(fields, {}) == [
        entry(
            ONE, access="write", mode="on_demand", pin=12, priority=90, share=0.125,
            expires_at="2099-05-06T23:59:59+00:00",
        )
    ]  # fmt: skip


def test_what_cannot_be_read_is_handed_on_and_named() -> None:
    fields = posted(entry(ONE)) | {f"version.{ONE}": "soon", f"priority.{ONE}": "-", f"share.{ONE}": "half"}
    found = forms.draft_of(fields, {})[0]
    assert (found["pin"], found["priority"], found["share"]) == ("soon", "-", "half")
    wrong = forms.wrong_by_asset(
        {"items.0.share": "above 0", f"removed.{TWO}": "not yours", "reason": "say why"}, [found]
    )
    assert wrong == {ONE: ["above 0"], TWO: ["not yours"], "": ["reason: say why"]}


def test_marks_tell_added_changed_and_removed() -> None:
    saved = {ONE: entry(ONE), TWO: entry(TWO)}
    marks = forms.marks(saved, [entry(TWO, access="write"), entry(THREE)])
    assert [marks.of(one) for one in (ONE, TWO, THREE)] == ["removed", "changed", "added"]
    assert marks.count == 3


def test_an_empty_access_means_not_bound() -> None:
    saved = {ONE: entry(ONE)}
    assert forms.draft_of(posted(entry(ONE)) | {f"access.{ONE}": ""}, saved) == []


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{}",
        b"nothing",
        b'{"format": "loadout/2", "items": []}',
        b'{"format": "loadout/1", "items": [1]}',
    ],
)
def test_only_an_exported_loadout_comes_in(raw: bytes) -> None:
    with pytest.raises(Invalid):
        forms.document_in(raw)


def test_an_exported_loadout_comes_in() -> None:
    items = [{"asset": ONE, "access": "write"}]
    raw = json.dumps({"format": "loadout/1", "items": items}).encode()
    assert forms.document_in(raw) == [entry(ONE, access="write")]
    with pytest.raises(Invalid):
        forms.document_in(raw + b" " * forms.LARGEST_FILE)
