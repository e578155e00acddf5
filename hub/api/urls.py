"""Addresses of the API that know nothing of what is remembered."""

from __future__ import annotations

from django.urls import path

from hub.api import agents, me, problems, roles, schema, teams, tokens

__all__ = ["schema", "urlpatterns"]  # the description of tokens registers itself on import

urlpatterns = [
    path("me", me.MeView.as_view()),
    path("team", teams.TeamView.as_view()),
    path("members", teams.MembersView.as_view()),
    path("members/<str:user>", teams.MemberView.as_view()),
    path("agents", agents.AgentsView.as_view()),
    path("agents/<str:agent>", agents.AgentView.as_view()),
    path("roles", roles.RolesView.as_view()),
    path("roles/<str:role>", roles.RoleView.as_view()),
    path("roles/<str:role>/holders", roles.HoldersView.as_view()),
    path("problems", problems.ProblemsView.as_view()),
    path("problems/<str:code>", problems.ProblemView.as_view()),
    path("tokens", tokens.TokensView.as_view()),
    path("tokens/<str:token>", tokens.TokenView.as_view()),
]
