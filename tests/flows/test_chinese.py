"""Chinese without a dictionary of the domain: any two characters that occur are found."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from assets.retrieval.types import Budget, Query
from assets.services import memories, retrievals
from tests.world import World

RUN = re.compile(r"[\u4e00-\u9fff]{2,}")


@pytest.mark.django_db(transaction=True)
def test_no_two_characters_that_occur_give_an_empty_answer(
    world: World, test_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """60 real paragraphs, 300 pairs drawn from them with a fixed seed, words only; the pairs
    cross the borders of words as often as chance has it.
    """
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    alice = world.principal(world.alice)
    articles = json.loads((test_data / "cmrc2018" / "cmrc2018_dev_part.json").read_text("utf-8"))["data"]
    texts = [articles[number]["paragraphs"][0]["context"] for number in range(60)]
    for text in texts:
        memories.remember(alice, text=text, kind="fact")
    draw = random.Random(20)
    pairs: set[str] = set()
    while len(pairs) < 300:
        run = draw.choice(RUN.findall(draw.choice(texts)))
        start = draw.randrange(len(run) - 1)
        pairs.add(run[start : start + 2])
    for pair in sorted(pairs):
        found = retrievals.retrieve(alice, Query(pair, budget=Budget(items=10))).passages
        assert any(pair in one.ranked.text for one in found), pair
