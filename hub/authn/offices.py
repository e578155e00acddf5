"""Who holds which office in a team: the one table of governance rights."""

from __future__ import annotations

from hub.authn.principal import MANAGE, Principal
from hub.models import Membership
from hub.problems import Forbidden


def holds(principal: Principal, *offices: str) -> bool:
    """Whether the person (not an agent) holds one of the offices in the present team."""
    return (
        principal.is_person
        and Membership.objects.filter(
            team_id=principal.in_team, user_id=principal.person, offices__overlap=list(offices)
        ).exists()
    )


def require(principal: Principal, *offices: str) -> None:
    """Raises Forbidden unless one of the offices is held and the token, if any, may manage."""
    require_manage(principal)
    if not holds(principal, *offices):
        raise Forbidden(f"This needs the office of {' or '.join(offices)} in the team.")


def require_manage(principal: Principal) -> None:
    """Raises Forbidden for a token that may not manage: an office reaches no further than its token."""
    if MANAGE not in principal.actions:
        raise Forbidden("This needs a token that may manage.")
