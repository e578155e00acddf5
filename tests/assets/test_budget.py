"""Budget: nothing over it, big items shortened, small ones still come in, all accounted for."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.retrieval import budget
from assets.retrieval.types import Budget, Ranked
from tests.assets.items import item


def block(number: int, one: Ranked, text: str) -> str:
    return f"[{number}] {one.title}\n{text}"


def test_tokens_are_about_four_bytes_or_one_character() -> None:
    assert budget.estimate_tokens("") == 0
    assert budget.estimate_tokens("abcd" * 10) == 10
    assert budget.estimate_tokens("部署失败") == 4
    assert budget.estimate_tokens("部署 abcd") == 2 + 2
    assert budget.estimate_tokens("é" * 4) == 2


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_whole_never_costs_more_than_its_parts(one: str, other: str) -> None:
    parts = budget.estimate_tokens(one) + budget.estimate_tokens(other)
    assert budget.estimate_tokens(one + other) <= parts


texts = st.lists(st.one_of(st.text(max_size=40), st.integers(0, 900).map("word ".__mul__)), max_size=8)


@given(texts, st.integers(1, 300), st.integers(1, 900), st.integers(1, 6))
def test_no_limit_is_passed_and_nothing_vanishes(
    given_texts: list[str], tokens: int, chars: int, items: int
) -> None:
    ranked = [item(number, text=text) for number, text in enumerate(given_texts)]
    fitted = budget.fit(ranked, Budget(tokens, chars, items), block, "now")
    rendered = "\n\n".join(
        ["now", *(block(n, one.ranked, one.text) for n, one in enumerate(fitted.passages, 1))]
    )
    if fitted.passages:
        assert budget.estimate_tokens(rendered) <= fitted.tokens_used <= tokens
        assert len(rendered) <= chars
    assert len(fitted.passages) <= items
    assert len(fitted.passages) + len(fitted.left_out) == len(ranked)


def test_a_big_item_is_shortened_and_the_rest_goes_on() -> None:
    big = item(1, text="One sentence of it. " * 400)
    fitted = budget.fit([big, item(2), item(3)], Budget(tokens=200), block)
    assert [one.ranked.ident.int for one in fitted.passages] == [1, 2, 3]
    assert [one.shortened for one in fitted.passages] == [True, False, False]
    assert fitted.passages[0].text.endswith("it. …")


def test_what_does_not_fit_is_skipped_with_its_reason() -> None:
    wide = item(1, title="t" * 500)
    fitted = budget.fit([wide, item(2)], Budget(tokens=40), block)
    assert [one.ranked.ident.int for one in fitted.passages] == [2]
    assert "does not fit" in fitted.left_out[0].because
    counted = budget.fit([item(1), item(2)], Budget(items=1), block)
    assert counted.left_out[0].because == "more than the 1 items asked for"


@given(st.text(max_size=200), st.integers(0, 220))
def test_a_cut_is_short_enough_and_a_beginning(text: str, most: int) -> None:
    short = budget.cut(text, most)
    assert len(short) <= max(most, 0) or len(text) <= most
    assert text.startswith(short.removesuffix(budget.ELLIPSIS).rstrip()) or short == text


def test_a_cut_parts_no_accent_and_no_joined_emoji() -> None:
    assert budget.cut("e\u0301" * 20, 9).removesuffix(budget.ELLIPSIS).endswith("e\u0301")
    family = "👩\u200d👩\u200d👧"
    assert not budget.cut(family * 9, 10).removesuffix(budget.ELLIPSIS).endswith("\u200d")


def test_a_budget_names_something() -> None:
    with pytest.raises(ValueError, match="names tokens"):
        Budget()
    with pytest.raises(ValueError, match="at least 1"):
        Budget(tokens=0)


def test_a_kind_over_its_share_waits_for_the_others() -> None:
    wiki = [item(number, text="word " * 40, asset_kind="wiki") for number in range(1, 5)]
    memory = [item(number, text="word " * 40) for number in range(5, 9)]
    fitted = budget.fit([*wiki, *memory], Budget(tokens=300, shares={"wiki": 0.4}), block)
    kinds = [one.ranked.asset_kind for one in fitted.passages]
    assert kinds[:5] == ["wiki", "wiki", "chat_memory", "chat_memory", "chat_memory"]
    assert kinds.count("wiki") == 2
    assert "share of wiki, 40%" in fitted.left_out[0].because


def test_what_others_leave_is_given_to_those_who_waited() -> None:
    wiki = [item(number, text="word " * 40, asset_kind="wiki") for number in range(1, 5)]
    fitted = budget.fit(wiki, Budget(items=4, shares={"wiki": 0.25}), block)
    assert [one.ranked.ident.int for one in fitted.passages] == [1, 2, 3, 4]


def test_the_share_of_a_binding_holds_its_asset_back() -> None:
    bound = [item(number, asset=UUID(int=7), share=0.5) for number in range(1, 5)]
    other = [item(number, asset=UUID(int=8)) for number in range(5, 7)]
    fitted = budget.fit([*bound, *other], Budget(items=4), block)
    assert [one.ranked.ident.int for one in fitted.passages] == [1, 2, 5, 6]
    assert {one.because for one in fitted.left_out} == {"over the share of its binding, 50% of the budget"}
