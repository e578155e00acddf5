"""/me: who am I, by this token?"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hub import audit, ids
from hub.api.base import HubView
from hub.policy import Policy


class MeOut(serializers.Serializer[Any]):
    team = serializers.CharField()
    user = serializers.CharField(allow_null=True)
    agent = serializers.CharField(allow_null=True)
    actions = serializers.ListField(child=serializers.CharField())
    kinds = serializers.ListField(child=serializers.CharField(), allow_null=True)
    subject = serializers.CharField(allow_null=True)


class MeView(HubView):
    policy = Policy("me", "token", "", "me.read", "read")

    @extend_schema(responses={200: MeOut})
    def get(self, request: Request) -> Response:
        principal = self.principal
        with transaction.atomic():
            audit.record(principal, "me.read")
        return Response({
            "team": ids.public("team", principal.team) if principal.team else None,
            "user": ids.public("user", principal.user) if principal.user else None,
            "agent": ids.public("agent", principal.agent) if principal.agent else None,
            "actions": sorted(principal.actions),
            "kinds": None if principal.kinds is None else sorted(principal.kinds),
            "subject": ids.public("subject", principal.subject) if principal.subject else None,
        })  # fmt: skip
