"""/nodes and the nodes of an asset"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.api import shapes
from assets.services import nodes
from assets.services.shapes import NodeRow, Page
from hub.api.base import HubView, ListParameters
from hub.policy import Policy


class NodeFilters(ListParameters):
    tag = serializers.ListField(
        child=serializers.CharField(max_length=60), max_length=20, default=list, help_text="each must be on the node"
    )  # fmt: skip


class TagFilters(ListParameters):
    tag = serializers.ListField(
        child=serializers.CharField(max_length=60), min_length=1, max_length=20, help_text="each must be on the node"
    )  # fmt: skip


class NodeList(serializers.Serializer[Any]):
    items = shapes.NodeOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class TaggedView(HubView):
    policy = Policy("nodes with a tag", "token", "read", "node.list", "read")
    parameters = {"GET": TagFilters}

    @extend_schema(operation_id="nodes_list", parameters=[TagFilters], responses={200: NodeList})
    def get(self, request: Request) -> Response:
        """The nodes with a tag, of all assets that you may read, newest first."""
        return Response(listed(nodes.list_by_tag(self.principal, **self.query)))


class NodesView(HubView):
    policy = Policy("nodes of an asset", "token", "read", "node.list", "read")
    parameters = {"GET": NodeFilters}

    @extend_schema(parameters=[NodeFilters], responses={200: NodeList})
    def get(self, request: Request, asset: str) -> Response:
        """The nodes of one asset, in tree order."""
        return Response(listed(nodes.list_nodes(self.principal, self.id("asset", asset), **self.query)))


class NodeView(HubView):
    policy = Policy("node", "token", "read", "node.read", "read")

    @extend_schema(responses={200: shapes.NodeOut})
    def get(self, request: Request, node: str) -> Response:
        """One node by its lasting id."""
        return self.shown(shapes.node(nodes.read_node(self.principal, self.id("node", node))))


def listed(page: Page[NodeRow]) -> dict[str, Any]:
    return {"items": [shapes.node(row) for row in page.items], "next_cursor": page.next_cursor}
