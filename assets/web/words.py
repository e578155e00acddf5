"""Small helpers of the pages: what a refusal says, and a command that can be copied safely."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping

from assets.templatetags.labels import label
from hub.problems import Problem

KINDS = ("chat_memory", "skill", "wiki", "code_graph")


def said(problem: Problem) -> str:
    """The refusal in the page's language, with what is wrong with each field."""
    wrong = "; ".join(f"{label(name)}: {label(text)}" for name, text in problem.fields.items())
    return f"{label(problem.detail)} {wrong}".strip()


def filled(fixed: str, gaps: Mapping[str, object], named: Callable[[str], str]) -> str:
    """A fixed sentence in the page's language, with names in the place of ids."""
    return label(fixed) % {name: named(label(value) or "–") for name, value in gaps.items()}


def curl(base_url: str, text: str, tokens: int) -> str:
    """The same question over REST, quoted for a shell whatever the question holds."""
    body = json.dumps({"query": text, "budget": {"tokens": tokens}}, ensure_ascii=False)
    return (
        f'curl -s {shlex.quote(base_url + "/api/v1/retrieve")} -H "Authorization: Bearer $TOKEN" '
        f'-H "Content-Type: application/json" -d {shlex.quote(body)}'
    )
