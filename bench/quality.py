"""Is the right passage among the first? Public question sets, asked over REST of a whole hub.

`python -m bench.quality --locomo FILE --xquad FOLDER --cmrc FILE [--lexical-only] [--keep FOLDER]`

Each dialogue or set is a space of its own, which one agent carries. The questions go to a file
without answer and category before the hub starts; the scores are made afterwards from the
original. The last line is one JSON object; LoCoMo's figures are its upper level.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import scoring, sets
from bench.running import Hub, running
from bench.sets import Question

ITEMS = 50
SPACES = "spaces.json"  # in the kept folder: agent tokens of spaces that are loaded already


def main() -> None:
    options = _options()
    folder = options.keep or Path(tempfile.mkdtemp(prefix="hub-quality-"))
    folder.mkdir(parents=True, exist_ok=True)
    asked = folder / "questions.json"
    asked.write_text(json.dumps([dataclasses.asdict(one) for one in _questions(options)]), "utf-8")
    runs = {"words only": True} if options.lexical_only else {"with vectors": False, "words only": True}
    answers: dict[str, dict[str, list[str]]] = {}
    for name, words_only in runs.items():
        with running(folder / "hub", words_only=words_only) as hub:
            tokens = _load(hub, options, folder / SPACES)
            if not words_only:
                print(f"vectors complete after {hub.wait_for_vectors():.0f} s more", flush=True)
            answers[name] = _ask(hub, asked, tokens, name)
    found = {name: _scores(options, some) for name, some in answers.items()}
    for name, some in found.items():
        print(f"\n{name}\n{_table(some)}")
    first, *others = found.values()
    last = first.pop("locomo", {}) | first
    if others:
        last["lexical_only"] = others[0].pop("locomo", {}) | others[0]
    print(json.dumps(last))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.quality", description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", type=Path, help="locomo5.json")
    parser.add_argument("--xquad", type=Path, help="folder of xquad.zh.part.json and xquad.en.part.json")
    parser.add_argument("--cmrc", type=Path, help="cmrc2018_dev_part.json")
    parser.add_argument("--lexical-only", action="store_true", help="only the run without any engine")
    parser.add_argument("--keep", type=Path, help="keep the loaded hub here, and use it again")
    options = parser.parse_args()
    if not (options.locomo or options.xquad or options.cmrc):
        parser.error("name at least one set: --locomo, --xquad or --cmrc")
    return options


def _xquad(options: argparse.Namespace, language: str) -> Path:
    file: Path = options.xquad / f"xquad.{language}.part.json"
    return file


def _questions(options: argparse.Namespace) -> list[Question]:
    found: list[Question] = []
    if options.locomo:
        found += sets.locomo_questions(options.locomo)
    if options.xquad:
        found += sets.paragraph_questions(_xquad(options, "zh"), "xquad-zh", "zh")
        found += sets.paragraph_questions(_xquad(options, "en"), "xquad-zh", "en")
    if options.cmrc:
        found += sets.paragraph_questions(options.cmrc, "cmrc", "zh")
    return found


def _load(hub: Hub, options: argparse.Namespace, file: Path) -> dict[str, str]:
    """Token by space; what an earlier run loaded into the kept folder stays."""
    tokens: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    wanted: dict[str, Path] = {}
    if options.locomo:
        wanted |= dict.fromkeys(sets.locomo_samples(options.locomo), options.locomo)
    if options.xquad:
        wanted["xquad-zh"] = _xquad(options, "zh")
    if options.cmrc:
        wanted["cmrc"] = options.cmrc
    for space, source in wanted.items():
        if space in tokens:
            continue
        begun = time.monotonic()
        load = _dialogue if source == options.locomo else _passages
        tokens[space] = load(hub, space, source)
        file.write_text(json.dumps(tokens), "utf-8")
        print(f"{space} stored in {time.monotonic() - begun:.0f} s", flush=True)
    return tokens


def _dialogue(hub: Hub, sample: str, file: Path) -> str:
    """Alice imports one dialogue and binds it to an agent of its own."""
    alice = hub.person("alice")
    dialogue = next(one for one in json.loads(file.read_text("utf-8")) if one["sample_id"] == sample)
    body = {"text": json.dumps(dialogue), "format": "locomo", "name": sample}
    job = hub.wait_for_job(hub.call("POST", "/imports", alice, body)["id"], alice)
    if job["state"] != "done":
        raise RuntimeError(str(job))
    agent, token = hub.agent(f"bench-{sample}")
    hub.call("POST", "/bindings", alice, {"asset": job["asset"], "agent": agent, "reason": "bench"})
    return token


def _passages(hub: Hub, space: str, file: Path) -> str:
    """An agent remembers each paragraph in its own memory."""
    _, token = hub.agent(f"bench-{space}")
    for source, text in sets.paragraphs(file).items():
        hub.call("POST", "/remember", token, {"text": text, "kind": "fact", "source": source})
    return token


def _ask(hub: Hub, asked: Path, tokens: dict[str, str], name: str) -> dict[str, list[str]]:
    questions = [Question(**one) for one in json.loads(asked.read_text("utf-8"))]
    found: dict[str, list[str]] = {}
    begun = time.monotonic()
    for one in questions:
        body = {"query": one.text, "budget": {"items": ITEMS}}
        answer = hub.call("POST", "/retrieve", tokens[one.space], body)
        found[one.id] = [item["source"] for item in answer["items"]]
    seconds = time.monotonic() - begun
    print(f"{name}: {len(questions)} questions, {1000 * seconds / len(questions):.0f} ms each", flush=True)
    return found


def _scores(options: argparse.Namespace, answers: dict[str, list[str]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if options.locomo:
        found["locomo"] = scoring.score(answers, sets.locomo_right(options.locomo))
    zh = en = None
    if options.xquad:
        zh, en = _xquad(options, "zh"), _xquad(options, "en")
        found["xquad_zh"] = scoring.score(answers, sets.paragraph_right(zh, zh, "xquad-zh", "zh"))
        found["xquad_en_to_zh"] = scoring.score(answers, sets.paragraph_right(en, zh, "xquad-zh", "en"))
    if options.cmrc:
        right = sets.paragraph_right(options.cmrc, options.cmrc, "cmrc", "zh")
        found["cmrc"] = scoring.score(answers, right)
    return found


def _table(scores: dict[str, Any]) -> str:
    lines = [f"{'set':<16}{'n':>6}" + "".join(f"{name:>8}" for name in ("R@1", "R@5", "R@10", "R@50", "MRR"))]

    def line(name: str, one: dict[str, Any]) -> str:
        return f"{name:<16}{one['n']:>6}" + "".join(
            f"{one[key]:>8.1f}" for key in ("R@1", "R@5", "R@10", "R@50", "MRR")
        )

    for name, one in scores.items():
        lines.append(line(name, one))
        lines += [line(f"  {category}", some) for category, some in one.get("by_category", {}).items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
