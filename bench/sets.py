"""The public question sets: what is stored, what is asked, and, read apart, what is right."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked and of which space; nothing of its answer, evidence or category."""

    id: str
    space: str
    text: str


@dataclass(frozen=True, slots=True)
class Right:
    """The sources that hold the answer of one question."""

    sources: frozenset[str]
    category: str = ""


# ---- LoCoMo: dialogues; a document is a turn


def locomo_samples(file: Path) -> list[str]:
    return [one["sample_id"] for one in _json(file)]


def locomo_questions(file: Path) -> list[Question]:
    return [
        Question(f"{one['sample_id']}-{number}", one["sample_id"], question["question"])
        for one in _json(file)
        for number, question in enumerate(one["qa"])
    ]


def locomo_right(file: Path) -> dict[str, Right]:
    """By question id; questions without usable evidence are left out."""
    found: dict[str, Right] = {}
    for one in _json(file):
        turns = {
            turn["dia_id"]
            for session in one["conversation"].values()
            if isinstance(session, list)
            for turn in session
        }
        for number, question in enumerate(one["qa"]):
            named = " ".join(question["evidence"])
            ids = {f"D{int(a)}:{int(b)}" for a, b in re.findall(r"D:?(\d+):(\d+)", named)} & turns
            if ids:
                category = CATEGORIES[question["category"]]
                found[f"{one['sample_id']}-{number}"] = Right(frozenset(ids), category)
    return found


# ---- XQuAD and CMRC: reading comprehension; a document is a paragraph


def paragraphs(file: Path) -> dict[str, str]:
    """Text by source; equal texts are one document."""
    found: dict[str, str] = {}
    for source, text, _ in _paragraphs(file):
        found.setdefault(text, source)
    return {source: text for text, source in found.items()}


def paragraph_questions(file: Path, space: str, name: str) -> list[Question]:
    """The questions of `file` (as `name`), asked of `space`."""
    return [
        Question(f"{name}-{space}-{source}-{number}", space, question)
        for source, _, questions in _paragraphs(file)
        for number, question in enumerate(questions)
    ]


def paragraph_right(asked: Path, stored: Path, space: str, name: str) -> dict[str, Right]:
    """The paragraph at the same place of the stored file holds the answer."""
    kept = {text: source for source, text in paragraphs(stored).items()}
    places = {source: kept[text] for source, text, _ in _paragraphs(stored)}
    return {
        f"{name}-{space}-{source}-{number}": Right(frozenset({places[source]}))
        for source, _, questions in _paragraphs(asked)
        for number in range(len(questions))
    }


def _paragraphs(file: Path) -> list[tuple[str, str, list[str]]]:
    return [
        (f"{article}.{place}", part["context"], [one["question"] for one in part["qas"]])
        for article, one in enumerate(_json(file)["data"])
        for place, part in enumerate(one["paragraphs"])
    ]


def _json(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))
