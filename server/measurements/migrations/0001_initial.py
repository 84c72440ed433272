import django.core.serializers.json
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

# A run changes for its readers when it is published or withdrawn, and when a published one is extracted anew.
# The first extraction, before anyone can read it, leaves the run's row alone: nothing waits for its lock.
TOUCH = (
    (
        """
        CREATE FUNCTION submission_touches_run() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE measurements_run SET updated_at = clock_timestamp() WHERE submission_id = NEW.id;
          RETURN NULL;
        END $$
        """,
        "DROP FUNCTION submission_touches_run()",
    ),
    (
        """
        CREATE FUNCTION benchmark_touches_run() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE measurements_run SET updated_at = clock_timestamp()
          FROM submissions_submission
          WHERE measurements_run.run_id = NEW.run_id
            AND submissions_submission.id = measurements_run.submission_id
            AND submissions_submission.state = 'published';
          RETURN NULL;
        END $$
        """,
        "DROP FUNCTION benchmark_touches_run()",
    ),
    (
        "CREATE TRIGGER run_touch BEFORE INSERT OR UPDATE ON measurements_run "
        "FOR EACH ROW EXECUTE FUNCTION diskatlas_touch()",
        "DROP TRIGGER run_touch ON measurements_run",
    ),
    (
        "CREATE TRIGGER submission_touch AFTER UPDATE OF state ON submissions_submission "
        "FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) "
        "EXECUTE FUNCTION submission_touches_run()",
        "DROP TRIGGER submission_touch ON submissions_submission",
    ),
    (
        "CREATE TRIGGER benchmark_touch AFTER UPDATE OF state, extractor_version, extracted_at "
        "ON measurements_benchmark FOR EACH ROW EXECUTE FUNCTION benchmark_touches_run()",
        "DROP TRIGGER benchmark_touch ON measurements_benchmark",
    ),
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [("catalog", "0001_initial"), ("submissions", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Aggregate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("provenance", models.CharField(max_length=16)),
                ("metric", models.CharField(max_length=64)),
                ("scope", models.CharField(max_length=64)),
                ("n", models.PositiveIntegerField()),
                ("units", models.PositiveIntegerField()),
                ("excluded", models.PositiveIntegerField(default=0)),
                ("mean", models.FloatField()),
                ("median", models.FloatField()),
                ("stdev", models.FloatField(null=True)),
                ("q1", models.FloatField()),
                ("q3", models.FloatField()),
                ("minimum", models.FloatField()),
                ("maximum", models.FloatField()),
                ("differing", models.JSONField(default=dict)),
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
                    models.Index(
                        fields=["metric", "scope", "provenance", "median"], name="aggregate_ranking"
                    ),
                    models.Index(fields=["median", "id"], name="aggregate_by_median"),
                    models.Index(fields=["updated_at", "id"], name="aggregate_by_change"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("drive_model", "provenance", "metric", "scope"),
                        name="aggregate_unique_per_provenance",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("provenance__in", ["probe", "simulated", "imported"])),
                        name="aggregate_provenance_known",
                    ),
                    models.CheckConstraint(condition=models.Q(("n__gt", 0)), name="aggregate_of_something"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AggregateCost",
            fields=[
                (
                    "drive_model",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="aggregate_cost",
                        serialize=False,
                        to="catalog.drivemodel",
                    ),
                ),
                ("at", models.DateTimeField()),
                ("took_s", models.FloatField()),
            ],
        ),
        migrations.CreateModel(
            name="AggregateDue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("since", models.DateTimeField(auto_now_add=True)),
                ("not_before", models.DateTimeField(null=True)),
                ("changes", models.PositiveIntegerField(default=1)),
                (
                    "drive_model",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="aggregate_due",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
            options={"verbose_name_plural": "aggregates due"},
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("year", models.PositiveSmallIntegerField(null=True)),
                ("week", models.PositiveSmallIntegerField(null=True)),
                ("label", models.CharField(max_length=128)),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("drive_model", "year", "week", "label"),
                        name="batch_unique",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("week__isnull", True),
                            models.Q(("week__gte", 1), ("week__lte", 53)),
                            _connector="OR",
                        ),
                        name="batch_week_is_iso",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("week__isnull", False), ("year__isnull", False)),
                            models.Q(("label", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="batch_says_something",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Unit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
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
            options={
                "indexes": [models.Index(fields=["first_seen_at", "id"], name="unit_by_sight")],
                "constraints": [
                    models.UniqueConstraint(fields=("drive_model", "digest"), name="unit_unique_per_model"),
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="unit_digest_is_hex"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("run_id", models.UUIDField(primary_key=True, serialize=False)),
                ("provenance", models.CharField(max_length=16)),
                ("created_at", models.DateTimeField()),
                ("license", models.CharField(max_length=32)),
                ("firmware", models.CharField(max_length=256)),
                ("capacity_bytes", models.PositiveBigIntegerField()),
                ("block_bytes", models.PositiveIntegerField()),
                ("measured_on_request", models.BooleanField(db_default=False, default=False)),
                ("summary", models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "batch",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="measurements.batch",
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
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="run",
                        to="submissions.submission",
                    ),
                ),
                (
                    "unit",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="measurements.unit",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "indexes": [
                    models.Index(fields=["drive_model", "provenance", "-created_at"], name="run_of_model"),
                    models.Index(fields=["drive_model", "firmware"], name="run_by_firmware"),
                    models.Index(fields=["created_at", "run_id"], name="run_by_creation"),
                    models.Index(fields=["updated_at", "run_id"], name="run_by_change"),
                    models.Index(fields=["capacity_bytes"], name="run_by_capacity"),
                    models.Index(fields=["block_bytes"], name="run_by_block"),
                    models.Index(fields=["license"], name="run_by_license"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("provenance__in", ["probe", "simulated", "imported"])),
                        name="run_provenance_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("capacity_bytes__gt", 0)), name="run_capacity_positive"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("block_bytes__gt", 0)), name="run_block_positive"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Benchmark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=32)),
                ("position", models.PositiveSmallIntegerField()),
                ("version", models.PositiveSmallIntegerField(default=1)),
                ("state", models.CharField(default="pending", max_length=16)),
                ("reason", models.TextField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("elapsed_ns", models.PositiveBigIntegerField(null=True)),
                ("samples", models.PositiveBigIntegerField(null=True)),
                ("caches", models.JSONField(null=True)),
                ("medium_errors", models.PositiveIntegerField(default=0)),
                ("extractor_version", models.CharField(max_length=32)),
                ("extracted_at", models.DateTimeField(null=True)),
                ("details", models.JSONField(default=dict)),
                ("charts_version", models.CharField(max_length=80)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="benchmarks",
                        to="measurements.run",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "indexes": [models.Index(fields=["state", "id"], name="benchmark_by_state")],
                "constraints": [
                    models.UniqueConstraint(fields=("run", "kind"), name="benchmark_once_per_run"),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["pending", "extracted", "failed", "skipped"])),
                        name="benchmark_state_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DriveChart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("provenance", models.CharField(max_length=16)),
                ("kind", models.CharField(max_length=32)),
                ("chart_id", models.CharField(max_length=64)),
                ("position", models.PositiveSmallIntegerField()),
                ("units", models.PositiveIntegerField()),
                ("data", models.BinaryField()),
                ("updated_at", models.DateTimeField()),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="charts",
                        to="catalog.drivemodel",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="measurements.run"
                    ),
                ),
            ],
            options={
                "ordering": ["kind", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("drive_model", "provenance", "kind", "chart_id"), name="chart_once_per_model"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Measurement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("extractor_version", models.CharField(max_length=32)),
                ("metric", models.CharField(max_length=64)),
                ("scope", models.CharField(max_length=64)),
                ("value", models.FloatField(null=True)),
                ("low", models.FloatField(null=True)),
                ("high", models.FloatField(null=True)),
                ("level", models.FloatField(default=0.95)),
                ("count", models.PositiveIntegerField()),
                ("quality", models.CharField(max_length=8)),
                ("reason", models.TextField()),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="measurements",
                        to="measurements.benchmark",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(fields=["metric", "scope"], name="measurement_by_metric"),
                    models.Index(fields=["metric", "value"], name="measurement_by_value"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("benchmark", "metric", "scope", "extractor_version"),
                        name="measurement_once_per_extractor",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("quality__in", ["good", "fair", "poor", "none"])),
                        name="measurement_quality_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("value__isnull", False), models.Q(("reason", ""), _negated=True), _connector="OR"
                        ),
                        name="measurement_value_or_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("low__isnull", True),
                            ("high__isnull", True),
                            ("low__lte", models.F("high")),
                            _connector="OR",
                        ),
                        name="measurement_low_not_above_high",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="StoredChart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("chart_id", models.CharField(max_length=64)),
                ("position", models.PositiveSmallIntegerField()),
                ("data", models.BinaryField()),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="charts",
                        to="measurements.benchmark",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("benchmark", "chart_id"), name="chart_once_per_benchmark")
                ],
            },
        ),
        *(migrations.RunSQL(make, drop) for make, drop in TOUCH),
    ]
