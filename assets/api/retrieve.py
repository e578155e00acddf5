"""/retrieve: the main job."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.retrieval.types import KINDS, STATES, TIERS
from assets.services import retrievals
from assets.services.retrievals import MOST_TOKENS
from assets.tree.weight import IMPORTANCE
from hub.api.base import HubView, PublicId, Strict
from hub.policy import Policy


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
        query = retrievals.question(values)
        return Response(retrievals.shape(retrievals.retrieve(self.principal, query), query))
