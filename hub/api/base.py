"""What all API views share: the principal, and no unknown field or parameter passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from hub import ids
from hub.authn.principal import Principal
from hub.policy import Policy
from hub.problems import Invalid, Missing


class Strict(serializers.Serializer[Any]):
    """A serializer that refuses fields it does not know and names those it does."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError({"body": "must be an object"})
        known = {name for name, field in self.fields.items() if not field.read_only}
        unknown = sorted(str(name) for name in set(data) - known)
        if unknown:
            allowed = ", ".join(sorted(known)) or "none"
            raise serializers.ValidationError(dict.fromkeys(unknown, f"unknown; allowed are: {allowed}"))
        return super().to_internal_value(data)


class NoParameters(Strict):
    """For routes that take nothing."""


@extend_schema_field(OpenApiTypes.STR)
class PublicId(serializers.Field[Any, Any, Any, Any]):
    """A public id of one kind, given inwards as a UUID."""

    def __init__(self, kind: str, **options: Any) -> None:
        super().__init__(**options)
        self.kind = kind

    def to_representation(self, value: Any) -> Any:
        return value

    def to_internal_value(self, data: Any) -> Any:
        found = ids.parse(self.kind, str(data))
        if found is None:
            raise serializers.ValidationError(f"not an id that begins with {ids.PREFIXES[self.kind]}_")
        return found


class ListParameters(Strict):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = serializers.CharField(required=False, max_length=500)


class HubView(APIView):
    """A route with its policy. `parameters` names what the query string may hold, by method."""

    policy: ClassVar[Policy]
    permission_classes = (IsAuthenticated,)
    parameters: ClassVar[dict[str, type[Strict]]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        wanted = self.parameters.get(request.method or "", NoParameters)
        checked = wanted(data=request.query_params.dict())
        checked.is_valid(raise_exception=True)
        self.query: dict[str, Any] = checked.validated_data

    @property
    def principal(self) -> Principal:
        principal: Principal = self.request.user.principal  # type: ignore[union-attr]
        return principal

    def read(self, shape: type[Strict]) -> dict[str, Any]:
        """The body, checked. Raises a validation error that names each bad field."""
        if not isinstance(self.request.data, Mapping):
            raise Invalid(fields={"body": "must be an object"})
        data = self.request.data
        checked = shape(data=data.dict() if hasattr(data, "dict") else data)
        checked.is_valid(raise_exception=True)
        values: dict[str, Any] = checked.validated_data
        return values

    @staticmethod
    def id(kind: str, text: str) -> UUID:
        """The UUID of an id in the path; anything else is missing."""
        found = ids.parse(kind, text)
        if found is None:
            raise Missing
        return found
