"""What importers read: conversations of turns, and problems that name the field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class ImportProblem(ValueError):
    """The payload cannot be read at all. `path` names the field, `line` the line if known."""

    def __init__(self, message: str, *, path: str = "", line: int | None = None) -> None:
        place = path or (f"line {line}" if line is not None else "")
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.path = path
        self.line = line


@dataclass(frozen=True, slots=True)
class Problem:
    """One item that was skipped or changed while reading; the rest of the file goes on."""

    message: str
    path: str = ""
    line: int | None = None
    severity: str = "error"  # error: the item is left out; warning: it came in


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `source` is its id inside the conversation, unique there."""

    source: str
    speaker: str
    text: str
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in their order. `source` is unique in the file and lasts over imports."""

    source: str
    title: str
    started_at: datetime | None
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """All that one file held. read = turns + empty + skipped, so that counts add up."""

    format: str
    conversations: tuple[Conversation, ...]
    problems: tuple[Problem, ...] = ()
    read: int = 0
    empty: int = 0
    skipped: int = 0

    @property
    def turns(self) -> int:
        return sum(len(conversation.turns) for conversation in self.conversations)
