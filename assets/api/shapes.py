"""Shapes that several routes share."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from assets.services.shapes import asset as asset
from assets.services.shapes import node as node


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
