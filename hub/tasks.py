"""What the worker does for the hub itself."""

from __future__ import annotations

from celery import shared_task

from hub import queue


@shared_task(name="hub.tasks.sweep_outbox")
def sweep_outbox() -> int:
    """Send again what is not done."""
    return queue.sweep()
