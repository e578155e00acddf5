"""/remember"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.services import memories
from hub.api.base import HubView, PublicId, Strict
from hub.policy import MIB, Policy


class MessageIn(Strict):
    speaker = serializers.CharField(max_length=200, required=False)
    role = serializers.CharField(max_length=200, required=False)
    content = serializers.CharField(max_length=memories.LONGEST, trim_whitespace=False)


class RememberIn(Strict):
    text = serializers.CharField(max_length=memories.LONGEST, required=False, trim_whitespace=False)
    messages = MessageIn(many=True, required=False)
    asset = serializers.CharField(max_length=40, default="mine")
    kind = serializers.CharField(max_length=20, default="observation")
    parent = PublicId("node", required=False)  # type: ignore[assignment]
    subjects = serializers.ListField(child=serializers.CharField(max_length=200), default=list, max_length=20)
    key = serializers.CharField(max_length=200, default="", allow_blank=True)
    occurred_at = serializers.DateTimeField(required=False)
    because = serializers.CharField(max_length=5000, default="", allow_blank=True)
    instead_of = serializers.ListField(
        child=serializers.CharField(max_length=2000), default=list, max_length=20
    )
    tags = serializers.ListField(child=serializers.CharField(max_length=60), default=list, max_length=50)
    source = serializers.CharField(max_length=300, default="", allow_blank=True)  # type: ignore[assignment]


class RememberOut(serializers.Serializer[Any]):
    node = serializers.CharField()
    nodes = serializers.ListField(child=serializers.CharField())
    asset = serializers.CharField()
    operation = serializers.CharField()
    action = serializers.CharField()
    because = serializers.CharField()
    visible_to = serializers.CharField()
    readable_after = serializers.DateTimeField()


class RememberView(HubView):
    policy = Policy("remember", "token", "change", "remember", "write", largest_body=4 * MIB)

    @extend_schema(request=RememberIn, responses={201: RememberOut})
    def post(self, request: Request) -> Response:
        """Store a text or messages; found by words at once."""
        values = self.read(RememberIn)
        asset: UUID | str = values.pop("asset")
        target: Any = asset if asset == memories.MINE else self.id("asset", str(asset))
        return Response(memories.remember(self.principal, asset=target, **values), status=201)
