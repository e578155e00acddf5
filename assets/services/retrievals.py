"""The main job: a question, answered from what the asker may see and carries."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from uuid import UUID, uuid4

from django.utils import timezone

from assets import scope
from assets.retrieval import pipeline, recipes
from assets.retrieval.compose import Language
from assets.retrieval.types import Answer, Query
from assets.services import questions
from hub import audit
from hub.authn.principal import READ, Principal
from hub.problems import Forbidden, Invalid

LONGEST_QUESTION = 4_000


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
