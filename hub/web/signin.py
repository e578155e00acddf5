"""/sign-in and /sign-out, by Django's own login. Tries are limited, and each full minute doubles the wait."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import views
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from hub import audit
from hub.authn import counting
from hub.authn.signin import principal_of
from hub.policy import Policy
from hub.web import errors


class SignIn(views.LoginView):
    template_name = "hub/sign_in.html"
    redirect_authenticated_user = True
    policy = Policy("sign in", "none", "", "sign_in", "sign_in")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Counted before the password is looked at, the same whether the name exists or not."""
        address = counting.address_name(request.META)
        name = request.POST.get("username", "")[:200].casefold()
        tries = (counting.count("sign_in_address", address), counting.count("sign_in", f"{address} {name}"))
        wait = max(one.wait for one in tries)
        if not wait:
            return super().post(request, *args, **kwargs)
        audit.refused(principal_of(request), "sign_in", target=name, rule="too many tries")
        answer = errors.page(request, 429, str(_("Too many tries. Wait a while, then try again.")))
        answer["Retry-After"] = str(wait)
        return answer

    def form_valid(self, form: Any) -> HttpResponse:
        answer = super().form_valid(form)
        with transaction.atomic():
            audit.record(principal_of(self.request), "sign_in")
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        audit.refused(principal_of(self.request), "sign_in", target=str(form.data.get("username")))
        return super().form_invalid(form)


class SignOut(views.LogoutView):
    policy = Policy("sign out", "session", "", "sign_out", "sign_in")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with transaction.atomic():
            audit.record(principal_of(request), "sign_out")
        return super().post(request, *args, **kwargs)
