"""What the hub tells the packages above it, which it does not know."""

from __future__ import annotations

from django.dispatch import Signal

serving = Signal()  # the web process has started; receivers run in a thread beside it
