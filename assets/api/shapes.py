"""Shapes that several routes share."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from assets.services.shapes import AssetRow, NodeRow
from hub import ids


class AssetOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    kind = serializers.CharField()
    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    labels = serializers.ListField(child=serializers.CharField())
    owner = serializers.CharField()
    visibility = serializers.CharField()
    status = serializers.CharField()
    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    actions = serializers.ListField(child=serializers.CharField())


class NodeOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    asset = serializers.CharField()
    kind = serializers.CharField()
    tier = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    state = serializers.CharField()
    occurred_at = serializers.DateTimeField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    source = serializers.CharField()  # type: ignore[assignment]
    trust = serializers.FloatField()
    author = serializers.CharField()


def asset(row: AssetRow) -> dict[str, Any]:
    return {
        "id": ids.public("asset", row.id), "kind": row.kind, "name": row.name, "title": row.title,
        "description": row.description, "labels": row.labels, "owner": ids.public("user", row.owner),
        "visibility": row.visibility, "status": row.status, "version": row.version,
        "created_at": row.created_at, "updated_at": row.updated_at, "actions": row.actions,
    }  # fmt: skip


def node(row: NodeRow) -> dict[str, Any]:
    return {
        "id": ids.public("node", row.id), "asset": ids.public("asset", row.asset), "kind": row.kind,
        "tier": row.tier, "title": row.title, "text": row.text, "tags": row.tags, "state": row.state,
        "occurred_at": row.occurred_at, "recorded_at": row.recorded_at, "source": row.source,
        "trust": row.trust, "author": row.author,
    }  # fmt: skip
