"""Migrations hold the database; words for people and rules of forms stay in the models (decision 0198)."""

from __future__ import annotations

from typing import Any

from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.questioner import MigrationQuestioner
from django.db.migrations.state import ProjectState
from django.db.models import Field

NOT_IN_THE_DATABASE = frozenset(
    {"blank", "choices", "editable", "error_messages", "help_text", "validators", "verbose_name"}
)
"""Those of Django's own `Field.non_db_attrs` that no code in a migration needs."""


class DatabaseAutodetector(MigrationAutodetector):
    """Compares and writes fields without `NOT_IN_THE_DATABASE`."""

    def __init__(
        self, from_state: ProjectState, to_state: ProjectState, questioner: MigrationQuestioner | None = None
    ) -> None:
        for state in (from_state, to_state):
            for model in state.models.values():
                model.fields = {name: _database_field(field) for name, field in model.fields.items()}
        super().__init__(from_state, to_state, questioner)


def _database_field(field: Field[Any, Any]) -> Field[Any, Any]:
    """Return a copy of the field, as `Field.clone` makes it."""
    _, _, args, options = field.deconstruct()
    return type(field)(*args, **{key: options[key] for key in options if key not in NOT_IN_THE_DATABASE})
