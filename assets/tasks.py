"""What the worker does for assets. Each task is a few lines over a service."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from assets.services import embeddings, imports, indexing
from hub import queue

BATCHES = 10  # of one import in one task: seconds, far below the limit


@shared_task(name="assets.tasks.embed")
def embed(outbox: str) -> None:
    """Give the waiting nodes of one asset their vectors."""
    with queue.work(outbox) as arguments:
        if arguments is not None and not embeddings.embed_asset(
            UUID(arguments["team"]), UUID(arguments["asset"])
        ):
            queue.enqueue("assets.tasks.embed", **arguments)  # long: go on in the next task


@shared_task(name="assets.tasks.run_import")
def run_import(outbox: str) -> None:
    """Store a job's batches; a long job goes on in the next task, within the time limit of each."""
    with queue.work(outbox) as arguments:
        if arguments is None:
            return
        for _ in range(BATCHES):
            if imports.run_batch(UUID(arguments["team"]), UUID(arguments["job"])):
                return
        queue.enqueue("assets.tasks.run_import", **arguments)


@shared_task(name="assets.tasks.analyse")
def analyse(outbox: str) -> None:
    """Make the words of an asset's older rows again by the present analyser."""
    with queue.work(outbox) as arguments:
        if arguments is not None and not indexing.analyse_asset(
            UUID(arguments["team"]), UUID(arguments["asset"])
        ):
            queue.enqueue("assets.tasks.analyse", **arguments)


@shared_task(name="assets.tasks.renew")
def renew() -> int:
    """Start the work that a newer analyser or another embedding engine makes necessary."""
    return indexing.renew()


@shared_task(name="assets.tasks.index_vectors")
def index_vectors() -> int:
    """Build the vector indexes that large teams need; gives how many were made."""
    return len(embeddings.build_indexes())
