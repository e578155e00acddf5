"""The ways of finding. Each is handed the scope and knows nothing of the others."""

from __future__ import annotations
