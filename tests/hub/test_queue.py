"""The outbox: work goes with its transaction, is done once, waits after a failure, and gives up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from celery import Celery
from celery.app import app_or_default
from django.db import connection, transaction
from django.utils import timezone

from hub import queue
from hub.models import Outbox

pytestmark = pytest.mark.django_db(transaction=True)
TASK = "assets.tasks.embed"


@pytest.fixture
def broker() -> Iterator[Celery]:
    """A real queue in this process's memory, in the place of the hub's own."""
    before = app_or_default()
    app = Celery("outbox", broker="memory://", set_as_current=False)
    app.conf.update(task_serializer="json", task_default_queue="outbox")
    app.set_current()
    yield app
    before.set_current()


def sent(app: Celery) -> list[list[str]]:
    """Task names and ids that wait in the queue; takes them out."""
    found = []
    with app.connection_for_read() as link, link.SimpleQueue("outbox") as waiting:
        for _ in range(waiting.qsize()):
            message = waiting.get(timeout=5)
            message.ack()
            found.append([message.headers["task"], *message.payload[0]])
    return found


def test_work_goes_with_its_transaction() -> None:
    with transaction.atomic():
        queue.enqueue(TASK, asset="a")
        transaction.set_rollback(True)
    assert not Outbox.objects.exists()


def test_work_is_done_once() -> None:
    row = queue.enqueue(TASK, asset="a", batch=2)
    with queue.work(str(row.id)) as arguments:
        assert arguments == {"asset": "a", "batch": 2}
    row.refresh_from_db()
    assert row.done_at is not None
    with queue.work(str(row.id)) as arguments:
        assert arguments is None


def test_two_workers_do_not_do_the_same() -> None:
    row = queue.enqueue(TASK, asset="a")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("select pg_advisory_lock(hashtextextended(%s, 0))", [str(row.id)])
        with queue.work(str(row.id)) as arguments:
            assert arguments is None
        with other.cursor() as cursor:  # a closed session gives its locks back only some time later
            cursor.execute("select pg_advisory_unlock(hashtextextended(%s, 0))", [str(row.id)])
    finally:
        other.close()
    row.refresh_from_db()
    assert row.done_at is None
    with queue.work(str(row.id)) as arguments:
        assert arguments == {"asset": "a"}


def test_a_failure_waits_longer_each_time_and_then_ends() -> None:
    row = queue.enqueue(TASK, asset="a")
    pauses = []
    for _ in range(queue.TRIES):
        with pytest.raises(ValueError, match="the words of somebody"), queue.work(str(row.id)):
            raise ValueError("the words of somebody")
        row.refresh_from_db()
        pauses.append(row.next_at)
    assert pauses == sorted(set(pauses))
    assert (row.attempts, row.is_dead, row.done_at) == (queue.TRIES, True, None)
    assert row.error == "ValueError"  # the kind of error only: its text may quote content
    with queue.work(str(row.id)) as arguments:
        assert arguments is None


def test_the_sweep_sends_what_is_due_and_nothing_else(broker: Celery) -> None:
    now = timezone.now()
    due = queue.enqueue(TASK, asset="a")
    Outbox.objects.create(task=TASK, done_at=now)
    Outbox.objects.create(task=TASK, is_dead=True)
    later = Outbox.objects.create(task=TASK)
    Outbox.objects.filter(id=later.id).update(next_at=now + timedelta(hours=1))
    assert queue.sweep() == 1
    assert sent(broker) == [[TASK, str(due.id)]]
    assert queue.sweep() == 0  # it waits until somebody had time to do it
    Outbox.objects.filter(id=due.id).update(next_at=now)
    assert queue.sweep() == 1
