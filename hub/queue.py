"""The outbox: work is a row of the transaction that made it necessary, sent afterwards.

A dead broker costs seconds a send, so sending happens in one thread of the process, woken
after commit. What is not sent or not done is sent again by a sweep. Messages carry one id.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from hub.models import Outbox

log = logging.getLogger(__name__)

TRIES = 5
AGAIN_AFTER = timedelta(seconds=30)  # a twin is harmless: the first one holds the row's lock
_waiting: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
_start = threading.Lock()
_sender: threading.Thread | None = None


def enqueue(task: str, **arguments: str | int) -> Outbox:
    """Write a piece of work by task name, with ids only; it is sent after commit."""
    row = Outbox.objects.create(task=task, arguments=arguments)
    transaction.on_commit(lambda: _wake(task, str(row.id)), robust=True)
    return row


@contextmanager
def work(outbox: str) -> Iterator[dict[str, Any] | None]:
    """The arguments of a row, or None when it is done or another worker has it.

    Marks the row done at the end; on an error counts the attempt, waits longer each time, and
    after five calls it dead. The lock is a session lock, so that the work may use several
    transactions.
    """
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(hashtextextended(%s, 0))", [outbox])
        mine = cursor.fetchone()[0]
    if not mine:
        yield None
        return
    try:
        row = Outbox.objects.filter(id=outbox, done_at__isnull=True, is_dead=False).first()
        try:
            yield None if row is None else dict(row.arguments)
        except Exception as error:
            if row is not None:
                _failed(row, error)
            raise
        if row is not None:
            Outbox.objects.filter(id=row.id).update(done_at=timezone.now())
    finally:
        with connection.cursor() as cursor:
            cursor.execute("select pg_advisory_unlock(hashtextextended(%s, 0))", [outbox])


def sweep() -> int:
    """Send what is due and neither done nor dead; gives how many were sent."""
    now = timezone.now()
    sent = 0
    with transaction.atomic():
        rows = Outbox.objects.select_for_update(skip_locked=True).filter(
            done_at__isnull=True, is_dead=False, next_at__lte=now
        )
        for row in rows.order_by("next_at")[:500]:
            current_app.send_task(row.task, [str(row.id)], retry=False)
            row.sent_at, row.next_at = now, now + AGAIN_AFTER
            row.save(update_fields=["sent_at", "next_at"])
            sent += 1
    return sent


def _failed(row: Outbox, error: Exception) -> None:
    row.attempts += 1
    row.is_dead = row.attempts >= TRIES
    row.error = type(error).__name__
    row.next_at = timezone.now() + timedelta(seconds=2**row.attempts)
    row.sent_at = None
    row.save(update_fields=["attempts", "is_dead", "error", "next_at", "sent_at"])


def _wake(task: str, row: str) -> None:
    global _sender
    if not settings.BROKER_URL:
        return  # no broker: whoever runs the tasks reads the outbox
    with _start:
        if _sender is None or not _sender.is_alive():
            _sender = threading.Thread(target=_send, daemon=True, name="outbox")
            _sender.start()
    _waiting.put((task, row))


def _send() -> None:
    while True:
        task, row = _waiting.get()
        try:
            current_app.send_task(task, [row], retry=False)
            Outbox.objects.filter(id=row).update(sent_at=timezone.now())
        except Exception:
            log.warning("the broker does not answer; the sweep sends this later")
        finally:
            connection.close()
