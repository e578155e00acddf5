"""Tells a file's format by its content, and reads it with the right importer."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from assets.importers import locomo, messages, text
from assets.importers.types import Imported, ImportProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MATCHES: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {locomo.FORMAT: locomo.matches, messages.FORMAT: messages.matches}
)
FORMATS = tuple(MATCHES)


def guess(payload: bytes, name: str = "") -> str:
    """The name of the format: "locomo" or "messages". Raises ImportProblem when it is none."""
    return _format(text.parse(text.decode(payload)), name)


def read(
    payload: bytes, name: str = "", format: str | None = None, sample: str | int | None = None
) -> Imported:
    """Read a payload; `format` None guesses, `sample` picks one dialogue of a LoCoMo list.

    Raises ImportProblem that names the field or line.
    """
    value = text.parse(text.decode(payload))
    chosen = format or _format(value, name)
    if chosen == locomo.FORMAT:
        return locomo.read(value, name, sample)
    if chosen == messages.FORMAT:
        return messages.read(value, name)
    message = f"unknown format {chosen[:40]!r}; known are {', '.join(FORMATS)}"
    raise ImportProblem(message, path="format")


def _format(value: Any, name: str) -> str:
    for known, matches in MATCHES.items():
        if matches(value):
            return known
    shown = f" in {name[:100]}" if name else ""
    message = f"no known format{shown}; expected LoCoMo sessions or a list of messages"
    raise ImportProblem(message)
