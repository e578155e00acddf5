"""/agents"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hub.api.base import HubView, OneView, Strict
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
    name = serializers.CharField(required=False, max_length=80)
    description = serializers.CharField(required=False, allow_blank=True, max_length=2000)
    is_enabled = serializers.BooleanField(required=False)


class AgentsView(HubView):
    policy = Policy("agents", "token", "", "agent.list", "read")

    @extend_schema(operation_id="agents_list", responses={200: AgentList})
    def get(self, request: Request) -> Response:
        """The agents of the team; an agent sees itself."""
        return Response({"items": agents.list_agents(self.principal), "next_cursor": None})

    @extend_schema(request=AgentIn, responses={201: AgentOut})
    def post(self, request: Request) -> Response:
        """A new agent in your care."""
        return self.shown(agents.create_agent(self.principal, **self.read(AgentIn)), 201)


class AgentView(OneView):
    policy = Policy("agent", "token", "", "agent.change", "write")

    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        return agents.read_agent(self.principal, self.id("agent", named["agent"]), lock=lock)

    @extend_schema(responses={200: AgentOut})
    def get(self, request: Request, agent: str) -> Response:
        """One agent of the team."""
        return self.shown(self.current(agent=agent))

    @extend_schema(request=AgentEdit, responses={200: AgentOut})
    def patch(self, request: Request, agent: str) -> Response:
        """Rename or describe an agent, or switch it off or on."""
        values = self.read(AgentEdit)
        return self.shown(agents.change_agent(self.principal, self.id("agent", agent), **values))
