"""Packs ranked items into a budget: what is too big is shortened or skipped, the rest goes on."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from assets.retrieval.types import Budget, LeftOut, Passage, Ranked

BYTES_A_TOKEN = 4
LARGEST_SHARE = 0.5  # of the budget that one item may take while others wait
LEAST_SHORT = 40  # characters; a shorter remainder tells nothing
ELLIPSIS = " …"
CJK = re.compile(
    "[\u2e80-\u303f\u3040-\u30ff\u3100-\u31ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？；\n]")
JOINERS = "\u200d\ufe0e\ufe0f"

Block = Callable[[int, Ranked, str], str]  # number from 1, item, its text -> what is rendered


@dataclass(frozen=True, slots=True)
class Fitted:
    """The outcome: passages in rank order, what was left out, tokens used (about)."""

    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...]
    tokens_used: int


def estimate_tokens(text: str) -> int:
    """About how many tokens: one per CJK character, one per four bytes of the rest."""
    cjk = len(CJK.findall(text))
    if not cjk:
        size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        return -(-size // BYTES_A_TOKEN)
    rest = CJK.sub("", text)
    return cjk + -(-len(rest.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def fit(ranked: Sequence[Ranked], budget: Budget, block: Block, opening: str = "") -> Fitted:
    """Choose in rank order. `block` renders an item, so that headings count as well, and
    `opening` stands before them; each block is followed by an empty line.

    An item over the share of its kind or binding waits: what is left at the end is its.
    """
    room = _Room(budget)
    room.take(opening)
    passages: dict[int, Passage] = {}
    left_out: dict[int, LeftOut] = {}
    waiting = dict(enumerate(ranked))
    for keeps_shares in (True, False):
        for place, one in list(waiting.items()):
            if budget.items is not None and len(passages) >= budget.items:
                left_out.setdefault(place, _left(one, f"more than the {budget.items} items asked for"))
                continue
            over = room.over_share(one) if keeps_shares else ""
            if over:
                left_out[place] = _left(one, over)
                continue
            others = len(waiting) > 1 and budget.items != 1
            passage = _placed(one, len(passages) + 1, block, room, LARGEST_SHARE if others else 1.0)
            if passage is None:
                left_out.setdefault(place, _left(one, "does not fit in what is left of the budget"))
            else:
                passages[place] = passage
                room.count(passage)
                left_out.pop(place, None)
            del waiting[place]
    return Fitted(
        tuple(passages[place] for place in sorted(passages)),
        tuple(left_out[place] for place in sorted(left_out)),
        room.tokens,
    )


def _placed(one: Ranked, number: int, block: Block, room: _Room, share: float) -> Passage | None:
    """The item as it fits, shortened where it must be; None where too little would be left."""
    text = one.text
    if room.is_full():
        return None
    rendered = block(number, one, text)
    if not room.holds(rendered, share):
        text = _shortened(one, number, block, room, share)
        if not text:
            return None
        rendered = block(number, one, text)
    return Passage(one, text, room.take(rendered), shortened=text != one.text)


def cut(text: str, most: int) -> str:
    """At most `most` characters, ended at a sentence or word and never inside a joined sign."""
    if len(text) <= most:
        return text
    most = max(0, most - len(ELLIPSIS))
    ends = [found.end() for found in SENTENCE_END.finditer(text, 0, most + 1) if found.end() <= most]
    if ends and ends[-1] >= most * 0.6:
        return text[: ends[-1]].rstrip() + ELLIPSIS
    space = text.rfind(" ", int(most * 0.7), most)
    end = space if space > 0 else most
    while end > 0 and _joins(text, end):
        end -= 1
    return text[:end].rstrip() + ELLIPSIS if end else ""


class _Room:
    """What is left of a budget, in each of its units, and who took what of it."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.tokens = 0
        self.chars = 0
        self._used: defaultdict[UUID | str, float] = defaultdict(
            float
        )  # part of the budget, by kind and by asset

    def is_full(self) -> bool:
        """Is there not even room for the shortest cut without its heading?"""
        return self._characters_left() < LEAST_SHORT

    def _characters_left(self) -> int:
        """At most so many characters come in yet; CJK ones are fewer."""
        left = []
        if self.budget.tokens is not None:
            left.append((self.budget.tokens - self.tokens) * BYTES_A_TOKEN)
        if self.budget.chars is not None:
            left.append(self.budget.chars - self.chars)
        return min(left, default=LEAST_SHORT)

    def longest(self, length: int) -> int:
        """Of a text of `length`, what may come in at all."""
        limited = self.budget.tokens is not None or self.budget.chars is not None
        return min(length, self._characters_left()) if limited else length

    def holds(self, rendered: str, share: float) -> bool:
        tokens, chars = _cost(rendered)
        limit_tokens, limit_chars = self.budget.tokens, self.budget.chars
        if limit_tokens is not None and tokens > min(limit_tokens - self.tokens, limit_tokens * share):
            return False
        return limit_chars is None or chars <= min(limit_chars - self.chars, limit_chars * share)

    def over_share(self, one: Ranked) -> str:
        """Why the item must wait for the others, or nothing."""
        of_kind = self.budget.shares.get(one.asset_kind)
        if of_kind is not None and self._used[one.asset_kind] + self._part(one) > of_kind:
            return f"over the share of {one.asset_kind}, {of_kind:.0%} of the budget"
        if one.share is not None and self._used[one.asset] + self._part(one) > one.share:
            return f"over the share of its binding, {one.share:.0%} of the budget"
        return ""

    def count(self, passage: Passage) -> None:
        part = self._part(passage.ranked, passage.text)
        self._used[passage.ranked.asset_kind] += part
        self._used[passage.ranked.asset] += part

    def _part(self, one: Ranked, text: str | None = None) -> float:
        """The part of the tightest limit that the text takes, 0 to 1."""
        text = one.text if text is None else text
        parts = [0.0]
        if self.budget.tokens is not None:
            parts.append(estimate_tokens(text) / self.budget.tokens)
        if self.budget.chars is not None:
            parts.append(len(text) / self.budget.chars)
        if self.budget.items is not None:
            parts.append(1 / self.budget.items)
        return min(max(parts), 1.0)

    def take(self, rendered: str) -> int:
        tokens, chars = _cost(rendered)
        self.tokens += tokens
        self.chars += chars
        return tokens


def _cost(rendered: str) -> tuple[int, int]:
    """Tokens and characters with the empty line that follows."""
    if not rendered:
        return 0, 0
    return estimate_tokens(rendered + "\n\n"), len(rendered) + 2


def _shortened(one: Ranked, number: int, block: Block, room: _Room, share: float) -> str:
    """The longest cut that fits, by halving; empty when too little would be left."""
    if not room.holds(block(number, one, cut(one.text, LEAST_SHORT)), share):
        return ""
    low, high = LEAST_SHORT, room.longest(len(one.text))
    while high - low > 1:
        middle = (low + high) // 2
        if room.holds(block(number, one, cut(one.text, middle)), share):
            low = middle
        else:
            high = middle
    text = cut(one.text, low)
    return text if len(text) >= LEAST_SHORT else ""


def _joins(text: str, end: int) -> bool:
    """Would a cut here part a base character from its marks, or two halves of an emoji?"""
    after, before = text[end : end + 1], text[end - 1]
    if after and (unicodedata.combining(after) or after in JOINERS or "\U0001f3fb" <= after <= "\U0001f3ff"):
        return True
    return before == "\u200d"


def _left(one: Ranked, because: str) -> LeftOut:
    return LeftOut(one.ident, one.title, estimate_tokens(one.text), because)
