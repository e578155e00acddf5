"""Recall and mean reciprocal rank, in per cent, of the sources that came back."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.sets import Right

AT = (1, 5, 10, 50)


def score(answers: Mapping[str, Sequence[str]], right: Mapping[str, Right]) -> dict[str, Any]:
    """{"R@1", "R@5", "R@10", "R@50", "MRR", "n", "by_category"} over the questions of `right`.

    recall@k = |right sources in the first k| / |right sources|, averaged over questions;
    MRR = mean of 1 / rank of the first right source, 0 where none came. Raises KeyError when a
    question was not asked.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for question, one in right.items():
        groups[one.category].append(question)
    total = _mean(list(right), answers, right)
    by_category = {
        name: _mean(questions, answers, right) for name, questions in sorted(groups.items()) if name
    }
    return total | ({"by_category": by_category} if by_category else {})


def _mean(
    questions: Sequence[str], answers: Mapping[str, Sequence[str]], right: Mapping[str, Right]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for k in AT:
        found[f"R@{k}"] = _percent(
            [len(right[one].sources & set(answers[one][:k])) / len(right[one].sources) for one in questions]
        )
    found["MRR"] = _percent([_reciprocal(answers[one], right[one].sources) for one in questions])
    return found | {"n": len(questions)}


def _reciprocal(answer: Sequence[str], right: frozenset[str]) -> float:
    return next((1.0 / rank for rank, source in enumerate(answer, start=1) if source in right), 0.0)


def _percent(values: Sequence[float]) -> float:
    return round(100.0 * fmean(values), 2)
