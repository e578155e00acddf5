"""/assets/{asset}/visibility"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.services import visibility
from hub.api.base import HubView, Strict
from hub.policy import Policy


class VisibilityParameters(Strict):
    to = serializers.CharField(max_length=12)


class VisibilityIn(VisibilityParameters):
    reason = serializers.CharField(max_length=2000)
    grant_writers = serializers.BooleanField(default=False)


class PartyOut(serializers.Serializer[Any]):
    principal = serializers.CharField()
    kind = serializers.CharField()
    name = serializers.CharField()


class AboutOut(serializers.Serializer[Any]):
    subject = serializers.CharField()
    nodes = serializers.IntegerField()


class FindingOut(serializers.Serializer[Any]):
    kind = serializers.CharField()
    verdict = serializers.CharField()
    count = serializers.IntegerField()
    nodes = serializers.ListField(child=serializers.CharField())


class WideningOut(serializers.Serializer[Any]):
    to = serializers.CharField()
    widens = serializers.BooleanField()
    gain_count = serializers.IntegerField()
    gain = PartyOut(many=True)
    lose_count = serializers.IntegerField()
    lose = PartyOut(many=True)
    writers_lost = PartyOut(many=True)
    nodes = serializers.IntegerField()
    about_nobody = serializers.IntegerField()
    subjects = AboutOut(many=True)
    findings = FindingOut(many=True)
    scanned = serializers.IntegerField()
    scanned_all = serializers.BooleanField()


class VisibilityOut(serializers.Serializer[Any]):
    visibility = serializers.CharField()
    before = serializers.CharField()
    gained = serializers.IntegerField()
    lost = serializers.IntegerField()


class VisibilityView(HubView):
    policy = Policy("visibility", "token", "manage", "visibility.change", "write")
    parameters = {"GET": VisibilityParameters}

    @extend_schema(parameters=[VisibilityParameters], responses={200: WideningOut})
    def get(self, request: Request, asset: str) -> Response:
        """Who would gain or lose by another visibility, about whom the nodes are, what the scan finds."""
        return Response(
            visibility.preview(self.principal, asset=self.id("asset", asset), to=self.query["to"])
        )

    @extend_schema(request=VisibilityIn, responses={200: VisibilityOut})
    def post(self, request: Request, asset: str) -> Response:
        """Change the visibility. A token may narrow; to widen, a person signs in at the browser."""
        values = self.read(VisibilityIn)
        return Response(visibility.set_visibility(self.principal, asset=self.id("asset", asset), **values))
