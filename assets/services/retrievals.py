"""The main job: a question, answered from what the asker may see and carries."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from assets import scope
from assets.retrieval import compose, pipeline, recipes
from assets.retrieval.compose import Language
from assets.retrieval.types import DEFAULT_TOKENS, Answer, Budget, Filters, Query, Tags
from assets.services import questions
from hub import audit, ids
from hub.authn.principal import READ, Principal
from hub.problems import Forbidden, Invalid

LONGEST_QUESTION = 4_000
MOST_TOKENS = 100_000  # of one answer


def retrieve(
    principal: Principal,
    query: Query,
    *,
    viewer: Principal | None = None,
    language: Language = "en",
) -> Answer:
    """Answer within the principal's scope, in one snapshot with its audit event.

    With a `viewer` the scope is intersected with the viewer's own, and the viewer is the one
    on record. The trace holds the public id of the retrieval. Raises Invalid.
    """
    if READ not in principal.actions and not principal.is_stranger:
        raise Forbidden("This token may not read.")
    if len(query.text) > LONGEST_QUESTION or "\x00" in query.text:
        raise Invalid(fields={"query": f"at most {LONGEST_QUESTION} characters, no NUL"})
    if query.recipe not in recipes.RECIPES:
        raise Invalid(fields={"recipe": f"one of {', '.join(recipes.RECIPES)}"})
    meaning = questions.begin(principal, query.text)
    retrieval = uuid4()
    with scope.reading(principal, within=viewer) as allowed:
        answer = pipeline.run(allowed, query, meaning, timezone.now(), language)
        audit.record(
            viewer or principal, "retrieve", target=f"ret_{retrieval.hex}",
            payload=_payload(principal, query, answer, viewer),
        )  # fmt: skip
    return replace(answer, trace={**answer.trace, "retrieval": f"ret_{retrieval.hex}"})


def question(values: dict[str, Any]) -> Query:
    """What a door has read and checked, as a query; ids are UUIDs, times aware.

    Raises Invalid for an empty budget.
    """
    given = values.get("filters", {})
    tags = given.get("tags", {})
    filters = Filters(
        kind=tuple(given.get("kind", ())), node_kind=tuple(given.get("node_kind", ())),
        asset=tuple(given.get("asset", ())), tier=tuple(given.get("tier", ())),
        tags=Tags(*(tuple(tags.get(name, ())) for name in ("any", "all", "none"))),
        subject=given.get("subject"), from_=given.get("from"), to=given.get("to"),
        as_of=given.get("as_of"), min_trust=given.get("min_trust"),
        state=tuple(given.get("state", ("live",))),
    )  # fmt: skip
    try:
        limits = values.get("budget", {})
        if limits.keys() == {"shares"}:
            limits = limits | {"tokens": DEFAULT_TOKENS}
        budget = Budget(**limits) if limits else Query("").budget
        return Query(
            values["query"], budget=budget, filters=filters, recipe=values["recipe"],
            order=values["order"], trace=values["trace"],
        )  # fmt: skip
    except ValueError as error:
        raise Invalid(str(error)) from error


def shape(answer: Answer, query: Query) -> dict[str, Any]:
    """The answer as REST and MCP give it."""
    now = timezone.now()
    trace = dict(answer.trace)
    found: dict[str, Any] = {
        "retrieval": trace.pop("retrieval"),
        "context": answer.context,
        "tokens": {"used": answer.tokens_used, "budget": query.budget.tokens, "about": True},
        "items": [
            {
                "node": ids.public("node", one.ranked.ident),
                "asset": ids.public("asset", one.ranked.asset),
                "version": one.ranked.version, "kind": one.ranked.node_kind,
                "title": one.ranked.title or one.ranked.asset_title, "text": one.text,
                "score": round(one.ranked.score, 4), "weight": round(one.ranked.weight, 4),
                "age": compose.age(one.ranked.happened_at, now),
                "occurred_at": one.ranked.occurred_at, "source": one.ranked.source,
                "trust": one.ranked.trust, "shortened": one.shortened,
                "why": [
                    {"arm": why.arm, "rank": why.rank, "score": round(why.score, 4)}
                    for why in one.ranked.why
                ],
            }
            for one in answer.passages
        ],
        "left_out": [
            {"node": ids.public("node", one.node), "title": one.title, "tokens": one.tokens, "because": one.because}
            for one in answer.left_out
        ],
        "notes": list(answer.notes),
    }  # fmt: skip
    if query.trace:
        found["trace"] = trace
    return found


def _payload(
    principal: Principal, query: Query, answer: Answer, viewer: Principal | None
) -> dict[str, object]:
    asked_as: UUID | None = (principal.agent or principal.user) if viewer is not None else None
    return {
        "items": [
            [str(one.ranked.ident), str(one.ranked.asset), one.ranked.version, rank]
            for rank, one in enumerate(answer.passages, start=1)
        ],
        "query": hashlib.sha256(query.text.encode()).hexdigest(),
        "rendered": hashlib.sha256(answer.context.encode()).hexdigest(),
        "recipe": query.recipe,
        "as": str(asked_as) if asked_as else None,
    }
