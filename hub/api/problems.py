"""/problems: what each code of a refusal means, and what to do."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hub.api.base import HubView
from hub.policy import Policy
from hub.problems import KINDS, Missing


class ProblemOut(serializers.Serializer[Any]):
    code = serializers.CharField()
    status = serializers.IntegerField()
    title = serializers.CharField()
    advice = serializers.CharField()


class ProblemList(serializers.Serializer[Any]):
    items = ProblemOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class OpenView(HubView):
    """A route for everybody: no token is asked for, none is looked at."""

    authentication_classes = ()
    permission_classes = ()


class ProblemsView(OpenView):
    policy = Policy("problems", "none", "", "", "nobody")

    @extend_schema(operation_id="problems_list", auth=[], responses={200: ProblemList})
    def get(self, request: Request) -> Response:
        """Every code that a refusal can have."""
        return Response({"items": [shape(code) for code in KINDS], "next_cursor": None})


class ProblemView(OpenView):
    policy = Policy("problem", "none", "", "", "nobody")

    @extend_schema(auth=[], responses={200: ProblemOut})
    def get(self, request: Request, code: str) -> Response:
        """One code; the `type` of every refusal leads here."""
        if code not in KINDS:
            raise Missing
        return self.shown(shape(code))


def shape(code: str) -> dict[str, Any]:
    kind = KINDS[code]
    return {"code": code, "status": kind.status, "title": kind.title, "advice": kind.advice}
