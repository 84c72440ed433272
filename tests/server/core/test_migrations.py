"""Migrations hold what the database holds, all of it and nothing else."""

from __future__ import annotations

from django.core.management import call_command
from django.db import models
from django.db.migrations.state import ModelState, ProjectState

from server.core.migration_state import DatabaseAutodetector


def changes(before: models.Field, after: models.Field) -> int:
    """Return how many operations lead from one field to the other."""
    states = [ProjectState(), ProjectState()]
    for state, field in zip(states, (before, after), strict=True):
        state.add_model(ModelState("catalog", "Example", [("text", field)]))
    found = DatabaseAutodetector(*states)._detect_changes()
    return sum(len(migration.operations) for made in found.values() for migration in made)


def test_migrations_are_complete(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_words_and_rules_of_forms_need_no_migration() -> None:
    after = models.CharField("A text", max_length=8, help_text="Any.", choices=[("a", "A")], blank=True)
    assert changes(models.CharField(max_length=8), after) == 0


def test_a_change_of_the_column_needs_one() -> None:
    assert changes(models.CharField(max_length=8), models.CharField(max_length=9)) == 1
    assert changes(models.CharField(max_length=8), models.CharField(max_length=8, null=True)) == 1
