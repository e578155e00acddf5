"""/me/pack"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.services import packs
from hub.api.base import HubView
from hub.policy import Policy


class PackItem(serializers.Serializer[Any]):
    node = serializers.CharField()
    asset = serializers.CharField()
    version = serializers.IntegerField()
    title = serializers.CharField(allow_blank=True)
    tokens = serializers.IntegerField()
    shortened = serializers.BooleanField()


class PackTokens(serializers.Serializer[Any]):
    used = serializers.IntegerField()
    budget = serializers.IntegerField()
    about = serializers.BooleanField()


class PackOut(serializers.Serializer[Any]):
    context = serializers.CharField()  # type: ignore[assignment]
    tokens = PackTokens()
    items = PackItem(many=True)
    left_out = serializers.IntegerField()


class PackView(HubView):
    policy = Policy("pack", "token", "read", "pack.read", "read")

    @extend_schema(responses={200: PackOut})
    def get(self, request: Request) -> Response:
        """The always part of your loadout as one text; 304 while the ETag you hold still holds."""
        pack = packs.read_pack(self.principal)
        headers = {"ETag": f'"{pack.etag}"'}
        if request.headers.get("If-None-Match", "").strip('"') == pack.etag:
            return Response(status=304, headers=headers)
        tokens = {"used": pack.tokens, "budget": pack.budget, "about": True}
        body = {"context": pack.context, "tokens": tokens, "items": pack.items, "left_out": pack.left_out}
        return Response(body, headers=headers)
