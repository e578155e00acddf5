"""A team that lives: every act is done in the product and, by hand, in a world of plain values."""

from __future__ import annotations
