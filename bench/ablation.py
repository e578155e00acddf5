"""What each arm and each part of the structure adds: one left out at a time, in the same run.

`python -m bench.ablation --locomo FILE --xquad FOLDER --keep FOLDER` on a folder that
`bench.quality --keep` has loaded. Every question is answered by all variants in turn, so that a
busy machine slows all of them alike; the question's vector is made beforehand.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

from bench import scoring, sets
from bench.quality import ITEMS, SPACES
from bench.sets import Question, Right
from hub.embedded import postgres
from hub.embedded.datadir import connect_environment


@dataclass
class Variant:
    """A way of answering: what is set differently while it runs, and what it gave."""

    name: str
    recipe: dict[str, Any] = field(default_factory=dict)
    patches: tuple[tuple[str, Any], ...] = ()
    answers: dict[str, list[str]] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)


def variants() -> list[Variant]:
    def ranks(candidates: Any, _arm: Any) -> dict[Any, float]:
        return {one.node: 60.0 / (60.0 + one.rank) for one in candidates}

    return [
        Variant("as shipped"),
        Variant("without vectors", {"arms": ("words", "time")}),
        Variant("without words", {"dense_weight": 1.0, "dense_weight_uncovered": 1.0}),
        Variant("without named times", {"arms": ("words", "vectors")}),
        Variant("without neighbours", {"neighbour_weight": 0.0}),
        Variant("without session", {"session_weight": 0.0}),
        Variant("without speaker", {"speaker_weight": 0.0}),
        Variant(
            "words and vectors alone", {
                "arms": ("words", "vectors"), "neighbour_weight": 0.0, "session_weight": 0.0,
                "speaker_weight": 0.0,
            },
        ),
        Variant("fixed share of vectors", {"dense_weight_uncovered": 0.4}),
        Variant("ranks instead of scores", patches=(("assets.retrieval.fusion.scaled", ranks),)),
        Variant("without words as written", patches=(("assets.retrieval.bm25.ORIGINAL_PART", 0.0),)),
        Variant("without the weight of nodes", patches=(("assets.retrieval.rank.WEIGHT_PART", 0.0),)),
        Variant("without caps", {"per_author_cap": 1.0, "per_source_cap": 1.0}),
    ]  # fmt: skip


@contextmanager
def set_up(variant: Variant) -> Iterator[None]:
    from assets.retrieval import recipes

    recipe = replace(recipes.BALANCED, **variant.recipe)
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(recipes, "RECIPES", {"balanced": recipe}))
        for name, value in variant.patches:
            stack.enter_context(mock.patch(name, value))
        yield


def answerer(tokens: dict[str, str]) -> Callable[[Question], Callable[[], list[str]]]:
    """From a question to a call that answers it anew each time."""
    from django.utils import timezone

    from assets import scope
    from assets.embedding import engines, store
    from assets.retrieval import pipeline
    from assets.retrieval.types import Budget, Query
    from hub.authn.lookup import principal_for_token

    embedder = engines.default()
    if embedder is None:
        raise SystemExit("no embedding engine loads here: there is nothing to leave out")
    model = store.model_of(embedder)
    principals = {space: principal_for_token(token, "command", "bench") for space, token in tokens.items()}

    def prepare(question: Question) -> Callable[[], list[str]]:
        meaning = pipeline.Meaning(embedder.query(question.text), model)
        query = Query(question.text, budget=Budget(items=ITEMS))
        principal = principals[question.space]
        assert principal is not None

        def answer() -> list[str]:
            with scope.reading(principal) as allowed:
                found = pipeline.run(allowed, query, lambda: meaning, timezone.now())
            return [one.ranked.source for one in found.passages]

        return answer

    return prepare


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.ablation", description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", type=Path, required=True)
    parser.add_argument("--xquad", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    options = parser.parse_args()
    zh, en = (options.xquad / f"xquad.{language}.part.json" for language in ("zh", "en"))
    groups: dict[str, dict[str, Right]] = {
        "locomo": sets.locomo_right(options.locomo),
        "xquad_zh": sets.paragraph_right(zh, zh, "xquad-zh", "zh"),
        "xquad_en_to_zh": sets.paragraph_right(en, zh, "xquad-zh", "en"),
    }
    questions = [
        *sets.locomo_questions(options.locomo),
        *sets.paragraph_questions(zh, "xquad-zh", "zh"),
        *sets.paragraph_questions(en, "xquad-zh", "en"),
    ]
    for name in ("xquad_zh", "xquad_en_to_zh"):  # every third question is enough for a difference of a point
        groups[name] = dict(list(groups[name].items())[::3])
    usable = {question for right in groups.values() for question in right}
    tried = variants()
    with postgres.running(options.keep / "hub"):
        connect_environment(options.keep / "hub")
        os.environ["DJANGO_SETTINGS_MODULE"] = "hub.settings"
        import django

        django.setup()
        prepare = answerer(json.loads((options.keep / SPACES).read_text("utf-8")))
        for question in questions:
            if question.id not in usable:
                continue
            answer = prepare(question)
            answer()  # warm
            for variant in tried:
                with set_up(variant):
                    begun = time.perf_counter()
                    variant.answers[question.id] = answer()
                    if question.id in groups["locomo"]:
                        variant.times.append(1000 * (time.perf_counter() - begun))
    _report(tried, groups)


def _report(tried: list[Variant], groups: dict[str, dict[str, Right]]) -> None:
    rows: dict[str, dict[str, float]] = defaultdict(dict)
    for variant in tried:
        found = {name: scoring.score(variant.answers, right) for name, right in groups.items()}
        rows[variant.name] = {
            "locomo R@5": found["locomo"]["R@5"], "locomo R@10": found["locomo"]["R@10"],
            "locomo MRR": found["locomo"]["MRR"], "xquad zh R@1": found["xquad_zh"]["R@1"],
            "en to zh R@1": found["xquad_en_to_zh"]["R@1"], "en to zh R@5": found["xquad_en_to_zh"]["R@5"],
            "ms": round(median(variant.times), 1),
        }  # fmt: skip
    shipped = rows[tried[0].name]
    print("| variant | " + " | ".join(shipped) + " |\n|---|" + "---|" * len(shipped))
    for name, row in rows.items():
        cells = [
            f"{value:.1f}" if row is shipped else f"{value:.1f} ({value - shipped[key]:+.1f})"
            for key, value in row.items()
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
