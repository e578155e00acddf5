"""The roles, the database and the extension of an embedded cluster."""

from __future__ import annotations

from typing import LiteralString

import psycopg
from psycopg import sql

# name -> attributes. Only the admin, who made the cluster, is a superuser.
LOGINS: dict[str, LiteralString] = {
    "owner": "login createdb nocreaterole nosuperuser nobypassrls",
    "app": "login nocreatedb nocreaterole nosuperuser nobypassrls",
}


def create(admin_url: str, secrets: dict[str, str]) -> None:
    """Make what is missing and set the passwords; running it again changes nothing.

    `vector` goes into template1 as well, so that databases the owner makes have it: creating
    the extension needs a superuser, which the owner is not.
    """
    with psycopg.connect(admin_url, autocommit=True) as admin:
        for name, attributes in LOGINS.items():
            _make_role(admin, f"hub_{name}")
            change = sql.SQL("alter role {} with {} password {}").format(
                sql.Identifier(f"hub_{name}"),
                sql.SQL(attributes),
                sql.Literal(secrets[f"database_{name}_password"]),
            )
            admin.execute(change)
        _make_role(admin, "hub_search")
        admin.execute("alter role hub_search with nologin nosuperuser nobypassrls")
        # The owner may hand a function to hub_search, but does not act with its rights.
        admin.execute("grant hub_search to hub_owner with set true, inherit false")
        _extend(admin_url, "template1")
        if not admin.execute("select 1 from pg_database where datname = 'hub'").fetchone():
            admin.execute("create database hub owner hub_owner")
        admin.execute("revoke all on database hub from public")
        admin.execute("grant connect on database hub to hub_app")
    _extend(admin_url, "hub")


def _make_role(admin: psycopg.Connection, name: str) -> None:
    if not admin.execute("select 1 from pg_roles where rolname = %s", [name]).fetchone():
        admin.execute(sql.SQL("create role {}").format(sql.Identifier(name)))


def _extend(admin_url: str, database: str) -> None:
    with psycopg.connect(admin_url, dbname=database, autocommit=True) as session:
        found = session.execute(
            "select installed_version, default_version from pg_available_extensions where name = 'vector'"
        ).fetchone()
        if found and found[0] is None:
            session.execute("create extension vector")
        elif found and found[0] != found[1]:
            session.execute("alter extension vector update")
