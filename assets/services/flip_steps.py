"""Single acts that can flip a decision: each names the service call that does it, and can be tried on the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar
from uuid import UUID

from django.contrib.auth.models import Permission
from django.db.models import Q
from django.utils import timezone

from assets import scope
from assets.models import Asset, AssetUserGrant, Binding, Denial
from assets.services import audiences
from hub import ids
from hub.authn.principal import MANAGE, REVIEW, Principal
from hub.models import Membership
from hub.models.teams import ADMIN, REVIEWER

NOBODY = UUID(int=0)


class Impossible(Exception):
    """Nobody could take this step as things stand."""


def live(rows: Any) -> Any:
    """Those that have not ended."""
    return rows.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()))


def grants_of(asset: UUID, user: UUID) -> list[UUID]:
    """The live grants on an asset that name the person itself."""
    rows = live(AssetUserGrant.objects.filter(content_object_id=asset, user_id=user))
    return list(rows.order_by("id").values_list("id", flat=True))


def may(user: UUID, action: str, row: Asset) -> bool:
    """Whether a person of the team may do it, by all rules."""
    results = scope.decide(Principal(team=row.team_id, user=user), action, row.id) or [(False, None)]
    return all(passed for passed, _ in results)


def steward(row: Asset) -> UUID:
    """A person who manages the asset now: the owner first. Raises Impossible."""
    if _is_here(row.owner_id, row) and may(row.owner_id, MANAGE, row):
        return row.owner_id
    found = audiences.audience(Principal(team=row.team_id), row.id, MANAGE, limit=1)
    people = [ids.parse("user", one["principal"]) for one in found if one["kind"] == "user"]
    if not people or people[0] is None:
        raise Impossible
    return people[0]


@dataclass(frozen=True, slots=True)
class Step(ABC):
    """One act on one asset. `take` changes the rows as the service would, without a record."""

    act: ClassVar[str] = ""
    asset: UUID

    @abstractmethod
    def take(self) -> None:
        """Do it to the rows."""

    @abstractmethod
    def words(self) -> tuple[str, dict[str, object]]:
        """A fixed sentence with %(gaps)s, and what stands in them."""

    def sentence(self) -> str:
        """What to do, in English, with public ids."""
        fixed, gaps = self.words()
        return fixed % gaps

    def as_json(self) -> dict[str, Any]:
        """The act and its arguments, with public ids."""
        values = {name: value for name, value in asdict(self).items() if value not in (None, False)}
        for kind in ("asset", "agent", "user", "denial", "binding", "grant"):
            if isinstance(values.get(kind), UUID):
                values[kind] = ids.public(kind, values[kind])
        if isinstance(values.get("replaces"), UUID):
            values["replaces"] = ids.public("binding", values["replaces"])
        if "to" in values:
            values["to"] = ids.public(*values["to"])
        return {"act": self.act, "text": self.sentence(), **values}

    def row(self) -> Asset:
        found: Asset = Asset.rows.get(id=self.asset)
        return found


@dataclass(frozen=True, slots=True)
class Lift(Step):
    """Take away a denial, or the quarantine."""

    act: ClassVar[str] = "lift"
    denial: UUID | None = None
    quarantine: bool = False

    def take(self) -> None:
        row = self.row()
        if self.quarantine:
            if not lifters(row):
                raise Impossible
            Asset.rows.filter(id=self.asset).update(quarantined=False)
        elif self.denial is not None:
            steward(row)
            Denial.objects.filter(id=self.denial).delete()

    def words(self) -> tuple[str, dict[str, object]]:
        if self.denial is None:
            return "Lift the quarantine.", {}
        return "Lift the denial %(denial)s.", {"denial": ids.public("denial", self.denial)}


@dataclass(frozen=True, slots=True)
class Widen(Step):
    """Ask with a token that covers the action and the kind of asset."""

    act: ClassVar[str] = "token"
    action: str = ""
    kind: str = ""

    def take(self) -> None:
        """Nothing is stored: another token asks."""

    def words(self) -> tuple[str, dict[str, object]]:
        gaps: dict[str, object] = {"action": self.action, "kind": self.kind}
        return "Ask with a token that covers %(action)s and %(kind)s.", gaps


@dataclass(frozen=True, slots=True)
class Grant(Step):
    """Grant a level to a person or an agent."""

    act: ClassVar[str] = "grant"
    to: tuple[str, UUID] = ("", NOBODY)
    level: str = "read"

    def take(self) -> None:
        by = steward(self.row())
        permission = Permission.objects.get(
            codename=f"{self.level}_asset", content_type__app_label="assets", content_type__model="asset"
        )
        AssetUserGrant.objects.update_or_create(
            user_id=self.to[1], permission=permission, content_object_id=self.asset,
            defaults={"granted_by_id": by, "expires_at": None},
        )  # fmt: skip

    def words(self) -> tuple[str, dict[str, object]]:
        return "Grant %(level)s to %(to)s.", {"level": self.level, "to": ids.public(*self.to)}


@dataclass(frozen=True, slots=True)
class Visible(Step):
    """Change the visibility."""

    act: ClassVar[str] = "visibility"
    visibility: str = ""

    def take(self) -> None:
        steward(self.row())
        Asset.rows.filter(id=self.asset).update(visibility=self.visibility)

    def words(self) -> tuple[str, dict[str, object]]:
        return "Make it visible as “%(visibility)s”.", {"visibility": self.visibility}


@dataclass(frozen=True, slots=True)
class Office(Step):
    """Make a member a reviewer; an admin does it."""

    act: ClassVar[str] = "office"
    user: UUID = NOBODY

    def take(self) -> None:
        team = self.row().team_id
        if not Membership.objects.filter(
            team_id=team, offices__contains=[ADMIN], user__is_active=True
        ).exists():
            raise Impossible
        member = Membership.objects.get(team_id=team, user_id=self.user)
        member.offices = sorted({*member.offices, REVIEWER})
        member.save(update_fields=["offices"])

    def words(self) -> tuple[str, dict[str, object]]:
        return "Make %(user)s a reviewer.", {"user": ids.public("user", self.user)}


@dataclass(frozen=True, slots=True)
class Bind(Step):
    """Bind directly to an agent; `replaces` is a direct binding that gives way."""

    act: ClassVar[str] = "bind"
    agent: UUID = NOBODY
    access: str = "read"
    follow: str = "approved"
    pin: int | None = None
    replaces: UUID | None = None

    def take(self) -> None:
        row = self.row()
        by = steward(row)
        if row.visibility == "private" and by != row.owner_id:
            raise Impossible
        Binding.objects.filter(agent_id=self.agent, asset=row).delete()
        Binding.objects.create(
            team_id=row.team_id, asset=row, agent_id=self.agent, access=self.access, made_by_id=by,
            follow=self.follow, pin=self.pin,
        )  # fmt: skip

    def words(self) -> tuple[str, dict[str, object]]:
        gaps: dict[str, object] = {
            "agent": ids.public("agent", self.agent),
            "access": self.access,
            "pin": self.pin,
        }
        said = "Bind it to %(agent)s with access %(access)s"
        said += ", version %(pin)s" if self.pin else ", at its head" if self.follow == "head" else ""
        return said + (" in place of the binding that is there." if self.replaces else "."), gaps


@dataclass(frozen=True, slots=True)
class Approve(Step):
    """A reviewer approves the newest version."""

    act: ClassVar[str] = "approve"

    def take(self) -> None:
        row = self.row()
        if row.kind == "chat_memory" or not reviewers(row):
            raise Impossible
        Asset.rows.filter(id=self.asset).update(approved=row.head, status="approved")

    def words(self) -> tuple[str, dict[str, object]]:
        return "Wait until a reviewer approves a version.", {}


@dataclass(frozen=True, slots=True)
class Restore(Step):
    """Take it out of the archive."""

    act: ClassVar[str] = "restore"

    def take(self) -> None:
        steward(self.row())
        Asset.rows.filter(id=self.asset).update(status="draft")

    def words(self) -> tuple[str, dict[str, object]]:
        return "Take it out of the archive.", {}


@dataclass(frozen=True, slots=True)
class Refuse(Step):
    """Take away: a binding, a grant, or by a denial."""

    act: ClassVar[str] = "refuse"
    to: tuple[str, UUID] | None = None
    binding: UUID | None = None
    grant: UUID | None = None

    def take(self) -> None:
        row = self.row()
        by = steward(row)
        if self.binding is not None:
            Binding.objects.filter(id=self.binding).delete()
        elif self.grant is not None:
            AssetUserGrant.objects.filter(id=self.grant).delete()
        elif self.to is not None:
            Denial.objects.create(team_id=row.team_id, asset=row, user_id=self.to[1], made_by_id=by)

    def words(self) -> tuple[str, dict[str, object]]:
        if self.binding is not None:
            return "Take away the binding %(binding)s.", {"binding": ids.public("binding", self.binding)}
        if self.grant is not None:
            return "Take away the grant %(grant)s.", {"grant": ids.public("grant", self.grant)}
        return "Deny it to %(to)s.", {"to": ids.public(*(self.to or ("user", NOBODY)))}


def reviewers(row: Asset) -> list[UUID]:
    """The people who may review the asset now."""
    found = audiences.audience(Principal(team=row.team_id), row.id, REVIEW)
    people = [ids.parse("user", one["principal"]) for one in found]
    return [one for one in people if one is not None]


def lifters(row: Asset) -> list[UUID]:
    """Who may end a quarantine: reviewers; where there is none, the owner who can still read it."""
    found = reviewers(row)
    if not found and _is_here(row.owner_id, row) and may(row.owner_id, "read", row):
        return [row.owner_id]
    return found


def _is_here(user: UUID, row: Asset) -> bool:
    return Membership.objects.filter(user_id=user, team_id=row.team_id, user__is_active=True).exists()
