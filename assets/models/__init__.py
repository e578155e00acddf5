"""The tables of what is remembered."""

from __future__ import annotations

from assets.models.asset import Asset, AssetCounter
from assets.models.binding import Binding
from assets.models.edge import Edge
from assets.models.embedding import Embedding, EmbeddingModel
from assets.models.grant import AssetRoleGrant, AssetUserGrant, Denial
from assets.models.job import Job
from assets.models.memory import Operation
from assets.models.node import Node, NodeSignal, NodeSubject, NodeText
from assets.models.version import Version

__all__ = [
    "Asset", "AssetCounter", "AssetRoleGrant", "AssetUserGrant", "Binding", "Denial", "Edge",
    "Embedding", "EmbeddingModel", "Job", "Node", "NodeSignal", "NodeSubject", "NodeText",
    "Operation", "Version",
]  # fmt: skip
