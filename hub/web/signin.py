"""/sign-in and /sign-out, by Django's own login."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import views
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from hub import audit
from hub.authn.signin import principal_of
from hub.policy import Policy


class SignIn(views.LoginView):
    template_name = "hub/sign_in.html"
    redirect_authenticated_user = True
    policy = Policy("sign in", "none", "", "sign_in", "sign_in")

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
