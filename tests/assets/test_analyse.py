"""The analyser: stems, identifiers, Chinese words and pairs, and safe literals."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from assets.tree.analyse import (
    LARGEST_VECTOR,
    LAST_POSITION,
    LONGEST_LEXEME,
    MOST_POSITIONS,
    analyse,
    query_bigrams,
    query_terms,
    stems,
    to_tsquery_text,
    to_tsvector_text,
)

LEXEME = r"'(?:[^'\\]|''|\\\\)+'"
VECTOR = re.compile(rf"({LEXEME}:\d+(,\d+)*)?( {LEXEME}:\d+(,\d+)*)*", re.DOTALL)
QUERY = re.compile(rf"({LEXEME})?( \| {LEXEME})*", re.DOTALL)


def test_an_identifier_is_found_whole_and_by_its_parts() -> None:
    words = analyse("call getUserName and snake_case").words
    assert {"getusernam", "get", "user", "name", "snake", "case"} <= set(words)
    assert query_terms("getusername") == ["getusernam", "=getusername"]


def test_forms_of_a_word_meet() -> None:
    found = analyse("deploying deployments")
    assert set(stems(found.words)) == {"deploy"}
    assert {"=deploying", "=deployments"} <= set(found.words)
    assert found.length == 2
    assert analyse("ＦＵＬＬ ｗｉｄｔｈ").words == ["full", "width"]


def test_chinese_gives_words_and_pairs() -> None:
    found = analyse("北京大学的部署")
    assert "北京大学" in found.words
    assert "北京" in found.words
    assert found.bigrams == ["北京", "京大", "大学", "学的", "的部", "部署"]
    assert analyse("水 and 火").bigrams == ["水", "火"]


@given(st.text(alphabet="北京大学部署机器学习网络", min_size=2, max_size=12), st.data())
def test_any_two_characters_that_occur_are_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 2))
    assert set(query_bigrams(text[start : start + 2])) <= set(analyse(text).bigrams)


def test_stop_words_are_indexed_but_not_asked_for() -> None:
    assert "the" in analyse("the plan").words
    assert query_terms("what is the plan") == ["plan"]
    assert query_terms("who are you") == ["who", "are", "you"]
    assert query_terms("的") == ["的"]


@given(st.text(max_size=200))
def test_every_text_is_found_by_itself(text: str) -> None:
    found = analyse(text)
    assert set(query_terms(text)) <= set(found.words)
    assert found.length == len(stems(found.words))


@given(st.lists(st.text(max_size=12), max_size=30))
def test_literals_are_always_well_formed(tokens: list[str]) -> None:
    assert VECTOR.fullmatch(to_tsvector_text(tokens))
    assert QUERY.fullmatch(to_tsquery_text(tokens))


def test_quotes_backslashes_and_nul_cannot_leave_a_literal() -> None:
    assert to_tsvector_text(["a'b\\c\0"]) == "'a''b\\\\c':1"
    assert to_tsquery_text(["x' | 'y"]) == "'x'' | ''y'"
    assert to_tsquery_text([]) == to_tsvector_text(["", "\0"]) == ""


def test_the_limits_of_the_server_are_kept() -> None:
    often = to_tsvector_text(["a"] * 20_000 + ["b"])
    first, second = often.split(" ")
    assert first.count(",") == MOST_POSITIONS - 1
    assert second == f"'b':{LAST_POSITION}"
    assert len(to_tsvector_text(["长" * 2000]).encode()) < LONGEST_LEXEME + 10
    wide = to_tsvector_text([f"word{number}" for number in range(200_000)])
    assert len(wide.encode()) < 2 * LARGEST_VECTOR
