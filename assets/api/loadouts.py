"""/loadouts: what roles, agents and the team's base carry"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.services import loadout_previews, loadout_templates, loadouts
from assets.services.loadouts import Stale
from hub import answers
from hub.api import preconditions
from hub.api.base import HubView, ListParameters, PublicId, Strict
from hub.policy import Policy


class CarriedIn(Strict):
    asset = PublicId("asset")
    access = serializers.CharField(max_length=5, default="read")
    mode = serializers.CharField(max_length=10, default="retrieve")
    pin = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False, allow_null=True)
    follow = serializers.CharField(max_length=8, default="approved")
    priority = serializers.IntegerField(min_value=0, max_value=100, default=50)
    share = serializers.FloatField(min_value=0, max_value=1, required=False, allow_null=True)
    expires_at = serializers.DateTimeField(required=False, allow_null=True)


class DraftIn(Strict):
    items = CarriedIn(many=True)
    budget_tokens = serializers.IntegerField(min_value=100, max_value=1_000_000, required=False)


class SaveIn(DraftIn):
    reason = serializers.CharField(max_length=2000)


class TermsOut(serializers.Serializer[Any]):
    asset = serializers.CharField()
    access = serializers.CharField()
    mode = serializers.CharField()
    pin = serializers.IntegerField(allow_null=True)
    follow = serializers.CharField()
    priority = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)


class CarriedOut(TermsOut):
    id = serializers.CharField()
    reason = serializers.CharField()


class LoadoutOut(serializers.Serializer[Any]):
    holder = serializers.CharField(help_text="rol_, agt_ or base")
    kind = serializers.CharField()
    name = serializers.CharField()
    budget_tokens = serializers.IntegerField(allow_null=True)
    items = CarriedOut(many=True)
    may_edit = serializers.BooleanField()
    etag = serializers.CharField()


class LoadoutList(serializers.Serializer[Any]):
    items = LoadoutOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class TokensOut(serializers.Serializer[Any]):
    before = serializers.IntegerField()
    after = serializers.IntegerField()
    budget = serializers.IntegerField()
    over = serializers.IntegerField()


class StoppedOut(serializers.Serializer[Any]):
    asset = serializers.CharField()
    action = serializers.CharField()
    rule = serializers.CharField()
    because = serializers.CharField()


class EffectOut(serializers.Serializer[Any]):
    agent = serializers.CharField()
    name = serializers.CharField()
    gained = serializers.ListField(child=serializers.CharField())
    lost = serializers.ListField(child=serializers.CharField())
    writes_gained = serializers.ListField(child=serializers.CharField())
    writes_lost = serializers.ListField(child=serializers.CharField())
    nodes_gained = serializers.IntegerField()
    nodes_lost = serializers.IntegerField()
    tokens = TokensOut()
    without_effect = StoppedOut(many=True)


class PreviewOut(serializers.Serializer[Any]):
    holder = serializers.CharField()
    agents = EffectOut(many=True)
    more_agents = serializers.IntegerField()


class ProposalOut(serializers.Serializer[Any]):
    template = serializers.CharField()
    what = serializers.CharField()
    items = TermsOut(many=True)


def entries(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Checked items as the services take them: by public id."""
    return loadouts.entries_from(values)


def if_match(request: Request) -> str:
    """The state that the caller changes, or `*`. Raises PreconditionRequired."""
    return preconditions.required(request).strip().removeprefix('"').removesuffix('"')


def answer(state: dict[str, Any]) -> Response:
    return Response(state, headers={"ETag": f'"{state["etag"]}"'})


def stale(request: Request, error: Stale) -> Response:
    """412 with both: what stands now and what was sent."""
    body = answers.body(request._request, error.status, error.code, error.title, error.detail)
    return Response(
        {**body, "current": error.current, "yours": error.yours}, status=error.status,
        content_type=answers.TYPE, headers={"ETag": f'"{error.current["etag"]}"'},
    )  # fmt: skip


class LoadoutsView(HubView):
    policy = Policy("loadouts", "token", "read", "loadout.list", "read")
    parameters = {"GET": ListParameters}

    @extend_schema(parameters=[ListParameters], responses={200: LoadoutList})
    def get(self, request: Request) -> Response:
        """The base loadout, the roles and the agents, with what each carries as far as you may know."""
        page = loadouts.list_loadouts(self.principal, **self.query)
        return Response({"items": page.items, "next_cursor": page.next_cursor})


class LoadoutView(HubView):
    policy = Policy("loadout", "token", "manage", "loadout.save", "write")

    @extend_schema(operation_id="loadout_read", responses={200: LoadoutOut})
    def get(self, request: Request, holder: str) -> Response:
        """What one holder carries, with the ETag to save it by."""
        state = loadouts.read_loadout(self.principal, holder)
        if request.headers.get("If-None-Match", "").strip('"') == state["etag"]:
            return Response(status=304, headers={"ETag": f'"{state["etag"]}"'})
        return answer(state)

    @extend_schema(request=SaveIn, responses={200: LoadoutOut})
    def put(self, request: Request, holder: str) -> Response:
        """Save the whole draft as a new version; If-Match holds the ETag that you read."""
        etag, values = if_match(request), self.read(SaveIn)
        try:
            state = loadouts.save(
                self.principal, holder=holder, items=entries(values["items"]), etag=etag,
                reason=values["reason"], budget_tokens=values.get("budget_tokens"),
            )  # fmt: skip
        except Stale as error:
            return stale(request, error)
        return answer(state)


class PreviewView(HubView):
    policy = Policy("loadout preview", "token", "manage", "loadout.preview", "write")

    @extend_schema(request=DraftIn, responses={200: PreviewOut})
    def post(self, request: Request, holder: str) -> Response:
        """What saving this draft would do, agent by agent; nothing is saved."""
        values = self.read(DraftIn)
        found = loadout_previews.preview(
            self.principal, holder=holder, items=entries(values["items"]),
            budget_tokens=values.get("budget_tokens"),
        )  # fmt: skip
        return Response(found)


class TemplateView(HubView):
    policy = Policy("loadout template", "token", "manage", "loadout.preview", "read")

    @extend_schema(responses={200: ProposalOut})
    def get(self, request: Request, template: str) -> Response:
        """A draft to begin with, of assets that you may bind: scout, builder or reviewer."""
        return Response(loadout_templates.propose(self.principal, template=template))
