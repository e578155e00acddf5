"""/assets/{asset}/status and /assets/{asset}/quarantine"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.api import shapes
from assets.services import statuses
from hub.api.base import HubView, Strict
from hub.policy import Policy


class StatusIn(Strict):
    to = serializers.CharField(max_length=12)
    reason = serializers.CharField(max_length=2000)
    version = serializers.IntegerField(min_value=0, required=False)


class QuarantineIn(Strict):
    quarantined = serializers.BooleanField()
    reason = serializers.CharField(max_length=2000)


class QuarantineOut(serializers.Serializer[Any]):
    quarantined = serializers.BooleanField()


class StatusView(HubView):
    policy = Policy("status", "token", "review", "status.change", "write")

    @extend_schema(request=StatusIn, responses={200: shapes.AssetOut})
    def post(self, request: Request, asset: str) -> Response:
        """Move an asset on: in_review, approved (by another than its owner), deprecated, archived, draft."""
        row = statuses.set_status(self.principal, asset=self.id("asset", asset), **self.read(StatusIn))
        return Response(shapes.asset(row))


class QuarantineView(HubView):
    policy = Policy("quarantine", "token", "review", "quarantine.change", "write")

    @extend_schema(request=QuarantineIn, responses={200: QuarantineOut})
    def post(self, request: Request, asset: str) -> Response:
        """Take an asset out of use, or let it back."""
        values = self.read(QuarantineIn)
        return Response(statuses.set_quarantine(self.principal, asset=self.id("asset", asset), **values))
