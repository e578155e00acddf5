"""/access/who-can and /access/what-can"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.api import shapes
from assets.services import audiences, explanations
from hub.api.base import HubView, ListParameters, PublicId
from hub.policy import Policy


class WhoParameters(ListParameters):
    asset = PublicId("asset")
    action = serializers.CharField(max_length=8, default="read")


class WhatParameters(ListParameters):
    principal = serializers.CharField(max_length=40, required=False)
    action = serializers.CharField(max_length=8, default="read")


class WhoOut(serializers.Serializer[Any]):
    principal = serializers.CharField()
    kind = serializers.CharField()
    name = serializers.CharField()
    rule = serializers.CharField()
    row = serializers.CharField(allow_null=True)


class WhoList(serializers.Serializer[Any]):
    items = WhoOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class WhatOut(serializers.Serializer[Any]):
    asset = shapes.AssetOut()
    row = serializers.CharField(allow_null=True)


class WhatList(serializers.Serializer[Any]):
    items = WhatOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class WhoCanView(HubView):
    policy = Policy("who can", "token", "manage", "access.list", "read")
    parameters = {"GET": WhoParameters}

    @extend_schema(parameters=[WhoParameters], responses={200: WhoList})
    def get(self, request: Request) -> Response:
        """Who may do this to an asset that you manage, with the row that lets them."""
        page = audiences.who_can(self.principal, **self.query)
        return Response({"items": page.items, "next_cursor": page.next_cursor})


class WhatCanView(HubView):
    policy = Policy("what can", "token", "read", "access.list", "read")
    parameters = {"GET": WhatParameters}

    @extend_schema(parameters=[WhatParameters], responses={200: WhatList})
    def get(self, request: Request) -> Response:
        """What somebody may do this to, of what you may read yourself."""
        values = dict(self.query)
        who = explanations.principal_named(self.principal, values.pop("principal", None))
        page = audiences.what_can(self.principal, who=who, **values)
        items = [{"asset": shapes.asset(row), "row": by} for row, by in page.items]
        return Response({"items": items, "next_cursor": page.next_cursor})
