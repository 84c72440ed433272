import django.core.serializers.json
import django.db.models.deletion
from django.db import migrations, models

import server.core.ids


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_initial"),
        ("catalog", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Benchmark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=32)),
                (
                    "position",
                    models.PositiveSmallIntegerField(help_text="Index in the document's `benchmarks`."),
                ),
                (
                    "version",
                    models.PositiveSmallIntegerField(default=1, help_text="Version of the kind's schema."),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("extracted", "Extracted"),
                            ("failed", "Failed"),
                            ("skipped", "Skipped"),
                        ],
                        default="pending",
                        max_length=16,
                    ),
                ),
                ("reason", models.TextField(blank=True, help_text="Why it was skipped or failed.")),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("elapsed_ns", models.PositiveBigIntegerField(blank=True, null=True)),
                ("medium_errors", models.PositiveIntegerField(default=0)),
                ("extractor_version", models.CharField(blank=True, max_length=32)),
                ("extracted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "details",
                    models.JSONField(default=dict, help_text="Intermediate results that charts need."),
                ),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="AggregateDue",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField(auto_now_add=True)),
                (
                    "drive_model",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="aggregate_due",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "aggregates due",
            },
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("year", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("week", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("label", models.CharField(blank=True, max_length=128)),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "batches",
            },
        ),
        migrations.CreateModel(
            name="Measurement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("extractor_version", models.CharField(max_length=32)),
                ("metric", models.CharField(max_length=64)),
                ("scope", models.CharField(blank=True, max_length=64)),
                ("value", models.FloatField(blank=True, null=True)),
                ("low", models.FloatField(blank=True, null=True)),
                ("high", models.FloatField(blank=True, null=True)),
                ("level", models.FloatField(default=0.95, help_text="Confidence level of [low, high].")),
                ("count", models.PositiveIntegerField(help_text="Samples behind the number.")),
                ("quality", models.CharField(max_length=8)),
                ("reason", models.TextField(blank=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="measurements",
                        to="runs.benchmark",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("run_id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "provenance",
                    models.CharField(choices=[("probe", "Probe"), ("simulated", "Simulated")], max_length=16),
                ),
                ("created_at", models.DateTimeField(help_text="When the probe says that it measured.")),
                ("license", models.CharField(max_length=32)),
                ("firmware", models.CharField(blank=True, max_length=256)),
                ("capacity_bytes", models.PositiveBigIntegerField()),
                ("block_bytes", models.PositiveIntegerField()),
                (
                    "summary",
                    models.JSONField(
                        encoder=django.core.serializers.json.DjangoJSONEncoder,
                        help_text="The document without its samples.",
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="runs.batch",
                    ),
                ),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.AddField(
            model_name="benchmark",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="benchmarks", to="runs.run"
            ),
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=server.core.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="Lower-case hex SHA-256 of the envelope's bytes.",
                        max_length=64,
                        unique=True,
                    ),
                ),
                ("size_bytes", models.PositiveBigIntegerField()),
                (
                    "storage_name",
                    models.CharField(
                        blank=True, help_text="Empty once a rejected envelope expired.", max_length=200
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("verified", "Verified"),
                            ("validated", "Validated"),
                            ("extracted", "Extracted"),
                            ("published", "Published"),
                            ("rejected", "Rejected"),
                            ("quarantined", "Quarantined"),
                        ],
                        default="received",
                        max_length=16,
                    ),
                ),
                ("received_at", models.DateTimeField()),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Starts of the present step that did not end."
                    ),
                ),
                (
                    "sweeps",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Times the sweeper put it into the queue again."
                    ),
                ),
                (
                    "next_sweep_at",
                    models.DateTimeField(help_text="When the sweeper takes its queue message for lost."),
                ),
                (
                    "probe_key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="accounts.probekey",
                    ),
                ),
            ],
            options={
                "ordering": ["-received_at"],
            },
        ),
        migrations.AddField(
            model_name="run",
            name="submission",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="run", to="runs.submission"
            ),
        ),
        migrations.CreateModel(
            name="SubmissionEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("verified", "Verified"),
                            ("validated", "Validated"),
                            ("extracted", "Extracted"),
                            ("published", "Published"),
                            ("rejected", "Rejected"),
                            ("quarantined", "Quarantined"),
                        ],
                        max_length=16,
                    ),
                ),
                ("reason", models.TextField()),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="runs.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "id"],
            },
        ),
        migrations.CreateModel(
            name="Unit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("first_seen_at", models.DateTimeField()),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="units",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="run",
            name="unit",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                to="runs.unit",
            ),
        ),
        migrations.CreateModel(
            name="Aggregate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "provenance",
                    models.CharField(choices=[("probe", "Probe"), ("simulated", "Simulated")], max_length=16),
                ),
                ("metric", models.CharField(max_length=64)),
                ("scope", models.CharField(blank=True, max_length=64)),
                ("n", models.PositiveIntegerField(help_text="Runs behind the statistics.")),
                ("units", models.PositiveIntegerField(help_text="Different physical drives among them.")),
                (
                    "excluded",
                    models.PositiveIntegerField(
                        default=0, help_text="Runs whose value was too poor to count."
                    ),
                ),
                ("mean", models.FloatField()),
                ("median", models.FloatField()),
                (
                    "stdev",
                    models.FloatField(
                        blank=True, help_text="Sample standard deviation; null for a single run.", null=True
                    ),
                ),
                ("q1", models.FloatField()),
                ("q3", models.FloatField()),
                ("minimum", models.FloatField()),
                ("maximum", models.FloatField()),
                ("updated_at", models.DateTimeField()),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="aggregates",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
            options={
                "ordering": ["metric", "scope"],
                "indexes": [
                    models.Index(fields=["metric", "scope", "provenance", "median"], name="aggregate_ranking")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("drive_model", "provenance", "metric", "scope"),
                        name="aggregate_unique_per_provenance",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("provenance__in", ["probe", "simulated"])),
                        name="aggregate_provenance_known",
                    ),
                    models.CheckConstraint(condition=models.Q(("n__gt", 0)), name="aggregate_of_something"),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.UniqueConstraint(
                fields=("drive_model", "year", "week", "label"), name="batch_unique", nulls_distinct=False
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("week__isnull", True), models.Q(("week__gte", 1), ("week__lte", 53)), _connector="OR"
                ),
                name="batch_week_is_iso",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("week__isnull", False), ("year__isnull", False)),
                    models.Q(("label", ""), _negated=True),
                    _connector="OR",
                ),
                name="batch_says_something",
            ),
        ),
        migrations.AddIndex(
            model_name="measurement",
            index=models.Index(fields=["metric", "scope"], name="measurement_by_metric"),
        ),
        migrations.AddConstraint(
            model_name="measurement",
            constraint=models.UniqueConstraint(
                fields=("benchmark", "metric", "scope", "extractor_version"),
                name="measurement_once_per_extractor",
            ),
        ),
        migrations.AddConstraint(
            model_name="measurement",
            constraint=models.CheckConstraint(
                condition=models.Q(("quality__in", ["good", "fair", "poor", "none"])),
                name="measurement_quality_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="measurement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("value__isnull", False), models.Q(("reason", ""), _negated=True), _connector="OR"
                ),
                name="measurement_value_or_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="measurement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("low__isnull", True),
                    ("high__isnull", True),
                    ("low__lte", models.F("high")),
                    _connector="OR",
                ),
                name="measurement_low_not_above_high",
            ),
        ),
        migrations.AddConstraint(
            model_name="benchmark",
            constraint=models.UniqueConstraint(fields=("run", "kind"), name="benchmark_once_per_run"),
        ),
        migrations.AddConstraint(
            model_name="benchmark",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["pending", "extracted", "failed", "skipped"])),
                name="benchmark_state_known",
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("state__in", ["received", "verified", "validated", "extracted"])),
                fields=["next_sweep_at"],
                name="submission_active",
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["-published_at"], name="submission_latest"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["state", "received_at"], name="submission_by_state"),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="submission_digest_is_hex"
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        [
                            "received",
                            "verified",
                            "validated",
                            "extracted",
                            "published",
                            "rejected",
                            "quarantined",
                        ],
                    )
                ),
                name="submission_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "published"), _negated=True),
                    ("published_at__isnull", False),
                    _connector="OR",
                ),
                name="submission_published_has_time",
            ),
        ),
        migrations.AddIndex(
            model_name="submissionevent",
            index=models.Index(fields=["submission", "at"], name="submissionevent_in_order"),
        ),
        migrations.AddConstraint(
            model_name="unit",
            constraint=models.UniqueConstraint(
                fields=("drive_model", "digest"), name="unit_unique_per_model"
            ),
        ),
        migrations.AddConstraint(
            model_name="unit",
            constraint=models.CheckConstraint(
                condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="unit_digest_is_hex"
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["drive_model", "provenance", "-created_at"], name="run_of_model"),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("provenance__in", ["probe", "simulated"])), name="run_provenance_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("capacity_bytes__gt", 0)), name="run_capacity_positive"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("block_bytes__gt", 0)), name="run_block_positive"
            ),
        ),
    ]
