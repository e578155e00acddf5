"""/tokens"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from hub import ids
from hub.api.base import HubView, ListParameters, OneView, Strict
from hub.policy import Policy
from hub.problems import Missing
from hub.services import tokens


@extend_schema_field(OpenApiTypes.STR)
class HolderId(serializers.Field[Any, Any, Any, Any]):
    """The public id of an agent or a person, given inwards with its kind."""

    def to_representation(self, value: Any) -> Any:
        return value

    def to_internal_value(self, data: Any) -> tuple[str, UUID]:
        for kind in ("agent", "user"):
            found = ids.parse(kind, str(data))
            if found is not None:
                return kind, found
        raise serializers.ValidationError("not an id that begins with agt_ or usr_")


class TokenIn(Strict):
    actions = serializers.ListField(child=serializers.CharField(max_length=8), min_length=1)
    kinds = serializers.ListField(child=serializers.CharField(max_length=20), required=False)
    expires_at = serializers.DateTimeField(required=False)
    name = serializers.CharField(required=False, max_length=80, default="")

    def get_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().get_fields()
        fields["for"] = HolderId(required=False, help_text="agt_ of an agent in your care, or your own usr_")
        return fields


class TokenOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    public_id = serializers.CharField()
    kind = serializers.CharField()
    name = serializers.CharField()
    agent = serializers.CharField(allow_null=True)
    actions = serializers.ListField(child=serializers.CharField())
    kinds = serializers.ListField(child=serializers.CharField(), allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)


class NewToken(TokenOut):
    token = serializers.CharField(help_text="shown once")


class TokenList(serializers.Serializer[Any]):
    items = TokenOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class TokensView(HubView):
    policy = Policy("tokens", "token", "", "token.list", "read")
    parameters = {"GET": ListParameters}

    @extend_schema(operation_id="tokens_list", parameters=[ListParameters], responses={200: TokenList})
    def get(self, request: Request) -> Response:
        """Your tokens and those of agents in your care, newest first."""
        items, more = tokens.list_tokens(self.principal, **self.query)
        return Response({"items": items, "next_cursor": more})

    @extend_schema(request=TokenIn, responses={201: NewToken})
    def post(self, request: Request) -> Response:
        """A new token; its text is shown once."""
        values = self.read(TokenIn)
        kind, holder = values.pop("for", ("user", self.principal.user))
        if kind == "user" and holder != self.principal.user:
            raise Missing  # nobody makes a token for another person
        agent = holder if kind == "agent" else None
        row, text = tokens.mint(self.principal, agent=agent, **values)
        return Response({**tokens.shape(row), "token": text}, status=201)


class TokenView(OneView):
    policy = Policy("token", "token", "", "token.revoke", "write")

    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        return tokens.read_token(self.principal, self.id("token", named["token"]), lock=lock)

    @extend_schema(responses={200: TokenOut})
    def get(self, request: Request, token: str) -> Response:
        """One token, without its secret."""
        return self.shown(self.current(token=token))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, token: str) -> Response:
        """Revoke a token; it holds from the next request."""
        tokens.revoke(self.principal, self.id("token", token))
        return Response(status=204)
