"""The analyser: text to words and character bigrams, the same for nodes and for queries.

Nothing depends on a text search configuration of the server, so a dump restores anywhere.
Change ANALYSER when the output for any text changes; rows of an older one are indexed again.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import rjieba
import snowballstemmer

from assets.tree.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANALYSER = 2
ORIGINAL = "="  # begins a word as it was written, beside its stem
LONGEST_WORD = 120  # characters; at most four bytes each, far below the 2,046 of a lexeme
LONGEST_LEXEME = 2046  # bytes
LAST_POSITION = 16383
MOST_POSITIONS = 255
LARGEST_VECTOR = 900_000  # bytes; the server refuses a tsvector over 1 MB
MOST_TERMS = 128

# Han, kana, hangul, and the iteration mark and zero that belong to Han text.
CJK = (
    "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs and accents that Python's \w leaves out, so that words keep whole.
MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f"
LETTER = rf"(?:[^\W{CJK}]|[{MARKS}])"
TOKEN = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<number>\d+(?:\.\d+)+)|(?P<word>{LETTER}+(?:['\u2019]{LETTER}+)*)")
PART = re.compile(r"[^\W\d_]+|\d+")
HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
STEMMER = snowballstemmer.stemmer("english")


@dataclass(frozen=True, slots=True)
class Analysed:
    """Words and bigrams in the order of the text, repeats kept. A Latin word whose stem differs
    stands twice, as its stem and, marked, as written; `length` counts it once.
    """

    words: list[str]
    bigrams: list[str]
    length: int


def analyse(text: str) -> Analysed:
    """Split a text for the index. Any string is accepted, lone surrogates and NUL too."""
    words: list[str] = []
    bigrams: list[str] = []
    for found in TOKEN.finditer(unicodedata.normalize("NFKC", text)):
        token = found[0]
        if found.lastgroup == "cjk":
            words += _chinese(token)
            bigrams += _pairs(token)
        elif found.lastgroup == "number":
            words += [token[:LONGEST_WORD], *token.split(".")]
        else:
            words += _latin(token)
    return Analysed(words, bigrams, sum(not word.startswith(ORIGINAL) for word in words))


def query_terms(text: str) -> list[str]:
    """Distinct words to look for, without stop words unless there is nothing else.

    Every row that holds a marked original holds its stem too: `stems` is enough to find rows.
    """
    words = list(dict.fromkeys(analyse(text).words))
    telling = [word for word in words if word.removeprefix(ORIGINAL) not in STOPPED]
    return (telling or words)[:MOST_TERMS]


def stems(terms: Iterable[str]) -> list[str]:
    """The terms without marked originals."""
    return [term for term in terms if not term.startswith(ORIGINAL)]


def query_bigrams(text: str) -> list[str]:
    """Distinct character pairs to look for; empty when the text has no CJK characters."""
    return list(dict.fromkeys(analyse(text).bigrams))[:MOST_TERMS]


def to_tsvector_text(tokens: Sequence[str]) -> str:
    """A literal to be cast with `%s::tsvector`: positions from 1, within the server's limits.

    A vector that would pass the server's size limit keeps the lexemes that come first.
    """
    places: dict[str, list[int]] = {}
    size = 0
    for position, token in enumerate(tokens, start=1):
        lexeme = _clean(token)
        if not lexeme:
            continue
        positions = places.get(lexeme)
        if positions is None:
            size += len(lexeme.encode()) + 8
            if size > LARGEST_VECTOR:
                break
            places[lexeme] = [min(position, LAST_POSITION)]
        elif len(positions) < MOST_POSITIONS and positions[-1] < LAST_POSITION:
            positions.append(min(position, LAST_POSITION))
            size += 2
    return " ".join(
        f"{_quoted(lexeme)}:{','.join(map(str, positions))}" for lexeme, positions in places.items()
    )


def to_tsquery_text(terms: Iterable[str]) -> str:
    """An OR of the terms, to be cast with `%s::tsquery`; empty, matching nothing, for none."""
    lexemes = dict.fromkeys(_clean(term) for term in terms)
    return " | ".join(_quoted(lexeme) for lexeme in lexemes if lexeme)


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(STEMMER.stemWord(word))


def _latin(token: str) -> list[str]:
    """The stem, and the word as written; for an identifier (snake_case, camelCase, a1b2) the
    stems of its parts as well.
    """
    token = token.replace("\u2019", "'")
    plain = token.strip("_").casefold()[:LONGEST_WORD]
    whole = _stem(plain)
    if not whole:
        return []
    found = [whole] if whole == plain else [whole, ORIGINAL + plain]
    if "'" in token or not token.isascii():
        return found
    parts = [part for piece in HUMP.split(token) for part in PART.findall(piece)]
    if len(parts) > 1:
        found += [_stem(part.casefold()[:LONGEST_WORD]) for part in parts]
    return found


def _chinese(run: str) -> list[str]:
    return [word.casefold() for word in rjieba.cut_for_search(run)]


def _pairs(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    return [run[start : start + 2] for start in range(len(run) - 1)]


def _clean(token: str) -> str:
    """Without what the server refuses: NUL, lone surrogates, more bytes than a lexeme may have."""
    plain = token.replace("\0", "").encode("utf-8", "ignore")
    return plain[:LONGEST_LEXEME].decode("utf-8", "ignore").strip()


def _quoted(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


STOPPED = STOP_WORDS | {_stem(word) for word in STOP_WORDS}
