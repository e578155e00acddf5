"""/access/explain"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.services import audiences, explanations
from hub.api.base import HubView, PublicId, Strict
from hub.policy import Policy


class ExplainParameters(Strict):
    asset = PublicId("asset", required=False)
    node = PublicId("node", required=False)
    action = serializers.CharField(max_length=8, default="read")
    principal = serializers.CharField(max_length=40, required=False)
    flip = serializers.BooleanField(default=True, help_text="false answers sooner, with `flip` null")


class RuleOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    result = serializers.CharField()
    because = serializers.CharField()
    row = serializers.CharField(allow_null=True)


class StepOut(serializers.Serializer[Any]):
    act = serializers.CharField()
    text = serializers.CharField()


class FlipOut(serializers.Serializer[Any]):
    possible = serializers.BooleanField()
    because = serializers.CharField()
    steps = StepOut(many=True, help_text="beside act and text, what the act takes, by name")


class ExplanationOut(serializers.Serializer[Any]):
    allowed = serializers.BooleanField()
    rule = serializers.CharField()
    rules = RuleOut(many=True)
    flip = FlipOut(allow_null=True)


class ExplainView(HubView):
    policy = Policy("explain", "token", "read", "explain", "read")
    parameters = {"GET": ExplainParameters}

    @extend_schema(parameters=[ExplainParameters], responses={200: ExplanationOut})
    def get(self, request: Request) -> Response:
        """Every rule in order, the one that decided, and the smallest change that turns the answer."""
        who = explanations.principal_named(self.principal, self.query.get("principal"))
        found = explanations.explain(
            self.principal, who=who, action=self.query["action"], asset=self.query.get("asset"),
            node=self.query.get("node"), with_flip=self.query["flip"],
        )  # fmt: skip
        flip = found.flip
        return Response({
            "allowed": found.allowed, "rule": found.rule,
            "rules": [
                {"name": one.name, "result": one.result, "because": one.because, "row": audiences.public_row(one.row)}
                for one in found.rules
            ],
            "flip": None if flip is None else {
                "possible": flip.possible, "because": flip.because,
                "steps": [step.as_json() for step in flip.steps],
            },
        })  # fmt: skip
