"""/assets"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.api import shapes
from assets.services import assets
from hub.api.base import HubView, ListParameters, OneView, Strict
from hub.policy import Policy


class AssetFilters(ListParameters):
    kind = serializers.CharField(required=False, max_length=12)
    label = serializers.ListField(  # type: ignore[assignment]
        child=serializers.CharField(max_length=assets.LONGEST_LABEL), max_length=assets.MOST_LABELS, default=list,
        help_text="each must be on the asset",
    )  # fmt: skip
    tag = serializers.ListField(
        child=serializers.CharField(max_length=60), max_length=20, default=list,
        help_text="assets that hold a node with all of them",
    )  # fmt: skip


class AssetIn(Strict):
    name = serializers.CharField(max_length=120)
    kind = serializers.CharField(max_length=12, default="chat_memory")
    visibility = serializers.CharField(max_length=12, default="private")
    title = serializers.CharField(max_length=300, default="", allow_blank=True)
    description = serializers.CharField(max_length=10_000, default="", allow_blank=True)
    labels = serializers.ListField(
        child=serializers.CharField(max_length=assets.LONGEST_LABEL),
        default=list,
        max_length=assets.MOST_LABELS,
    )


class AssetEdit(Strict):
    name = serializers.CharField(max_length=120, required=False)
    title = serializers.CharField(max_length=300, allow_blank=True, required=False)
    description = serializers.CharField(max_length=10_000, allow_blank=True, required=False)
    labels = serializers.ListField(
        child=serializers.CharField(max_length=assets.LONGEST_LABEL),
        max_length=assets.MOST_LABELS,
        required=False,
    )


class AssetList(serializers.Serializer[Any]):
    items = shapes.AssetOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class AssetsView(HubView):
    policy = Policy("assets", "token", "read", "asset.list", "read")
    parameters = {"GET": AssetFilters}

    @extend_schema(operation_id="assets_list", parameters=[AssetFilters], responses={200: AssetList})
    def get(self, request: Request) -> Response:
        """The assets you may read, newest first."""
        page = assets.list_assets(self.principal, **self.query)
        return Response({"items": [shapes.asset(row) for row in page.items], "next_cursor": page.next_cursor})

    @extend_schema(request=AssetIn, responses={201: shapes.AssetOut})
    def post(self, request: Request) -> Response:
        """A new, empty asset that you own."""
        row = assets.create_asset(self.principal, **self.read(AssetIn))
        return self.shown(shapes.asset(row), 201)


class AssetView(OneView):
    policy = Policy("asset", "token", "read", "asset.read", "read")

    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        return shapes.asset(assets.read_asset(self.principal, self.id("asset", named["asset"]), lock=lock))

    @extend_schema(responses={200: shapes.AssetOut})
    def get(self, request: Request, asset: str) -> Response:
        """One asset, with what you may do to it."""
        return self.shown(self.current(asset=asset))

    @extend_schema(request=AssetEdit, responses={200: shapes.AssetOut})
    def patch(self, request: Request, asset: str) -> Response:
        """Change its name, title, description or labels; what is not given stays."""
        changes = self.read(AssetEdit)
        return self.shown(
            shapes.asset(assets.change_asset(self.principal, self.id("asset", asset), **changes))
        )
