"""Cuts text into the model's pieces: normalise, mark word starts, then the best-scored path.

Plain Python on purpose: cutting is about one per cent of the time of embedding, and a compiled
vocabulary takes five times the memory in every process.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assets.embedding.weights import Weights

MARK = "\u2581"  # begins a word; no piece holds it further inside, so words are cut one by one
UNKNOWN_COSTS = 10.0  # below the worst piece, for each character that no piece holds
SPACES = re.compile(" {2,}")


class Pieces:
    """The vocabulary: text to numbers of pieces. Immutable, safe in threads."""

    def __init__(self, weights: Weights) -> None:
        self._normal = weights.normal
        self._unknown = weights.unknown
        self._scores = weights.scores
        self._numbers = {piece: number for number, piece in enumerate(weights.pieces) if piece}
        self._numbers.pop(weights.pieces[weights.unknown], None)
        self._longest = max(map(len, self._numbers))
        self._unknown_score = min(weights.scores) - UNKNOWN_COSTS

    def cut(self, text: str) -> list[int]:
        """Numbers of the pieces of a text, without the marks of begin and end."""
        normal = SPACES.sub(" ", text.translate(self._normal))
        marked = normal.replace(" ", MARK)
        if not marked.startswith(MARK):
            marked = MARK + marked
        found: list[int] = []
        for word in marked.split(MARK)[1:]:
            found += self._best(MARK + word)
        return found

    def _best(self, word: str) -> list[int]:
        """The path of pieces through one word with the highest sum of scores; the first of equals."""
        numbers, scores = self._numbers, self._scores
        length = len(word)
        best = [-1e30] * (length + 1)
        best[0] = 0.0
        came: list[tuple[int, int]] = [(0, self._unknown)] * (length + 1)
        for start in range(length):
            base = best[start]
            for end in range(start + 1, min(start + self._longest, length) + 1):
                number = numbers.get(word[start:end])
                if number is not None and base + scores[number] > best[end]:
                    best[end] = base + scores[number]
                    came[end] = (start, number)
            if base + self._unknown_score > best[start + 1]:
                best[start + 1] = base + self._unknown_score
                came[start + 1] = (start, self._unknown)
        found: list[int] = []
        at = length
        while at:
            at, number = came[at]
            found.append(number)
        return found[::-1]
