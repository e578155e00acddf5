"""What the worker does for the hub itself."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from hub import queue
from hub.models import KeptAnswer, RequestCount


@shared_task(name="hub.tasks.sweep_outbox")
def sweep_outbox() -> int:
    """Send again what is not done."""
    return queue.sweep()


@shared_task(name="hub.tasks.sweep_requests")
def sweep_requests() -> int:
    """Forget kept answers after a day, and counts of requests that are long past."""
    now = timezone.now()
    rows = (KeptAnswer.objects.expired(now), RequestCount.objects.expired(now))
    return sum(one.delete()[0] for one in rows)
