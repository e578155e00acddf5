"""/imports and /jobs"""

from __future__ import annotations

import json
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assets.services import imports, jobs
from hub.api.base import HubView, PublicId, Strict
from hub.api.bodies import StrictJson, StrictMultipart
from hub.policy import MIB, Policy
from hub.problems import Invalid


class ImportIn(Strict):
    file = serializers.FileField(required=False)
    text = serializers.CharField(required=False, max_length=imports.LARGEST, trim_whitespace=False)
    messages = serializers.JSONField(required=False)
    name = serializers.CharField(max_length=120)
    format = serializers.CharField(required=False, max_length=20)
    sample = serializers.CharField(required=False, max_length=100)
    asset = PublicId("asset", required=False)
    visibility = serializers.CharField(max_length=12, default="private")
    dry_run = serializers.BooleanField(default=False)


class JobOut(serializers.Serializer[Any]):
    id = serializers.CharField(allow_null=True)
    kind = serializers.CharField()
    state = serializers.CharField()
    stage = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    counts = serializers.DictField()
    problems = serializers.ListField(child=serializers.CharField())
    asset = serializers.CharField(allow_null=True)
    error = serializers.CharField(allow_null=True)


class ImportsView(HubView):
    policy = Policy("imports", "token", "change", "import.start", "write", largest_body=50 * MIB)
    parser_classes = (StrictJson, StrictMultipart)

    @extend_schema(request=ImportIn, responses={200: JobOut, 202: JobOut})
    def post(self, request: Request) -> Response:
        """Read a dialogue and start the job that stores it; a dry run only says what it would store."""
        values = self.read(ImportIn)
        given = [name for name in ("file", "text", "messages") if name in values]
        if len(given) != 1:
            raise Invalid(fields={"file": "give one of file, text and messages"})
        content = values.pop(given[0])
        if given[0] == "file":
            payload = content.read()
        else:
            payload = (content if given[0] == "text" else json.dumps({"messages": content})).encode()
        job = imports.start_import(self.principal, payload=payload, **values)
        return Response(job, status=200 if values["dry_run"] else 202)


class JobView(HubView):
    policy = Policy("job", "token", "read", "job.read", "read")

    @extend_schema(responses={200: JobOut})
    def get(self, request: Request, job: str) -> Response:
        """The state of a job that you started."""
        return Response(jobs.read_job(self.principal, self.id("job", job)))
