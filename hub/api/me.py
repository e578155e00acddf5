"""/me: who am I, by this token?"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hub.api.base import HubView
from hub.policy import Policy
from hub.services import me


class RoleHeld(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()


class MeOut(serializers.Serializer[Any]):
    team = serializers.CharField()
    user = serializers.CharField(allow_null=True)
    agent = serializers.CharField(allow_null=True)
    actions = serializers.ListField(child=serializers.CharField())
    kinds = serializers.ListField(child=serializers.CharField(), allow_null=True)
    subject = serializers.CharField(allow_null=True)
    roles = RoleHeld(many=True)
    offices = serializers.ListField(child=serializers.CharField())
    loadouts = serializers.ListField(child=serializers.CharField(), help_text="agt_, rol_ or base")
    budget_tokens = serializers.IntegerField()


class MeView(HubView):
    policy = Policy("me", "token", "", "me.read", "read")

    @extend_schema(responses={200: MeOut})
    def get(self, request: Request) -> Response:
        """Who you are by this token, the roles and offices you hold, and what you carry."""
        return Response(me.read_me(self.principal))
