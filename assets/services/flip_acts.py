"""The smallest change that turns an answer, done: each step by the service whose act it is."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from assets import scope
from assets.services import assets, bindings, denials, explanations, grants, statuses
from assets.services import flip_steps as steps
from assets.services.flip_steps import Step
from hub.authn.principal import CHANGE, MANAGE, REVIEW, Principal
from hub.problems import Conflict, Forbidden, Invalid


def takable(principal: Principal, taken: Sequence[Step]) -> bool:
    """Whether the principal may take all the steps now by one act. Another visibility, an office
    or another token are not changed in passing: they have pages of their own.
    """
    if not taken or not principal.is_person:
        return False
    return all(_may(principal, step) for step in taken)


def take(
    principal: Principal, *, who: Principal, action: str, asset: UUID, node: UUID | None = None, reason: str
) -> tuple[Step, ...]:
    """Find the steps anew and take them, all or none. Raises Missing, Forbidden, Invalid, Conflict."""
    if not reason.strip():
        raise Invalid(fields={"reason": "say why"})
    flip = explanations.explain(
        principal, who=who, action=action, asset=asset, node=node, with_flip=True
    ).flip
    if not flip.steps:
        raise Conflict("No single act turns this answer.")
    if not takable(principal, flip.steps):
        raise Forbidden("This change is not yours to make.")
    with transaction.atomic():
        for step in flip.steps:
            _take(principal, step, reason)
    return tuple(flip.steps)


def _may(principal: Principal, step: Step) -> bool:
    if isinstance(step, steps.Lift) and step.quarantine:
        return statuses.may_quarantine(principal, step.asset, quarantined=False)
    rights: dict[type[Step], tuple[str, ...]] = {
        steps.Lift: (MANAGE,), steps.Grant: (MANAGE,), steps.Bind: (MANAGE,), steps.Refuse: (MANAGE,),
        steps.Approve: (REVIEW,), steps.Restore: (CHANGE, MANAGE),
    }  # fmt: skip
    needed = rights.get(type(step))
    if needed is None:
        return False
    with scope.browsing(principal):
        return all(assets.may_do(principal, right, step.asset) for right in needed)


def _take(principal: Principal, step: Step, reason: str) -> None:
    match step:
        case steps.Lift(denial=None):
            statuses.set_quarantine(principal, asset=step.asset, quarantined=False, reason=reason)
        case steps.Lift(denial=UUID() as denial):
            denials.lift(principal, denial, reason)
        case steps.Grant():
            grants.grant(principal, asset=step.asset, to=step.to, level=step.level, reason=reason)
        case steps.Bind():
            if step.replaces is not None:
                bindings.unbind(principal, step.replaces, reason)
            bindings.bind(
                principal, asset=step.asset, agent=step.agent, access=step.access, follow=step.follow,
                pin=step.pin, reason=reason,
            )  # fmt: skip
        case steps.Refuse(binding=UUID() as binding):
            bindings.unbind(principal, binding, reason)
        case steps.Refuse(grant=UUID() as grant):
            grants.revoke(principal, grant, reason)
        case steps.Refuse(to=(kind, party)):
            denials.deny(principal, asset=step.asset, to=(kind, party), reason=reason)
        case steps.Approve():
            statuses.set_status(principal, asset=step.asset, to="approved", reason=reason)
        case steps.Restore():
            statuses.set_status(principal, asset=step.asset, to="draft", reason=reason)
