"""Plain messages: a list, or an object with `messages`, of {role|speaker, content|text, at, id}."""

from __future__ import annotations

import hashlib
from typing import Any

from assets.importers.text import clean, moment
from assets.importers.types import Conversation, Imported, ImportProblem, Problem, Turn

FORMAT = "messages"
SPEAKERS = ("speaker", "role", "name", "author", "sender")
TEXTS = ("content", "text", "message")
TIMES = ("at", "occurred_at", "timestamp", "created_at", "time")
LONGEST_NAME = 200


def matches(value: Any) -> bool:
    """An object with `messages`, or a list whose first object has a speaker and a text."""
    if isinstance(value, dict):
        return "messages" in value
    if not isinstance(value, list):
        return False
    first = next((item for item in value if isinstance(item, dict)), None)
    return first is not None and None not in (_has(first, SPEAKERS), _has(first, TEXTS))


def read(value: Any, name: str = "") -> Imported:
    """Messages in their order. Raises ImportProblem when the shape is another; a message that
    cannot be used becomes a Problem and the rest goes on.
    """
    outer: dict[str, Any] = value if isinstance(value, dict) else {"messages": value}
    items = outer.get("messages")
    if not isinstance(items, list):
        raise ImportProblem("must be a list of messages", path="messages")
    turns: list[Turn] = []
    problems: list[Problem] = []
    empty = skipped = 0
    sources: set[str] = set()
    for index, item in enumerate(items):
        path = f"messages[{index}]"
        try:
            turn, changed = _turn(item, index, path)
            if turn.source in sources:
                raise ImportProblem("the id stands twice", path=f"{path}.id")
        except ImportProblem as problem:
            problems.append(Problem(problem.message, problem.path))
            skipped += 1
            continue
        sources.add(turn.source)
        if changed:
            problems.append(_changed(path, changed))
        if turn.text.strip():
            turns.append(turn)
        else:
            empty += 1
    conversation = _conversation(outer, turns, name)
    kept = (conversation,) if turns else ()
    return Imported(FORMAT, kept, tuple(problems), len(items), empty, skipped)


def _conversation(outer: dict[str, Any], turns: list[Turn], name: str) -> Conversation:
    started = moment(outer.get("started_at"), "started_at")
    if started is None:
        started = next((turn.occurred_at for turn in turns if turn.occurred_at), None)
    title = _short(outer.get("title") or outer.get("name") or name or "Conversation", "title")
    given = outer.get("id") or outer.get("conversation_id")
    source = _short(given, "id") if given else _digest(turns)
    return Conversation(source, title, started, tuple(turns))


def _turn(item: Any, index: int, path: str) -> tuple[Turn, int]:
    if not isinstance(item, dict):
        raise ImportProblem("must be an object", path=path)
    speaker_key = _has(item, SPEAKERS)
    text_key = _has(item, TEXTS)
    if speaker_key is None:
        raise ImportProblem("needs a role or a speaker", path=path)
    if text_key is None and not any(key in item for key in TEXTS):
        raise ImportProblem("needs a content or a text", path=path)
    speaker = _short(item[speaker_key], f"{path}.{speaker_key}")
    text, changed = clean(_text(item[text_key], f"{path}.{text_key}") if text_key else "")
    time_key = _has(item, TIMES)
    at = moment(item[time_key], f"{path}.{time_key}") if time_key else None
    given = item.get("id")
    source = _short(given, f"{path}.id") if given not in (None, "") else str(index + 1)
    return Turn(source, speaker, text, at), changed


def _text(value: Any, path: str) -> str:
    """A text, or the text parts of a list of content blocks; other blocks are not speech."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise ImportProblem("must be text", path=path)
    parts = []
    for index, block in enumerate(value):
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, dict) and isinstance(block.get("text"), str):
            parts.append(block["text"])
        elif not isinstance(block, dict):
            raise ImportProblem("must be text or an object", path=f"{path}[{index}]")
    return "\n".join(parts)


def _short(value: Any, path: str) -> str:
    """A name or id: one line of at most 200 characters. Raises ImportProblem."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ImportProblem("must be text", path=path)
    text = " ".join(clean(str(value))[0].split())
    if not text:
        raise ImportProblem("is empty", path=path)
    if len(text) > LONGEST_NAME:
        message = f"has {len(text)} characters; at most {LONGEST_NAME}"
        raise ImportProblem(message, path=path)
    return text


def _has(item: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if item.get(name) is not None), None)


def _changed(path: str, count: int) -> Problem:
    message = f"{count} characters that cannot be stored were removed or replaced"
    return Problem(message, path, severity="warning")


def _digest(turns: list[Turn]) -> str:
    """A name made of the content, so that the same messages are the same conversation again."""
    digest = hashlib.sha256()
    for turn in turns:
        digest.update(f"{turn.source}\0{turn.speaker}\0{turn.text}\0\n".encode())
    return digest.hexdigest()[:32]
