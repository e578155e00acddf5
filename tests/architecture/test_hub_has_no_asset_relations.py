"""The hub's tables know nothing of assets, neither by a foreign key nor by a name put on them."""

from __future__ import annotations

from django.apps import apps
from django.db.models import Model

from hub.models import AuditEvent

# Guardian's base class puts the key to the user on its own models, without asking for a name.
GUARDIANS = {"User.assetusergrant"}


def points_at_assets(other: object) -> bool:
    return isinstance(other, type) and issubclass(other, Model) and other._meta.app_label == "assets"


def test_no_field_of_the_hub_points_at_an_asset() -> None:
    wrong = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_app_config("hub").get_models()
        for field in model._meta.get_fields()
        if field.is_relation and points_at_assets(field.related_model)
    }
    assert not wrong - GUARDIANS, f'use related_name="+" in assets: {wrong}'


def test_the_record_points_at_nothing() -> None:
    assert not [field.name for field in AuditEvent._meta.get_fields() if field.is_relation]
