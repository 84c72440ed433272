"""Migrations are safe while the version before still runs: it keeps every column that it reads and writes,
writes no row that a new column refuses, and waits for no table to be read from end to end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from django.apps import apps
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED, Field

LARGE = {
    *("run", "benchmark", "measurement", "aggregate", "submission", "submissionevent", "checkresult"),
    *("logleaf", "lognode", "drivemodel", "drivesummary", "chart", "probekey"),
}
"""Models whose tables grow with the runs or with the catalogue: a lock that lasts as long as reading one of
them stops uploads."""
BEFORE_THE_FIRST_RELEASE = {
    *(("accounts", f"000{number}") for number in range(2, 8)),
    *(("measurements", f"000{number}") for number in range(2, 8)),
    *(("transparency", f"000{number}") for number in range(2, 6)),
}
"""Their locks were short: nobody had tables of any size. What they do to rows is held all the same."""
FORBIDDEN = (
    *(migrations.RemoveField, migrations.DeleteModel, migrations.AlterModelTable),
    *(migrations.RenameField, migrations.RenameModel),
)


def findings(
    before: ProjectState, label: str, operations: list[Operation], *, locks: bool = True
) -> Iterator[str]:
    """Give what in a migration would harm the version before; `before` is changed to what follows it."""
    made: set[str] = set()
    for operation in operations:
        if isinstance(operation, FORBIDDEN):
            yield f"{operation.describe()}: the version before still uses it. Leave it for a later release."
        if isinstance(operation, migrations.CreateModel):
            made.add(operation.name_lower)
        if isinstance(operation, migrations.AddField) and operation.model_name_lower not in made:
            field = operation.field
            if not field.null and not field.many_to_many and field.db_default is NOT_PROVIDED:
                yield f"{operation.describe()}: the version before leaves it out. Give it a db_default."
        if isinstance(operation, migrations.AlterField):
            old = before.models[label, operation.model_name_lower].fields[operation.name]
            yield from altered(operation.describe(), old, operation.field)
        table = getattr(operation, "model_name", "").lower()
        if locks and table in LARGE - made:
            if isinstance(operation, migrations.AddIndex) and not isinstance(operation, AddIndexConcurrently):
                yield f"{operation.describe()}: nobody writes meanwhile. Use AddIndexConcurrently."
            plain = isinstance(operation, migrations.RemoveIndex)
            if plain and not isinstance(operation, RemoveIndexConcurrently):
                yield f"{operation.describe()}: waits for every reader. Use RemoveIndexConcurrently."
            if isinstance(operation, migrations.AddConstraint):
                yield f"{operation.describe()}: reads all rows. Use AddConstraintNotValid, then validate."
        operation.state_forwards(label, before)


def altered(what: str, old: Field, new: Field) -> Iterator[str]:
    """Give what a changed column refuses of the version before."""
    if old.null and not new.null:
        yield f"{what}: the version before writes nothing into it."
    if old.get_internal_type() != new.get_internal_type():
        yield f"{what}: another type rewrites the table, and the version before reads the old one."
    if old.max_length is not None and new.max_length is not None and new.max_length < old.max_length:
        yield f"{what}: the version before writes longer ones."


@pytest.fixture(scope="module")
def loader() -> MigrationLoader:
    return MigrationLoader(None)


OWN = sorted(one.label for one in apps.get_app_configs() if one.name.startswith("server."))


def later(loader: MigrationLoader, label: str) -> list[tuple[str, ProjectState, migrations.Migration]]:
    """Return an app's migrations after its first, each with the state before it."""
    names = sorted(name for app, name in loader.disk_migrations if app == label)
    return [
        (after, loader.project_state((label, before)), loader.disk_migrations[label, after])
        for before, after in pairwise(names)
    ]


@pytest.mark.parametrize("label", OWN)
def test_the_version_before_can_go_on_while_a_newer_one_migrates(loader: MigrationLoader, label: str) -> None:
    found = []
    final = loader.project_state()
    for name, state, migration in later(loader, label):
        locks = (label, name[:4]) not in BEFORE_THE_FIRST_RELEASE
        for words in findings(state, label, list(migration.operations), locks=locks):
            found.append(f"{label}.{name}: {words}")
    mended = [words for words in found if not words.endswith("db_default.") or lacks(final, words)]
    assert mended == []


def lacks(final: ProjectState, words: str) -> bool:
    """Return whether the column of a finding has no default of the database at the end, too."""
    label, field, model = words.split(".")[0], *words.split("Add field ")[1].split(": ")[0].split(" to ")
    return final.models[label, model].fields[field].db_default is NOT_PROVIDED


def sample_state() -> ProjectState:
    state = ProjectState()
    create = migrations.CreateModel(
        "Run",
        [("id", models.BigAutoField(primary_key=True)), ("size", models.IntegerField(null=True))],
    )
    create.state_forwards("sample", state)
    return state


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (migrations.RemoveField("run", "size"), "later release"),
        (migrations.RenameField("run", "size", "bytes"), "later release"),
        (migrations.DeleteModel("run"), "later release"),
        (migrations.AddField("run", "name", models.TextField(default="")), "db_default"),
        (migrations.AlterField("run", "size", models.IntegerField(default=0)), "writes nothing"),
        (migrations.AlterField("run", "size", models.TextField(null=True)), "another type"),
        (migrations.AddIndex("run", models.Index(fields=["size"], name="x")), "AddIndexConcurrently"),
        (migrations.RemoveIndex("run", "x"), "RemoveIndexConcurrently"),
        (
            migrations.AddConstraint("run", models.CheckConstraint(condition=models.Q(size=1), name="x")),
            "AddConstraintNotValid",
        ),
    ],
)
def test_what_harms_is_named(operation: Operation, words: str) -> None:
    state = sample_state()
    if isinstance(operation, migrations.RemoveIndex):
        index = migrations.AddIndex("run", models.Index(fields=["size"], name="x"))
        index.state_forwards("sample", state)
    (finding,) = findings(state, "sample", [operation])
    assert words in finding


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("run", "name", models.TextField(default="", db_default="")),
        migrations.AddField("run", "name", models.TextField(null=True)),
        migrations.CreateModel("Unit", [("id", models.BigAutoField(primary_key=True))]),
        AddIndexConcurrently("run", models.Index(fields=["size"], name="x")),
        migrations.RunSQL("SELECT 1"),
    ],
)
def test_what_harms_nobody_passes(operation: Operation) -> None:
    assert list(findings(sample_state(), "sample", [operation])) == []
