"""/assets and /nodes"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.api import shapes
from assets.services import assets
from hub.api.base import HubView, ListParameters, Strict
from hub.policy import Policy


class AssetFilters(ListParameters):
    kind = serializers.CharField(required=False, max_length=12)


class AssetIn(Strict):
    name = serializers.CharField(max_length=120)
    kind = serializers.CharField(max_length=12, default="chat_memory")
    visibility = serializers.CharField(max_length=12, default="private")
    title = serializers.CharField(max_length=300, default="", allow_blank=True)
    description = serializers.CharField(max_length=10_000, default="", allow_blank=True)
    labels = serializers.ListField(child=serializers.CharField(max_length=60), default=list, max_length=50)


class AssetList(serializers.Serializer[Any]):
    items = shapes.AssetOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class NodeList(serializers.Serializer[Any]):
    items = shapes.NodeOut(many=True)
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
        return Response(shapes.asset(row), status=201)


class AssetView(HubView):
    policy = Policy("asset", "token", "read", "asset.read", "read")

    @extend_schema(responses={200: shapes.AssetOut})
    def get(self, request: Request, asset: str) -> Response:
        """One asset, with what you may do to it."""
        return Response(shapes.asset(assets.read_asset(self.principal, self.id("asset", asset))))


class NodesView(HubView):
    policy = Policy("nodes of an asset", "token", "read", "node.list", "read")
    parameters = {"GET": ListParameters}

    @extend_schema(parameters=[ListParameters], responses={200: NodeList})
    def get(self, request: Request, asset: str) -> Response:
        """The nodes of one asset, in tree order."""
        page = assets.list_nodes(self.principal, self.id("asset", asset), **self.query)
        return Response({"items": [shapes.node(row) for row in page.items], "next_cursor": page.next_cursor})


class NodeView(HubView):
    policy = Policy("node", "token", "read", "node.read", "read")

    @extend_schema(responses={200: shapes.NodeOut})
    def get(self, request: Request, node: str) -> Response:
        """One node by its lasting id."""
        return Response(shapes.node(assets.read_node(self.principal, self.id("node", node))))
