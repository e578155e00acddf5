"""Does the time of an answer tell hidden from absent? By command, for a quiet machine.

`python -m tests.leaks.timing [--asks 2000]` asks over REST, in turns, for an asset that is
hidden and one that never was, and searches where a hidden near neighbour stands and where none
does. Right: medians within 1 ms, or a Mann-Whitney p above 0.01 in one of two rounds (T018).
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import statistics
import sys
import time
from collections.abc import Callable
from random import Random
from uuid import uuid4

from tests.leaks.database import own_database

NEAR = 1.0  # ms between the medians
UNLIKELY = 0.01


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.leaks.timing")
    parser.add_argument("--asks", type=int, default=2000)
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # every second answer is a 404
    with own_database():
        rounds = [measured(options.asks, seed) for seed in (1, 2)]
    failed = False
    for name in rounds[0]:
        both = [one[name] for one in rounds]
        right = any(one["apart_ms"] <= NEAR or one["p"] > UNLIKELY for one in both)
        failed = failed or not right
        sys.stdout.write(f"{name}: {json.dumps(both)} {'right' if right else 'WRONG'}\n")
    return int(failed)


def measured(asks: int, seed: int) -> dict[str, dict[str, float]]:
    """Both questions, each asked in two ways, in random order."""
    from django.db import transaction
    from django.test import Client

    from assets.services import assets, memories
    from hub import ids
    from tests.world import World

    with transaction.atomic():
        world = World.build()
        alice, client = world.principal(world.alice), Client()
        asset = assets.create_asset(alice, name="diary").id
        memories.remember(alice, text="The heron stands in the reeds.", asset=asset)
        headers = {"Authorization": f"Bearer {world.token(world.bob)}"}

        def read(name: str) -> int:
            return client.get(f"/api/v1/assets/{name}", headers=headers).status_code

        def search(text: str) -> int:
            body = json.dumps({"query": text})
            return client.post(
                "/api/v1/retrieve", data=body, content_type="application/json", headers=headers
            ).status_code

        hidden = ids.public("asset", asset)
        found = {
            "asset hidden or absent": compared(
                lambda: read(hidden), lambda: read(ids.public("asset", uuid4())), asks, seed
            ),
            "search with a hidden neighbour or none": compared(
                lambda: search("heron reeds"), lambda: search("walrus tundra"), asks, seed
            ),
        }
        transaction.set_rollback(True)
    return found


def compared(first: Callable[[], int], second: Callable[[], int], asks: int, seed: int) -> dict[str, float]:
    """Medians in ms, how far they are apart, and how likely chance alone would be."""
    turns = [0, 1] * asks
    Random(seed).shuffle(turns)
    times: tuple[list[float], list[float]] = ([], [])
    for turn in turns:
        begun = time.perf_counter()
        (first, second)[turn]()
        times[turn].append((time.perf_counter() - begun) * 1000)
    medians = [statistics.median(one) for one in times]
    return {
        "first_ms": round(medians[0], 3), "second_ms": round(medians[1], 3),
        "apart_ms": round(abs(medians[0] - medians[1]), 3), "p": round(mann_whitney(*times), 4),
    }  # fmt: skip


def mann_whitney(first: list[float], second: list[float]) -> float:
    """Two-sided p by the normal approximation, for samples of more than twenty without many ties."""
    ranked = sorted([(value, 0) for value in first] + [(value, 1) for value in second])
    ranks = sum(place for place, (_, which) in enumerate(ranked, start=1) if which == 0)
    n, m = len(first), len(second)
    u = ranks - n * (n + 1) / 2
    z = (u - n * m / 2) / math.sqrt(n * m * (n + m + 1) / 12)
    return math.erfc(abs(z) / math.sqrt(2))


if __name__ == "__main__":
    sys.exit(main())
