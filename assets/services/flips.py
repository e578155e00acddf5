"""The smallest change that flips a decision: tried on the real rules, row by row, and taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction

from assets import access, scope
from assets.models import Asset, Binding, Denial
from assets.services import flip_steps as steps
from assets.services.flip_steps import (
    Approve,
    Bind,
    Grant,
    Impossible,
    Lift,
    Office,
    Refuse,
    Restore,
    Step,
    Visible,
)
from assets.services.loadout_previews import undone
from hub.authn.principal import CHANGE, READ, REVIEW, Principal
from hub.models import Role

MOST_TURNS = len(access.RULES) + 1
HOPELESS = {
    "erased": "What was erased does not come back.",
    "fenced": "An erasure is under way: nothing but its end changes this.",
    "team": "It belongs to another team, and nothing crosses a team.",
    "default no": "Agents neither manage nor review: a person does.",
}


@dataclass(frozen=True, slots=True)
class Flip:
    """Steps that, taken together and in order, turn the answer; or why there are none."""

    steps: tuple[Step, ...] = ()
    because: str = ""

    @property
    def possible(self) -> bool:
        return bool(self.steps)


def find(who: Principal, action: str, asset: UUID) -> Flip:
    """What flips the decision. Call with the team's wall set; leaves everything as it was."""
    row = Asset.rows.filter(id=asset).first()
    if row is None or who.is_stranger:
        return Flip(because=HOPELESS["team"])
    allowed = failing(who, action, asset) is None
    return _to_no(who, action, row) if allowed else _to_yes(who, action, row)


def failing(who: Principal, action: str, asset: UUID) -> int | None:
    """The place of the first rule that fails, none where all pass."""
    results = scope.decide(who, action, asset) or [(False, None)] * len(access.RULES)
    return next((place for place, (passed, _) in enumerate(results) if not passed), None)


def _to_yes(who: Principal, action: str, row: Asset) -> Flip:
    taken: list[Step] = []
    hopeless = ""
    with undone():
        asker = who
        for _ in range(MOST_TURNS):
            place = failing(asker, action, row.id)
            if place is None:
                break
            row.refresh_from_db()
            rule = access.RULES[place].name
            if rule in HOPELESS or (who.agent is not None and action not in (READ, CHANGE)):
                hopeless = HOPELESS.get(rule, HOPELESS["default no"])
                break
            found = _first(asker, action, row, rule, place)
            if found is None:
                hopeless = _hopeless(asker, action, row, rule)
                break
            taken = _merged(taken, found)
            asker = _told(asker, found)
    if hopeless:
        return Flip(because=hopeless)
    if not _works(who, action, row, taken):
        return Flip(because=_hopeless(who, action, row, "binding"))
    return Flip(tuple(_least(who, action, row, taken)))


def _first(who: Principal, action: str, row: Asset, rule: str, place: int) -> Sequence[Step] | None:
    """The first candidate after which the rule no longer fails; its rows stay changed."""
    for candidate in _candidates(who, action, row, rule):
        try:
            with transaction.atomic():
                asker = who
                for step in candidate:
                    step.take()
                    asker = _told(asker, [step])
                after = failing(asker, action, row.id)
                if after is not None and after <= place:
                    raise Impossible
        except Impossible:
            continue
        return candidate
    return None


def _merged(taken: list[Step], found: Sequence[Step]) -> list[Step]:
    """A later binding takes the place of one that was only tried."""
    for step in found:
        tried = next((one for one in taken if isinstance(step, Bind) and isinstance(one, Bind)), None)
        if isinstance(step, Bind) and isinstance(tried, Bind):
            taken = [one for one in taken if one is not tried]
            step = replace(step, replaces=tried.replaces)
        taken = [*taken, step]
    return taken


def _least(who: Principal, action: str, row: Asset, taken: list[Step]) -> list[Step]:
    """Without steps that are not needed, last ones first."""
    for step in reversed(taken):
        rest = [one for one in taken if one is not step]
        if rest and _works(who, action, row, rest):
            return _least(who, action, row, rest)
    return taken


def _works(who: Principal, action: str, row: Asset, rest: Sequence[Step]) -> bool:
    works = False
    with undone():
        try:
            for step in rest:
                step.take()
            works = failing(_told(who, rest), action, row.id) is None
        except Impossible:
            works = False
    return works


def _told(who: Principal, taken: Sequence[Step]) -> Principal:
    """The principal on the token that a step asks for."""
    for step in taken:
        if isinstance(step, steps.Widen):
            kinds = None if who.kinds is None else who.kinds | {step.kind}
            who = replace(who, actions=who.actions | {step.action}, kinds=kinds)
    return who


def _candidates(who: Principal, action: str, row: Asset, rule: str) -> Iterator[Sequence[Step]]:
    """In the order of smallness: fewest others who gain, then fewest acts."""
    if rule == "quarantined":
        yield [Lift(row.id, quarantine=True)]
    elif rule == "denied":
        yield [Lift(row.id, denial=one) for one in _denials(who, row)]
    elif rule == "token scope":
        yield [steps.Widen(row.id, action=action, kind=row.kind)]
    elif rule == "visibility and grants":
        yield from _by_visibility(who, action, row)
    elif rule == "binding":
        yield from _by_binding(who, action, row)


def _by_visibility(who: Principal, action: str, row: Asset) -> Iterator[Sequence[Step]]:
    owner = who.user is not None and who.user == row.owner_id
    known = row.visibility in ("private", "agent", "restricted", "team")
    targets = [row.visibility] if known else ["private"]
    targets += [one for one in ("restricted", "team") if one not in targets]
    level = READ if action == REVIEW else action
    for target in targets:
        if who.user is not None and not owner and target in ("private", "agent"):
            continue
        found: list[Step] = [] if target == row.visibility else [Visible(row.id, target)]
        if who.user is not None and not owner and (target == "restricted" or level != READ):
            found.append(Grant(row.id, ("user", who.user), level))
        if who.user is not None and action == REVIEW:
            found.append(Office(row.id, who.user))
        if who.agent is not None:
            if target == "restricted" or (target == "team" and level == CHANGE):
                found.append(Grant(row.id, ("agent", who.agent), level))
            if target == "private":
                found.append(_bind(who, action, row))
        if found:
            yield found


def _by_binding(who: Principal, action: str, row: Asset) -> Iterator[Sequence[Step]]:
    bound, approve, restore = _bind(who, action, row), Approve(row.id), Restore(row.id)
    ahead = replace(bound, follow="head", pin=None)
    if row.status == "archived":
        yield from (
            [restore],
            [restore, bound],
            [restore, approve],
            [restore, ahead],
            [restore, approve, bound],
        )
        return
    yield from ([bound], [approve], [ahead], [approve, bound])


def _bind(who: Principal, action: str, row: Asset) -> Bind:
    """A binding directly to the agent; one that is there gives way and keeps its terms.
    Raises Impossible for a principal without agent.
    """
    if who.agent is None:
        raise Impossible
    wanted = "write" if action == CHANGE else "read"
    there = steps.live(Binding.objects.filter(agent_id=who.agent, asset=row)).first()
    if there is None:
        return Bind(row.id, who.agent, wanted)
    write = "write" if "write" in (wanted, there.access) else "read"
    return Bind(row.id, who.agent, write, there.follow, there.pin, replaces=there.id)


def _denials(who: Principal, row: Asset) -> list[UUID]:
    parties = [one for one in (who.user, who.agent) if one is not None]
    roles = Role.objects.filter(group__user__in=parties).values("id")
    live = steps.live(Denial.objects.filter(asset=row))
    found = live.filter(user_id__in=parties) | live.filter(role_id__in=roles)
    return list(found.order_by("made_at", "id").values_list("id", flat=True))


def _hopeless(who: Principal, action: str, row: Asset, rule: str) -> str:
    if rule == "visibility and grants" and action == REVIEW and who.user == row.owner_id:
        return "Four eyes: somebody else than its author decides, or nobody may name another reviewer."
    return f"Nobody in the team has the right to change what the rule “{rule}” asks for."


def _to_no(who: Principal, action: str, row: Asset) -> Flip:
    candidates: list[list[Step]] = []
    if who.agent is not None:
        bound = steps.live(Binding.objects.filter(agent_id=who.agent, asset=row)).first()
        if bound is not None:
            candidates.append([Refuse(row.id, binding=bound.id)])
        candidates.append([Refuse(row.id, to=("agent", who.agent))])
    elif who.user is not None and who.user != row.owner_id:
        granted = steps.grants_of(row.id, who.user)
        if len(granted) == 1:
            candidates.append([Refuse(row.id, grant=granted[0])])
        candidates.append([Refuse(row.id, to=("user", who.user))])
    for candidate in candidates:
        with_effect = False
        with undone():
            try:
                for step in candidate:
                    step.take()
                with_effect = failing(who, action, row.id) is not None
            except Impossible:
                with_effect = False
        if with_effect:
            return Flip(tuple(candidate))
    if who.agent is None and who.user == row.owner_id:
        return Flip(because="The owner keeps what is theirs; it would have to be handed over first.")
    return Flip(because="Nobody in the team has the right to take it away.")
