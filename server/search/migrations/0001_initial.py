from typing import Any

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import ProgrammingError, migrations, models, transaction

# The index of names' trigrams, where the server has the extension: it is no part of PostgreSQL's core.
AVAILABLE = "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')"
INDEX = "CREATE INDEX drivesummary_names_trgm ON search_drivesummary USING gin (names gin_trgm_ops)"


def index_make(apps: Any, schema_editor: Any) -> None:
    """Make extension and index; without them names are compared in memory (decision 0176)."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(AVAILABLE)
        if cursor.fetchone() == (False,):
            return
        try:
            with transaction.atomic(using=schema_editor.connection.alias):
                cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except ProgrammingError:
            return  # The role may not: `CREATE` on the database is what it takes.
        cursor.execute(INDEX)


class Migration(migrations.Migration):
    initial = True

    dependencies = [("catalog", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ArchiveCounts",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("models_listed", models.PositiveIntegerField(default=0)),
                ("models_measured", models.PositiveIntegerField(default=0)),
                ("units", models.PositiveIntegerField(default=0)),
                ("measured_runs", models.PositiveIntegerField(default=0)),
                ("simulated_runs", models.PositiveIntegerField(default=0)),
                ("samples", models.PositiveBigIntegerField(default=0)),
                ("measurements", models.PositiveBigIntegerField(default=0)),
                ("claims", models.PositiveIntegerField(default=0)),
                ("facets", models.JSONField(default=dict)),
                ("bandwidth_ranges", models.JSONField(default=list)),
                ("updated_at", models.DateTimeField()),
            ],
            options={
                "verbose_name_plural": "archive counts",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="archivecounts_one_row")
                ],
            },
        ),
        migrations.CreateModel(
            name="ArchiveCountsDue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("since", models.DateTimeField()),
            ],
            options={"verbose_name_plural": "archive counts due"},
        ),
        migrations.CreateModel(
            name="DriveSummary",
            fields=[
                (
                    "drive_model",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="summary",
                        serialize=False,
                        to="catalog.drivemodel",
                    ),
                ),
                ("listed", models.BooleanField()),
                ("sort_name", models.CharField(max_length=600)),
                ("family", models.CharField(max_length=100)),
                ("capacity_bytes", models.PositiveBigIntegerField(null=True)),
                ("rpm", models.FloatField(null=True)),
                ("interface", models.CharField(max_length=32)),
                ("form_factor", models.CharField(max_length=64)),
                ("recording", models.CharField(max_length=8)),
                ("year", models.PositiveSmallIntegerField(null=True)),
                ("measured_runs", models.PositiveIntegerField(default=0)),
                ("simulated_runs", models.PositiveIntegerField(default=0)),
                ("units", models.PositiveIntegerField(default=0)),
                ("batches", models.PositiveIntegerField(default=0)),
                ("firmwares", models.PositiveIntegerField(default=0)),
                ("samples", models.PositiveBigIntegerField(default=0)),
                ("measurements", models.PositiveIntegerField(default=0)),
                ("claims", models.PositiveIntegerField(default=0)),
                ("literature_values", models.PositiveIntegerField(default=0)),
                ("verdicts", models.JSONField(default=dict)),
                (
                    "outcomes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16), default=list, size=None
                    ),
                ),
                (
                    "provenances",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16), default=list, size=None
                    ),
                ),
                (
                    "facets",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120), default=list, size=None
                    ),
                ),
                ("names", models.TextField()),
                ("headline", models.JSONField(default=dict)),
                ("last_published_at", models.DateTimeField(null=True)),
                ("recommended_rank", models.PositiveSmallIntegerField(null=True)),
                ("recommended_words", models.CharField(max_length=400)),
                ("updated_at", models.DateTimeField()),
                (
                    "vendor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="catalog.vendor"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "drive summaries",
                "ordering": ["sort_name", "drive_model_id"],
                "indexes": [
                    models.Index(fields=["sort_name", "drive_model"], name="drivesummary_by_name"),
                    models.Index(fields=["vendor"], name="drivesummary_vendor"),
                    models.Index(
                        condition=models.Q(("listed", True), ("recommended_rank__isnull", False)),
                        fields=["recommended_rank", "-measured_runs", "sort_name"],
                        name="drivesummary_recommended",
                    ),
                    django.contrib.postgres.indexes.GinIndex(fields=["facets"], name="drivesummary_facets"),
                ],
            },
        ),
        migrations.RunPython(
            index_make,
            lambda apps, editor: editor.execute("DROP INDEX IF EXISTS drivesummary_names_trgm"),
        ),
    ]
