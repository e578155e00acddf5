"""/loadouts/{holder}/versions and what is done with them; loadouts out and in as JSON"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.api.loadouts import LoadoutOut, TermsOut, answer, if_match, stale
from assets.services import loadouts
from assets.services.loadouts import Stale
from hub.api.base import HubView, ListParameters, PublicId, Strict
from hub.policy import Policy


class VersionOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    number = serializers.IntegerField()
    reason = serializers.CharField()
    author = serializers.CharField(allow_null=True)
    saved_at = serializers.DateTimeField()
    digest = serializers.CharField()
    items = TermsOut(many=True)


class VersionList(serializers.Serializer[Any]):
    items = VersionOut(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class DifferenceParameters(Strict):
    old = PublicId("version")
    new = PublicId("version", required=False)


class ChangedOut(serializers.Serializer[Any]):
    before = TermsOut()
    after = TermsOut()


class DifferenceOut(serializers.Serializer[Any]):
    added = TermsOut(many=True)
    changed = ChangedOut(many=True)
    removed = TermsOut(many=True)


class RollBackIn(Strict):
    version = PublicId("version")
    reason = serializers.CharField(max_length=2000)


class DocumentOut(serializers.Serializer[Any]):
    format = serializers.CharField()
    holder = serializers.CharField()
    name = serializers.CharField()
    budget_tokens = serializers.IntegerField(allow_null=True)
    items = TermsOut(many=True)


class DocumentIn(Strict):
    document = serializers.JSONField()
    reason = serializers.CharField(max_length=2000)


class VersionsView(HubView):
    policy = Policy("loadout versions", "token", "read", "loadout.read", "read")
    parameters = {"GET": ListParameters}

    @extend_schema(parameters=[ListParameters], responses={200: VersionList})
    def get(self, request: Request, holder: str) -> Response:
        """The saved states, newest first, as far as you may know of them."""
        page = loadouts.list_versions(self.principal, holder, **self.query)
        return Response({"items": page.items, "next_cursor": page.next_cursor})


class DifferenceView(HubView):
    policy = Policy("loadout difference", "token", "read", "loadout.read", "read")
    parameters = {"GET": DifferenceParameters}

    @extend_schema(parameters=[DifferenceParameters], responses={200: DifferenceOut})
    def get(self, request: Request, holder: str) -> Response:
        """What lies between two versions, or between one and now."""
        return Response(loadouts.diff(self.principal, holder, **self.query))


class RollBackView(HubView):
    policy = Policy("loadout roll back", "token", "manage", "loadout.save", "write")

    @extend_schema(request=RollBackIn, responses={200: LoadoutOut})
    def post(self, request: Request, holder: str) -> Response:
        """Back to an earlier state, as a new version; needs If-Match."""
        etag = if_match(request)
        try:
            state = loadouts.roll_back(self.principal, holder=holder, etag=etag, **self.read(RollBackIn))
        except Stale as error:
            return stale(request, error)
        return answer(state)


class ExportView(HubView):
    policy = Policy("loadout export", "token", "read", "loadout.read", "read")

    @extend_schema(responses={200: DocumentOut})
    def get(self, request: Request, holder: str) -> Response:
        """What you may know of a loadout, as one document that can be imported again."""
        return Response(loadouts.export_loadout(self.principal, holder))


class ImportView(HubView):
    policy = Policy("loadout import", "token", "manage", "loadout.save", "write")

    @extend_schema(request=DocumentIn, responses={200: LoadoutOut})
    def post(self, request: Request, holder: str) -> Response:
        """Put an exported document in the place of what the holder carries; needs If-Match."""
        etag = if_match(request)
        try:
            state = loadouts.import_loadout(self.principal, holder=holder, etag=etag, **self.read(DocumentIn))
        except Stale as error:
            return stale(request, error)
        return answer(state)
