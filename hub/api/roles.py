"""/roles"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hub import ids
from hub.api.base import HubView, OneView, Strict
from hub.policy import Policy
from hub.problems import Invalid
from hub.services import roles


class RoleIn(Strict):
    name = serializers.CharField(max_length=80)


class HolderIn(Strict):
    holder = serializers.CharField(max_length=40)
    holds = serializers.BooleanField(default=True)
    reason = serializers.CharField(required=False, max_length=2000, allow_blank=True, default="")


class RoleOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    created_at = serializers.DateTimeField()


class RoleList(serializers.Serializer[Any]):
    items = RoleOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class HolderOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()


class HolderList(serializers.Serializer[Any]):
    items = HolderOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class RolesView(HubView):
    policy = Policy("roles", "token", "", "role.list", "read")

    @extend_schema(operation_id="roles_list", responses={200: RoleList})
    def get(self, request: Request) -> Response:
        return Response({"items": roles.list_roles(self.principal), "next_cursor": None})

    @extend_schema(request=RoleIn, responses={201: RoleOut})
    def post(self, request: Request) -> Response:
        return self.shown(roles.create_role(self.principal, **self.read(RoleIn)), 201)


class RoleView(OneView):
    policy = Policy("role", "token", "", "role.change", "write")

    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        return roles.read_role(self.principal, self.id("role", named["role"]), lock=lock)

    @extend_schema(responses={200: RoleOut})
    def get(self, request: Request, role: str) -> Response:
        """One role of the team."""
        return self.shown(self.current(role=role))

    @extend_schema(request=RoleIn, responses={200: RoleOut})
    def patch(self, request: Request, role: str) -> Response:
        """Give the role another name."""
        return self.shown(roles.rename_role(self.principal, self.id("role", role), **self.read(RoleIn)))


class HoldersView(HubView):
    policy = Policy("role holders", "token", "", "role.hold", "write")

    @extend_schema(responses={200: HolderList})
    def get(self, request: Request, role: str) -> Response:
        """The people and agents that hold the role."""
        items = roles.list_holders(self.principal, self.id("role", role))
        return Response({"items": items, "next_cursor": None})

    @extend_schema(request=HolderIn, responses={204: None})
    def post(self, request: Request, role: str) -> Response:
        values = self.read(HolderIn)
        for kind in ("agent", "user"):
            holder = ids.parse(kind, values["holder"])
            if holder is not None:
                roles.hold(
                    self.principal, role=self.id("role", role), holder=(kind, holder),
                    holds=values["holds"], reason=values["reason"],
                )  # fmt: skip
                return Response(status=204)
        raise Invalid(fields={"holder": "an id that begins with agt_ or usr_"})
