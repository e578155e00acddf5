"""/team and /members"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hub.api.base import HubView, OneView, PublicId, Strict
from hub.policy import Policy
from hub.services import teams


class TeamEdit(Strict):
    name = serializers.CharField(required=False, max_length=100)
    four_eyes = serializers.BooleanField(required=False)
    reason = serializers.CharField(max_length=2000)


class TeamOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    four_eyes = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class MemberIn(Strict):
    username = serializers.CharField(max_length=150)
    offices = serializers.ListField(
        child=serializers.CharField(max_length=12), default=["member"], max_length=5
    )
    reason = serializers.CharField(max_length=2000)


class MemberEdit(Strict):
    offices = serializers.ListField(child=serializers.CharField(max_length=12), max_length=5)
    reason = serializers.CharField(max_length=2000)


class Leaving(Strict):
    reason = serializers.CharField(max_length=2000)
    successor = PublicId("user", required=False)


class MemberOut(serializers.Serializer[Any]):
    user = serializers.CharField()
    username = serializers.CharField()
    name = serializers.CharField()
    offices = serializers.ListField(child=serializers.CharField())
    roles = serializers.ListField(child=serializers.CharField())
    is_active = serializers.BooleanField()
    since = serializers.DateTimeField()


class MemberList(serializers.Serializer[Any]):
    items = MemberOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class LeftOut(serializers.Serializer[Any]):
    user = serializers.CharField()
    agents_handed_over = serializers.IntegerField()
    tokens_ended = serializers.IntegerField()


class TeamView(OneView):
    policy = Policy("team", "token", "", "team.read", "read")

    @extend_schema(responses={200: TeamOut})
    def get(self, request: Request) -> Response:
        """The team that you are in."""
        return self.shown(self.current())

    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        return teams.read_team(self.principal, lock=lock)

    @extend_schema(request=TeamEdit, responses={200: TeamOut})
    def patch(self, request: Request) -> Response:
        """Rename the team, or set four eyes; they stay on while there is a second reviewer."""
        return self.shown(teams.change_team(self.principal, **self.read(TeamEdit)))


class MembersView(HubView):
    policy = Policy("members", "token", "", "member.list", "read")

    @extend_schema(operation_id="members_list", responses={200: MemberList})
    def get(self, request: Request) -> Response:
        """The people of the team, with their offices and roles."""
        return Response({"items": teams.list_members(self.principal), "next_cursor": None})

    @extend_schema(request=MemberIn, responses={201: MemberOut})
    def post(self, request: Request) -> Response:
        """Take a person of this hub into the team."""
        values = self.read(MemberIn)
        made = teams.add_member(
            self.principal,
            username=values["username"],
            offices_held=values["offices"],
            reason=values["reason"],
        )
        return self.shown(made, 201)


class MemberView(OneView):
    policy = Policy("member", "token", "", "member.change", "write")
    parameters = {"DELETE": Leaving}

    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        return teams.read_member(self.principal, self.id("user", named["user"]), lock=lock)

    @extend_schema(responses={200: MemberOut})
    def get(self, request: Request, user: str) -> Response:
        """One member of the team."""
        return self.shown(self.current(user=user))

    @extend_schema(request=MemberEdit, responses={200: MemberOut})
    def patch(self, request: Request, user: str) -> Response:
        """Set the offices of a member; the last admin stays one."""
        values = self.read(MemberEdit)
        changed = teams.set_offices(
            self.principal,
            user=self.id("user", user),
            offices_held=values["offices"],
            reason=values["reason"],
        )
        return self.shown(changed)

    @extend_schema(parameters=[Leaving], responses={200: LeftOut})
    def delete(self, request: Request, user: str) -> Response:
        """Take a person out of the team: roles, offices and tokens end at once."""
        return Response(teams.remove_member(self.principal, user=self.id("user", user), **self.query))
