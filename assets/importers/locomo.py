"""LoCoMo dialogue files: numbered sessions of turns with ids such as D1:3.

Only what was said is read. Questions, observations and summaries in the file are not.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from assets.importers.text import clean
from assets.importers.types import Conversation, Imported, ImportProblem, Problem, Turn

FORMAT = "locomo"
SESSION = re.compile(r"session_([0-9]{1,6})")
WHEN = re.compile(
    r"\s*([0-9]{1,2}):([0-9]{2})\s*([ap])\.?m\.?\s+on\s+([0-9]{1,2})\s+([A-Za-z]{3,9}),?\s+([0-9]{4})\s*",
    re.IGNORECASE,
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def matches(value: Any) -> bool:
    """One conversation object, or a list of them."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and _sessions(first) is not None


def read(value: Any, name: str = "", sample: str | int | None = None) -> Imported:
    """Each session becomes a conversation. `sample` picks one dialogue of a list file by its
    id or place. Raises ImportProblem for another shape or an unknown sample.
    """
    dialogues = value if isinstance(value, list) else [value]
    if sample is not None:
        dialogues = [_pick(dialogues, sample)]
    conversations: list[Conversation] = []
    problems: list[Problem] = []
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    for index, dialogue in enumerate(dialogues):
        where = f"[{index}]" if isinstance(value, list) and sample is None else ""
        inner = _sessions(dialogue) if isinstance(dialogue, dict) else None
        if inner is None:
            raise ImportProblem("holds no session_1", path=f"{where}.conversation".strip("."))
        dialogue_id = clean(str(dialogue.get("sample_id") or name or "dialogue"))[0][:100]
        if dialogue_id in seen:
            dialogue_id = f"{dialogue_id}-{index + 1}"
        seen.add(dialogue_id)
        for number in sorted(int(found[1]) for key in inner if (found := SESSION.fullmatch(key))):
            conversation = _session(inner, number, dialogue_id, where, problems, counts)
            if conversation.turns:
                conversations.append(conversation)
    return Imported(
        FORMAT,
        tuple(conversations),
        tuple(problems),
        counts["read"],
        counts["empty"],
        counts["skipped"],
    )


def session_time(text: str) -> datetime:
    """`1:56 pm on 8 May, 2023`, read as UTC. Raises ValueError."""
    found = WHEN.fullmatch(text)
    if found is None or found[5][:3].lower() not in MONTHS:
        message = f"not a session time: {text[:40]!r}"
        raise ValueError(message)
    hour, minute = int(found[1]), int(found[2])
    if not 1 <= hour <= 12:
        message = f"not an hour: {hour}"
        raise ValueError(message)
    hour = hour % 12 + (12 if found[3].lower() == "p" else 0)
    month = MONTHS.index(found[5][:3].lower()) + 1
    return datetime(int(found[6]), month, int(found[4]), hour, minute, tzinfo=UTC)


def _session(
    inner: dict[str, Any],
    number: int,
    dialogue_id: str,
    where: str,
    problems: list[Problem],
    counts: Counter[str],
) -> Conversation:
    path = f"{where}.conversation.session_{number}".strip(".")
    at = _time(inner.get(f"session_{number}_date_time"), f"{path}_date_time", problems)
    items = inner[f"session_{number}"]
    if not isinstance(items, list):
        problems.append(Problem("must be a list of turns", path))
        items = []
    turns: list[Turn] = []
    sources: set[str] = set()
    for index, item in enumerate(items):
        counts["read"] += 1
        place = f"{path}[{index}]"
        try:
            turn, changed = _turn(item, f"D{number}:{index + 1}", at, place)
            if turn.source in sources:
                raise ImportProblem("the id stands twice", path=f"{place}.dia_id")
        except ImportProblem as problem:
            problems.append(Problem(problem.message, problem.path))
            counts["skipped"] += 1
            continue
        sources.add(turn.source)
        if changed:
            message = f"{changed} characters that cannot be stored were removed or replaced"
            problems.append(Problem(message, place, severity="warning"))
        if turn.text:
            turns.append(turn)
        else:
            counts["empty"] += 1
    title = f"{dialogue_id}, session {number}"
    return Conversation(f"{dialogue_id}/session_{number}", title, at, tuple(turns))


def _turn(item: Any, fallback: str, at: datetime | None, path: str) -> tuple[Turn, int]:
    if not isinstance(item, dict):
        raise ImportProblem("must be an object", path=path)
    changed = 0
    texts = {}
    for key, default in (
        ("speaker", None),
        ("text", ""),
        ("dia_id", fallback),
        ("blip_caption", ""),
    ):
        value = item.get(key, default)
        if value is None:
            value = default
        if not isinstance(value, str):
            raise ImportProblem("must be text", path=f"{path}.{key}")
        texts[key], more = clean(value)
        changed += more
    speaker = " ".join(texts["speaker"].split())[:200]
    if not speaker:
        raise ImportProblem("is empty", path=f"{path}.speaker")
    text = texts["text"].strip()
    if texts["blip_caption"].strip():
        text = f"{text} [image: {texts['blip_caption'].strip()}]".strip()
    return Turn(texts["dia_id"].strip()[:200] or fallback, speaker, text, at), changed


def _time(value: Any, path: str, problems: list[Problem]) -> datetime | None:
    if value is None:
        return None
    try:
        return session_time(str(value))
    except ValueError as error:
        problems.append(Problem(str(error), path, severity="warning"))
        return None


def _sessions(dialogue: dict[str, Any]) -> dict[str, Any] | None:
    """The object that holds the sessions: under `conversation`, or the dialogue itself."""
    inner = dialogue.get("conversation", dialogue)
    if isinstance(inner, dict) and any(SESSION.fullmatch(key) for key in inner):
        return inner
    return None


def _pick(dialogues: list[Any], sample: str | int) -> Any:
    if isinstance(sample, int):
        if 0 <= sample < len(dialogues):
            return dialogues[sample]
    else:
        for dialogue in dialogues:
            if isinstance(dialogue, dict) and dialogue.get("sample_id") == sample:
                return dialogue
    message = f"the file has no dialogue {str(sample)[:60]!r}"
    raise ImportProblem(message, path="sample")
