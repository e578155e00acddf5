"""What all API views share: the principal, and no unknown field or parameter passes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from hub import etags, ids
from hub.api import bodies, preconditions, repeats
from hub.authn import counting
from hub.authn.principal import Principal
from hub.policy import Policy
from hub.problems import Invalid, Missing, TooMany

CHANGES = ("PUT", "PATCH", "DELETE")


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
    parser_classes: Sequence[type[BaseParser]] = (bodies.StrictJson,)
    permission_classes: Sequence[type[BasePermission]] = (IsAuthenticated,)
    parameters: ClassVar[dict[str, type[Strict]]] = {}
    standing: counting.Standing | None = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """As APIView does it, but the act runs inside `_act`."""
        self.args, self.kwargs = args, kwargs
        self.request = asked = self.initialize_request(request, *args, **kwargs)
        self.headers = self.default_response_headers
        try:
            self.initial(asked, *args, **kwargs)
            method = (asked.method or "").lower()
            known = method in self.http_method_names
            handler = (
                getattr(self, method, self.http_method_not_allowed) if known else self.http_method_not_allowed
            )
            answer = self._act(asked, lambda: handler(asked, *args, **kwargs))
        except Exception as error:
            answer = self.handle_exception(error)
        self.response = self.finalize_response(asked, answer, *args, **kwargs)
        return self.response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        bodies.check_length(request, self.policy.largest_body)
        bodies.check_type(request)
        wanted = self.parameters.get(request.method or "", NoParameters)
        checked = wanted(data=parameters_of(request, wanted))
        checked.is_valid(raise_exception=True)
        self.query: dict[str, Any] = checked.validated_data

    def check_throttles(self, request: Request) -> None:
        """One count in PostgreSQL, between authentication and the body. Raises TooMany."""
        bucket = self.policy.bucket(request.method or "")
        if self.policy.authentication == "none":
            name = counting.address_name(request.META)
        else:
            name = counting.principal_name(self.principal)
        self.standing = counting.count(bucket, name, guesses=not self.policy.only_asks)
        if self.standing.wait:
            raise TooMany(self.standing.wait)

    def handle_exception(self, exc: Exception) -> Response:
        """Callers whom nobody knows are counted by their address, missing answers by caller."""
        if isinstance(exc, (AuthenticationFailed, NotAuthenticated)):
            self.standing = counting.count("nobody", counting.address_name(self.request.META))
            if self.standing.wait:
                exc = TooMany(self.standing.wait)
        elif isinstance(exc, Missing) and self.policy.authentication == "token":
            counting.count("missing", counting.principal_name(self.principal))
        return super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        finished = super().finalize_response(request, response, *args, **kwargs)
        if self.standing is not None:
            for name, value in self.standing.headers().items():
                finished[name] = value
        return finished

    def _act(self, request: Request, perform: Callable[[], HttpResponseBase]) -> HttpResponseBase:
        if request.method == "POST" and not self.policy.only_asks:
            key = repeats.key_of(request)
            if key is not None:
                return repeats.once(request, self.principal, key, perform)
        return perform()

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

    def shown(self, data: Mapping[str, Any], status: int = 200) -> Response:
        """One thing with its ETag; 304 where the caller has that state already."""
        tag = etags.of(data)
        known = self.request.headers.get("If-None-Match")
        if self.request.method == "GET" and known is not None and etags.matches(known, tag, weakly=True):
            return Response(status=304, headers={"ETag": tag})
        return Response(data, status=status, headers={"ETag": tag})

    @staticmethod
    def id(kind: str, text: str) -> UUID:
        """The UUID of an id in the path; anything else is missing."""
        found = ids.parse(kind, text)
        if found is None:
            raise Missing
        return found


class OneView(HubView):
    """A route of one thing that can be changed or taken away. Changes need If-Match."""

    @abstractmethod
    def current(self, *, lock: bool = False, **named: str) -> dict[str, Any]:
        """The thing as GET shows it to this caller; with `lock`, its row is held until the end of
        the transaction. Raises Missing.
        """

    def _act(self, request: Request, perform: Callable[[], HttpResponseBase]) -> HttpResponseBase:
        if request.method not in CHANGES or not hasattr(self, request.method.lower()):
            return super()._act(request, perform)
        wanted = preconditions.required(request)
        return preconditions.checked(wanted, lambda: self.current(lock=True, **self.kwargs), perform)


def parameters_of(request: Request, shape: type[Strict]) -> dict[str, Any]:
    """The query string as a plain value by name, a list where the shape takes several."""
    lists = {name for name, field in shape().fields.items() if isinstance(field, serializers.ListField)}
    found: dict[str, Any] = {}
    for name, values in request.query_params.lists():
        if name not in lists and len(values) > 1:
            raise Invalid(fields={name: "stands twice"})
        found[name] = values if name in lists else values[0]
    return found
