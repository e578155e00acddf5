"""/retrieve: the main job."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.retrieval import compose
from assets.retrieval.types import DEFAULT_TOKENS, KINDS, STATES, TIERS, Answer, Budget, Filters, Query, Tags
from assets.services import retrievals
from assets.tree.weight import IMPORTANCE
from hub import ids
from hub.api.base import HubView, PublicId, Strict
from hub.policy import Policy
from hub.problems import Invalid

MOST_TOKENS = 100_000


def words(length: int = 60) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=length), required=False, max_length=50
    )


def share() -> serializers.FloatField:
    return serializers.FloatField(min_value=0, max_value=1, required=False)


class SharesIn(Strict):
    """The part of the budget that a kind of asset may take while others have something to say."""

    chat_memory = share()
    skill = share()
    wiki = share()
    code_graph = share()


class BudgetIn(Strict):
    tokens = serializers.IntegerField(min_value=1, max_value=MOST_TOKENS, required=False)
    chars = serializers.IntegerField(min_value=1, max_value=4 * MOST_TOKENS, required=False)
    items = serializers.IntegerField(min_value=1, max_value=200, required=False)
    shares = SharesIn(required=False)


class TagsIn(Strict):
    any = words()
    all = words()
    none = words()


def some_of(*allowed: str) -> serializers.ListField:
    """A list of words of a closed set; another word is refused with the set."""
    child = serializers.ChoiceField(
        allowed, error_messages={"invalid_choice": f"one of {', '.join(allowed)}"}
    )
    return serializers.ListField(child=child, required=False, max_length=50)


class FiltersIn(Strict):
    kind = some_of(*KINDS)
    node_kind = some_of(*sorted(IMPORTANCE))
    asset = serializers.ListField(child=PublicId("asset"), required=False, max_length=200)
    tier = some_of(*TIERS)
    tags = TagsIn(required=False)
    subject = serializers.CharField(required=False, max_length=200)
    to = serializers.DateTimeField(required=False)
    as_of = serializers.DateTimeField(required=False)
    min_trust = serializers.FloatField(required=False, min_value=0, max_value=1)
    state = some_of(*STATES)

    def get_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().get_fields()
        fields["from"] = serializers.DateTimeField(required=False)
        return fields

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        start, end = attrs.get("from"), attrs.get("to")
        if start and end and start > end:
            raise serializers.ValidationError({"from": "is after `to`"})
        return attrs


class RetrieveIn(Strict):
    query = serializers.CharField(max_length=4000, allow_blank=True)
    budget = BudgetIn(required=False)
    filters = FiltersIn(required=False)
    recipe = serializers.CharField(required=False, max_length=20, default="balanced")
    order = serializers.ChoiceField(["rank", "time", "tree"], default="rank")
    trace = serializers.BooleanField(default=False)


class WhyOut(serializers.Serializer[Any]):
    arm = serializers.CharField()
    rank = serializers.IntegerField()
    score = serializers.FloatField()


class ItemOut(serializers.Serializer[Any]):
    node = serializers.CharField()
    asset = serializers.CharField()
    version = serializers.IntegerField()
    kind = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField()
    score = serializers.FloatField()
    weight = serializers.FloatField()
    age = serializers.CharField()
    occurred_at = serializers.DateTimeField(allow_null=True)
    source = serializers.CharField()  # type: ignore[assignment]
    trust = serializers.FloatField()
    why = WhyOut(many=True)
    shortened = serializers.BooleanField()


class LeftOutOut(serializers.Serializer[Any]):
    node = serializers.CharField()
    title = serializers.CharField()
    tokens = serializers.IntegerField()
    because = serializers.CharField()


class AnswerOut(serializers.Serializer[Any]):
    retrieval = serializers.CharField()
    context = serializers.CharField()  # type: ignore[assignment]
    tokens = serializers.DictField()
    items = ItemOut(many=True)
    left_out = LeftOutOut(many=True)
    notes = serializers.ListField(child=serializers.CharField())
    trace = serializers.DictField(required=False)


class RetrieveView(HubView):
    policy = Policy("retrieve", "token", "read", "retrieve", "search")

    @extend_schema(request=RetrieveIn, responses={200: AnswerOut})
    def post(self, request: Request) -> Response:
        """Answer a question from what you may see and carry, within a budget."""
        values = self.read(RetrieveIn)
        query = question(values)
        return Response(shape(retrievals.retrieve(self.principal, query), query))


def question(values: dict[str, Any]) -> Query:
    """The checked body as a query. Raises Invalid for an empty budget."""
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
    """The answer as the API gives it."""
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
