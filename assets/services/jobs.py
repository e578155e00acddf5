"""Jobs as their starter sees them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from assets import scope
from assets.models import Job
from assets.services import embeddings
from hub import audit, ids
from hub.authn.principal import Principal
from hub.problems import Missing


def read_job(principal: Principal, job: UUID) -> dict[str, Any]:
    """A job's state. Raises Missing for everybody but who started it."""
    if not principal.is_stranger:
        with scope.browsing(principal):
            row = Job.objects.filter(id=job, user=principal.user, agent=principal.agent).first()
            if row is not None:
                audit.record(principal, "job.read", target=ids.public("job", job))
                return shape(row) | {"vectors": _vectors(principal, row)}
    audit.refused(principal, "job.read", target=ids.public("job", job))
    raise Missing


def _vectors(principal: Principal, row: Job) -> dict[str, int] | None:
    """How many texts of the job's asset are found by meaning already; None where no engine is
    or the asset may not be read. Call inside a transaction.
    """
    if row.asset_id is None:
        return None
    seen = embeddings.progress(scope.resolve(principal, only=[row.asset_id])).get(row.asset_id)
    return None if seen is None else {"done": seen.done, "waiting": seen.waiting}


def shape(row: Job) -> dict[str, Any]:
    return {
        "id": ids.public("job", row.id), "kind": row.kind, "state": row.state, "stage": row.stage,
        "done": row.done, "total": row.total, "counts": row.counts, "problems": row.problems,
        "asset": ids.public("asset", row.asset_id) if row.asset_id else None,
        "error": row.error or None, "vectors": None,
    }  # fmt: skip
