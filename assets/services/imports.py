"""Imports: a dialogue file becomes conversations and messages in a chat memory.

A job runs in batches. Each batch is one transaction that writes the nodes and moves the
job's counters, and a turn that is stored already (same source in the same asset) is skipped:
so a job killed anywhere goes on without loss or twins, and repeating an import changes nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from assets import scope
from assets.importers import guess, secrets
from assets.importers.types import Conversation, Imported, ImportProblem, Turn
from assets.models import Asset, Job, Node
from assets.models.content import FOREVER
from assets.services import assets, jobs
from assets.tree import write
from assets.tree.write import NewNode
from hub import audit, ids, queue
from hub.authn.lookup import is_active
from hub.authn.principal import CHANGE, Principal
from hub.problems import Forbidden, Invalid, Missing

BATCH = 200
LARGEST = 20 * 1024 * 1024


def start_import(
    principal: Principal,
    *,
    payload: bytes,
    name: str,
    format: str | None = None,
    asset: UUID | None = None,
    visibility: str = "private",
    sample: str | None = None,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Read the file, say what is in it, and start the job. Raises Invalid naming the field.

    Without `asset` the person's own asset of this `name` is taken, or made.
    """
    if len(payload) > LARGEST:
        raise Invalid(fields={"file": f"at most {LARGEST} bytes"})
    imported = _read(payload, name, format, sample)
    total = sum(len(one.turns) for one in imported.conversations)
    problems = [f"{one.path}: {one.message}" if one.path else one.message for one in imported.problems]
    if dry_run:
        return {
            "id": None, "kind": "import", "state": "done", "stage": "dry run", "done": 0,
            "total": total, "counts": {"read": imported.read, "would_store": total},
            "problems": problems, "asset": None, "error": None, "vectors": None,
        }  # fmt: skip
    with transaction.atomic():
        target = _target(principal, name, asset, visibility, imported)
        scope.walls(principal.team, "{" + str(target) + "}")
        job = Job.objects.create(
            team_id=principal.in_team, kind="import", user_id=principal.user, agent_id=principal.agent,
            asset_id=target, total=total, problems=problems, payload=payload,
            request_id=principal.request_id, counts=_counts(imported),
            arguments={"name": name, "format": imported.format, "sample": sample, "door": principal.door},
        )  # fmt: skip
        queue.enqueue("assets.tasks.run_import", job=str(job.id), team=str(principal.team))
        audit.record(principal, "import.start", asset=target, target=ids.public("job", job.id))
    return jobs.shape(job)


def run_batch(team: UUID, job_id: UUID) -> bool:
    """Store the next batch of a job; True when the job has ended. Safe to call again anywhere."""
    with scope.tending(team, job_id):  # only the job's own row is read here
        job = Job.objects.get(id=job_id)
    if job.state in {"done", "failed", "cancelled"} or job.asset_id is None:
        return True
    imported = _read(
        bytes(job.payload or b""), job.arguments["name"], job.arguments["format"], job.arguments["sample"]
    )
    todo = [(one, turn) for one in imported.conversations for turn in one.turns]
    principal = Principal(
        team=team, user=job.user_id, agent=job.agent_id, door="task", request_id=job.request_id
    )
    with transaction.atomic():
        allowed = scope.resolve(principal, CHANGE, only=[job.asset_id])
        job = Job.objects.select_for_update().get(id=job_id)
        if job.state in {"done", "failed", "cancelled"} or job.asset_id is None:
            return True
        if not allowed.size or not is_active(principal):
            job.state, job.error = "failed", "The asset may no longer be changed by who started this."
            job.payload = None
            job.save()
            return True
        batch = todo[job.done : job.done + BATCH]
        _store(job.asset_id, team, principal, batch, job.counts, timezone.now())
        job.done += len(batch)
        job.state, job.stage = "running", "storing"
        if job.done >= len(todo):
            job.state, job.stage, job.payload = "done", "done", None
            job.finished_at = timezone.now()
        job.save()
        audit.record(
            principal, "import.batch", asset=job.asset_id, target=ids.public("job", job_id),
            payload={"done": job.done},
        )  # fmt: skip
        queue.enqueue("assets.tasks.embed", team=str(team), asset=str(job.asset_id))
        return job.state == "done"


def _read(payload: bytes, name: str, format: str | None, sample: str | None) -> Imported:
    try:
        return guess.read(payload, name, format, sample)
    except ImportProblem as error:
        raise Invalid(str(error), fields={"file": str(error)}) from error


def _counts(imported: Imported) -> dict[str, int]:
    return {
        "read": imported.read, "stored": 0, "unchanged": 0, "empty": imported.empty,
        "skipped": imported.skipped, "failed": 0,
    }  # fmt: skip


def _target(principal: Principal, name: str, asset: UUID | None, visibility: str, imported: Imported) -> UUID:
    if asset is None:
        if not principal.is_person:
            raise Forbidden("An agent imports into an asset that it may change: name it.")
        scope.walls(principal.team, "{}")
        own = Asset.rows.filter(team_id=principal.in_team, owner_id=principal.user, name=name[:120]).first()
        if own is None:
            return assets.create_asset(
                principal, name=name[:120], title=name, visibility=visibility,
                description=f"imported from {imported.format}",
            ).id  # fmt: skip
        asset = own.id
    allowed = scope.resolve(principal, CHANGE, only=[asset])
    row = Asset.rows.filter(id=asset).first() if allowed.size else None
    if row is None:
        raise Missing
    if row.kind != "chat_memory":
        raise Invalid(fields={"asset": "dialogues go into a chat memory"})
    return asset


def _store(
    asset: UUID,
    team: UUID,
    principal: Principal,
    batch: list[tuple[Conversation, Turn]],
    counts: dict[str, int],
    now: datetime,
) -> None:
    sources = {turn.source for _, turn in batch} | {talk.source for talk, _ in batch}
    known = {row.source: row for row in Node.rows.filter(asset_id=asset, source__in=sources, until=FOREVER)}
    new: list[NewNode] = []
    talks: dict[str, UUID] = {}
    for talk, turn in batch:
        if talk.source in known:
            talks[talk.source] = known[talk.source].ident
        elif talk.source not in talks:
            opened = NewNode(
                kind="conversation", content="", title=talk.title, source=talk.source,
                occurred_at=talk.started_at, trust=write.TRUST["import"],
            )  # fmt: skip
            talks[talk.source] = opened.ident
            new.append(opened)
        if turn.source in known:
            counts["unchanged"] += 1
        elif any(found.verdict == "block" for found in secrets.find_secrets(turn.text)):
            counts["failed"] += 1
        else:
            counts["stored"] += 1
            new.append(
                NewNode(
                    kind="message",
                    content=turn.text,
                    parent=talks[talk.source],
                    occurred_at=turn.occurred_at,
                    source=turn.source,
                    trust=write.TRUST["import"],
                    extra={"speaker": turn.speaker},
                )
            )
    if new:
        write.append(asset, team, principal, new, now)
