"""/assets/{id}/grants and /denials"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.services import denials, grants
from hub import ids
from hub.api.base import HubView, OneView, Strict
from hub.policy import Policy


@extend_schema_field(OpenApiTypes.STR)
class Holder(serializers.Field[Any, Any, Any, Any]):
    """A person, agent or role by public id, given inwards as (kind, UUID)."""

    def to_internal_value(self, data: Any) -> Any:
        for kind in grants.KINDS:
            found = ids.parse(kind, str(data))
            if found is not None:
                return kind, found
        raise serializers.ValidationError("an id that begins with usr_, agt_ or rol_")

    def to_representation(self, value: Any) -> Any:
        return value


class DenialIn(Strict):
    to = Holder()
    reason = serializers.CharField(max_length=2000)
    expires_at = serializers.DateTimeField(required=False)


class GrantIn(DenialIn):
    level = serializers.CharField(max_length=8)


class DenialOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    asset = serializers.CharField()
    to = serializers.CharField()
    reason = serializers.CharField()
    expires_at = serializers.DateTimeField(allow_null=True)
    is_live = serializers.BooleanField()


class GrantOut(DenialOut):
    level = serializers.CharField()


class GrantList(serializers.Serializer[Any]):
    items = GrantOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class DenialList(serializers.Serializer[Any]):
    items = DenialOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class GrantsView(HubView):
    policy = Policy("grants", "token", "manage", "grant.list", "write")

    @extend_schema(responses={200: GrantList})
    def get(self, request: Request, asset: str) -> Response:
        """The grants on an asset, for those who manage it."""
        items = grants.list_grants(self.principal, self.id("asset", asset))
        return Response({"items": items, "next_cursor": None})

    @extend_schema(request=GrantIn, responses={201: GrantOut})
    def post(self, request: Request, asset: str) -> Response:
        """Allow a person, an agent or a role; a repeat renews its terms."""
        target: UUID = self.id("asset", asset)
        return self.shown(grants.grant(self.principal, asset=target, **self.read(GrantIn)), 201)


class Ending(Strict):
    reason = serializers.CharField(max_length=2000, required=False, default="")


class GrantView(OneView):
    policy = Policy("grant", "token", "manage", "grant.remove", "write")
    parameters = {"DELETE": Ending}

    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        return grants.read_grant(self.principal, self.id("grant", named["grant"]), lock=lock)

    @extend_schema(responses={200: GrantOut})
    def get(self, request: Request, grant: str) -> Response:
        """One grant, for those who manage its asset."""
        return self.shown(self.current(grant=grant))

    @extend_schema(parameters=[Ending], responses={204: None})
    def delete(self, request: Request, grant: str) -> Response:
        """Take a grant away; it holds from the next request."""
        grants.revoke(self.principal, self.id("grant", grant), self.query["reason"])
        return Response(status=204)


class DenialsView(HubView):
    policy = Policy("denials", "token", "manage", "denial.list", "write")

    @extend_schema(responses={200: DenialList})
    def get(self, request: Request, asset: str) -> Response:
        """The denials on an asset, for those who manage it."""
        items = denials.list_denials(self.principal, self.id("asset", asset))
        return Response({"items": items, "next_cursor": None})

    @extend_schema(request=DenialIn, responses={201: DenialOut})
    def post(self, request: Request, asset: str) -> Response:
        """Refuse a person, an agent or a role; it wins over every grant."""
        target: UUID = self.id("asset", asset)
        return self.shown(denials.deny(self.principal, asset=target, **self.read(DenialIn)), 201)


class DenialView(OneView):
    policy = Policy("denial", "token", "manage", "denial.remove", "write")
    parameters = {"DELETE": Ending}

    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        return denials.read_denial(self.principal, self.id("denial", named["denial"]), lock=lock)

    @extend_schema(responses={200: DenialOut})
    def get(self, request: Request, denial: str) -> Response:
        """One denial, for those who manage its asset."""
        return self.shown(self.current(denial=denial))

    @extend_schema(parameters=[Ending], responses={204: None})
    def delete(self, request: Request, denial: str) -> Response:
        """End a denial."""
        denials.lift(self.principal, self.id("denial", denial), self.query["reason"])
        return Response(status=204)
