"""Retrieval in stages, one shape a stage: candidates, fused, ranked, packed, composed."""

from __future__ import annotations
