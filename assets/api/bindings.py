"""/bindings"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.services import bindings
from hub.api.base import HubView, OneView, PublicId, Strict
from hub.policy import Policy


class BindingIn(Strict):
    asset = PublicId("asset")
    agent = PublicId("agent", required=False)
    role = PublicId("role", required=False)
    base = serializers.BooleanField(default=False)
    access = serializers.CharField(max_length=5, default="read")
    mode = serializers.CharField(max_length=10, default="retrieve")
    pin = serializers.IntegerField(min_value=1, required=False)
    follow = serializers.CharField(max_length=8, default="approved")
    priority = serializers.IntegerField(min_value=0, max_value=100, default=50)
    share = serializers.FloatField(min_value=0, max_value=1, required=False)
    expires_at = serializers.DateTimeField(required=False)
    reason = serializers.CharField(max_length=2000)


class BindingOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    asset = serializers.CharField()
    agent = serializers.CharField(allow_null=True)
    role = serializers.CharField(allow_null=True)
    base = serializers.BooleanField()
    access = serializers.CharField()
    mode = serializers.CharField()
    pin = serializers.IntegerField(allow_null=True)
    follow = serializers.CharField()
    priority = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()


class BindingList(serializers.Serializer[Any]):
    items = BindingOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class BindingsView(HubView):
    policy = Policy("bindings", "token", "manage", "binding.list", "write")

    @extend_schema(operation_id="bindings_list", responses={200: BindingList})
    def get(self, request: Request) -> Response:
        """The live bindings of assets that you may read."""
        return Response({"items": bindings.list_bindings(self.principal), "next_cursor": None})

    @extend_schema(request=BindingIn, responses={201: BindingOut})
    def post(self, request: Request) -> Response:
        """Equip an asset to an agent, a role's loadout or the team's base loadout."""
        return self.shown(bindings.bind(self.principal, **self.read(BindingIn)), 201)


class Unbinding(Strict):
    reason = serializers.CharField(max_length=2000, required=False, default="")


class BindingView(OneView):
    policy = Policy("binding", "token", "manage", "binding.remove", "write")
    parameters = {"DELETE": Unbinding}

    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        return bindings.read_binding(self.principal, self.id("binding", named["binding"]), lock=lock)

    @extend_schema(responses={200: BindingOut})
    def get(self, request: Request, binding: str) -> Response:
        """One live binding of an asset that you may read."""
        return self.shown(self.current(binding=binding))

    @extend_schema(parameters=[Unbinding], responses={204: None})
    def delete(self, request: Request, binding: str) -> Response:
        """Take a binding away; it holds from the next request."""
        bindings.unbind(self.principal, self.id("binding", binding), self.query["reason"])
        return Response(status=204)
