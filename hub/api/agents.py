"""/agents"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hub.api.base import HubView, Strict
from hub.policy import Policy
from hub.services import agents


class AgentIn(Strict):
    name = serializers.CharField(max_length=80)
    description = serializers.CharField(required=False, allow_blank=True, max_length=2000, default="")


class AgentOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    responsible = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())
    is_enabled = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class AgentList(serializers.Serializer[Any]):
    items = AgentOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class AgentEdit(Strict):
    is_enabled = serializers.BooleanField()


class AgentsView(HubView):
    policy = Policy("agents", "token", "", "agent.list", "read")

    @extend_schema(responses={200: AgentList})
    def get(self, request: Request) -> Response:
        return Response({"items": agents.list_agents(self.principal), "next_cursor": None})

    @extend_schema(request=AgentIn, responses={201: AgentOut})
    def post(self, request: Request) -> Response:
        return Response(agents.create_agent(self.principal, **self.read(AgentIn)), status=201)


class AgentView(HubView):
    policy = Policy("agent", "token", "", "agent.change", "write")

    @extend_schema(request=AgentEdit, responses={200: AgentOut})
    def patch(self, request: Request, agent: str) -> Response:
        values = self.read(AgentEdit)
        changed = agents.set_enabled(self.principal, self.id("agent", agent), enabled=values["is_enabled"])
        return Response(changed)
