"""The task queue: JSON only, a task is acknowledged when it is done, the schedule is code."""

from __future__ import annotations

import os
import warnings

from celery import Celery, platforms
from django.conf import settings

from hub.checks import require_keys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")

# It warns root of messages that run code; ours are JSON and cannot.
warnings.filterwarnings("ignore", category=platforms.SecurityWarning)  # type: ignore[attr-defined]

require_keys()  # here, since web, worker and beat all load this module

SOFT_LIMIT, HARD_LIMIT = 240, 300  # seconds; long jobs run as short batches that resume
REDELIVER_AFTER = 900  # seconds; must exceed the hard limit, or running work is done twice

app = Celery("hub")
app.conf.update(
    broker_url=settings.BROKER_URL or None,
    broker_connection_retry_on_startup=True,
    accept_content=["json"],
    task_serializer="json",
    result_serializer="json",
    result_backend=None,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_soft_time_limit=SOFT_LIMIT,
    task_time_limit=HARD_LIMIT,
    task_default_queue="hub",
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    worker_hijack_root_logger=False,
    timezone="UTC",
    beat_schedule={
        "sweep-outbox": {"task": "hub.tasks.sweep_outbox", "schedule": 5.0},
        "renew-index": {"task": "assets.tasks.renew", "schedule": 600.0},
        "sweep-requests": {"task": "hub.tasks.sweep_requests", "schedule": 3600.0},
    },
)
if settings.BROKER_URL.startswith(("redis", "valkey")):
    # Without these, work of a worker that died waits for an hour.
    app.conf.broker_transport_options = {
        "visibility_timeout": REDELIVER_AFTER,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
    }
app.autodiscover_tasks()
