"""Paths sort as their numbers do, and a subtree is one range."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.tree import path

numbers = st.integers(0, path.HIGHEST)
paths = st.lists(numbers, min_size=1, max_size=6).map(lambda some: ".".join(map(path.label, some)))


@given(numbers, numbers)
def test_labels_sort_as_their_numbers(one: int, other: int) -> None:
    first, second = path.label(one), path.label(other)
    assert (first < second) == (one < other)
    assert path.number(first) == one


@given(paths, paths)
def test_the_range_holds_what_is_below_and_nothing_else(top: str, other: str) -> None:
    low, high = path.prefix_range(top)
    assert (low <= other < high) == path.is_below(other, top)
    assert low <= path.join(top, 7) < high
    assert not low <= top < high


def test_the_way_up() -> None:
    leaf = path.join(path.join(path.join("", 1), 2), 35)
    assert leaf == "000001.000002.00000z"
    assert path.ancestors(leaf) == ["000001", "000001.000002"]
    assert path.parent(leaf) == "000001.000002"
    assert path.depth(leaf) == 3
    assert path.depth("") == 0


def test_a_tree_has_a_bottom() -> None:
    deepest = ".".join([path.label(1)] * path.DEPTH)
    with pytest.raises(path.PathError):
        path.join(deepest, 1)
    with pytest.raises(path.PathError):
        path.label(36**6)
    with pytest.raises(path.PathError):
        path.number("ABCDEF")


def test_a_move_takes_the_subtree_along() -> None:
    assert path.move("000001.000002.000003", "000001.000002", "000009") == "000009.000003"
    with pytest.raises(path.PathError):
        path.move("000001", "000002", "000003")
    deep = ".".join([path.label(1)] * path.DEPTH)
    with pytest.raises(path.PathError):
        path.move(deep, "000001", "000002.000003")
