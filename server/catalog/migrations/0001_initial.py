import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

TOUCHED = (
    "catalog_vendor",
    "catalog_drivemodel",
    "catalog_citation",
    "catalog_claim",
    "catalog_literaturevalue",
)
TOUCH = """
CREATE FUNCTION diskatlas_touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := clock_timestamp();
  RETURN NEW;
END $$
"""


def touch_trigger(table: str) -> migrations.RunSQL:
    """Return the trigger that dates each change of a row, whoever makes it."""
    return migrations.RunSQL(
        f"CREATE TRIGGER {table}_touch BEFORE INSERT OR UPDATE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION diskatlas_touch()",
        f"DROP TRIGGER {table}_touch ON {table}",
    )


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Citation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("loaded_digest", models.CharField(default="", max_length=64)),
                ("key", models.SlugField(max_length=64, unique=True)),
                ("authors", models.CharField(max_length=300)),
                ("title", models.CharField(max_length=300)),
                ("year", models.PositiveSmallIntegerField(null=True)),
                ("publisher", models.CharField(max_length=200)),
                ("url", models.URLField()),
            ],
            options={"ordering": ["year", "key"]},
        ),
        migrations.CreateModel(
            name="Vendor",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("name", models.CharField(max_length=256)),
                ("slug", models.SlugField(max_length=100, unique=True)),
                ("normalized", models.CharField(max_length=512, unique=True)),
            ],
            options={
                "ordering": ["name"],
                "indexes": [models.Index(fields=["name", "id"], name="vendor_by_name")],
            },
        ),
        migrations.CreateModel(
            name="DriveModel",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("loaded_digest", models.CharField(default="", max_length=64)),
                ("number", models.CharField(max_length=256)),
                ("name", models.CharField(max_length=100)),
                ("slug", models.SlugField(max_length=200, unique=True)),
                ("normalized", models.CharField(max_length=512)),
                ("curated", models.BooleanField(default=False)),
                ("year", models.PositiveSmallIntegerField(null=True)),
                ("interface", models.CharField(max_length=32)),
                ("form_factor", models.CharField(max_length=64)),
                ("capacity_bytes", models.PositiveBigIntegerField(null=True)),
                ("capacity_tolerance", models.FloatField(default=0.01)),
                ("rated_rpm", models.FloatField(null=True)),
                ("rated_surfaces", models.PositiveSmallIntegerField(null=True)),
                ("family", models.CharField(max_length=100)),
                ("recording", models.CharField(max_length=8)),
                ("simulated", models.BooleanField(default=False)),
                ("notes", models.TextField()),
                ("search_text", models.TextField()),
                (
                    "vendor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="drive_models",
                        to="catalog.vendor",
                    ),
                ),
            ],
            options={
                "ordering": ["vendor__name", "number"],
                "indexes": [
                    models.Index(fields=["rated_rpm", "capacity_bytes"], name="drivemodel_class"),
                    models.Index(
                        django.contrib.postgres.indexes.OpClass("normalized", name="varchar_pattern_ops"),
                        name="drivemodel_prefix",
                    ),
                    models.Index(fields=["updated_at", "id"], name="drivemodel_by_change"),
                    models.Index(fields=["capacity_bytes", "id"], name="drivemodel_by_capacity"),
                    models.Index(fields=["rated_rpm", "id"], name="drivemodel_by_rotation"),
                    models.Index(fields=["year", "id"], name="drivemodel_by_year"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("vendor", "normalized"), name="drivemodel_unique_per_vendor"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("rated_rpm__isnull", True), ("rated_rpm__gt", 0), _connector="OR"
                        ),
                        name="drivemodel_rpm_positive",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("capacity_bytes__isnull", True), ("capacity_bytes__gt", 0), _connector="OR"
                        ),
                        name="drivemodel_capacity_positive",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("recording__in", ["", "LMR", "PMR", "CMR", "SMR"])),
                        name="drivemodel_recording_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("capacity_tolerance__gte", 0), ("capacity_tolerance__lte", 1)),
                        name="drivemodel_tolerance_is_fraction",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="VendorAlias",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("text", models.CharField(max_length=256)),
                ("normalized", models.CharField(max_length=512, unique=True)),
                (
                    "vendor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="aliases",
                        to="catalog.vendor",
                    ),
                ),
            ],
            options={"verbose_name_plural": "vendor aliases"},
        ),
        migrations.CreateModel(
            name="Claim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("loaded_digest", models.CharField(default="", max_length=64)),
                ("locator", models.CharField(max_length=100)),
                ("stated_on", models.CharField(max_length=10)),
                ("metric", models.CharField(max_length=64)),
                ("scope", models.CharField(max_length=64)),
                ("form", models.CharField(max_length=16)),
                ("quantity", models.CharField(default="same", max_length=16)),
                ("low", models.FloatField(null=True)),
                ("high", models.FloatField(null=True)),
                ("unit", models.CharField(max_length=16)),
                ("printed", models.CharField(max_length=100)),
                ("tolerance", models.FloatField(null=True)),
                ("conditions", models.CharField(max_length=300)),
                ("write_cache", models.CharField(max_length=3)),
                ("note", models.CharField(max_length=600)),
                ("hidden", models.BooleanField(default=False)),
                (
                    "citation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="claims",
                        to="catalog.citation",
                    ),
                ),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claims",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
            options={
                "ordering": ["metric", "scope"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("low__isnull", False), ("high__isnull", False), _connector="OR"),
                        name="claim_states_a_number",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("low__isnull", True),
                            ("high__isnull", True),
                            ("low__lte", models.F("high")),
                            _connector="OR",
                        ),
                        name="claim_low_not_above_high",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("form__in", ["typical", "minimum", "maximum", "range"])),
                        name="claim_form_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("form", "minimum"), ("high__isnull", True), ("low__isnull", False)),
                            models.Q(("form", "maximum"), ("high__isnull", False), ("low__isnull", True)),
                            models.Q(
                                ("form__in", ["typical", "range"]),
                                ("high__isnull", False),
                                ("low__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="claim_numbers_fit_form",
                    ),
                    models.UniqueConstraint(
                        fields=(
                            "drive_model",
                            "citation",
                            "locator",
                            "metric",
                            "scope",
                            "form",
                            "quantity",
                            "conditions",
                        ),
                        name="claim_stated_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DriveAlias",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("text", models.CharField(max_length=512)),
                ("normalized", models.CharField(max_length=512, unique=True)),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="aliases",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
            options={"verbose_name_plural": "drive aliases"},
        ),
        migrations.CreateModel(
            name="LiteratureValue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("loaded_digest", models.CharField(default="", max_length=64)),
                ("locator", models.CharField(max_length=100)),
                ("metric", models.CharField(max_length=64)),
                ("scope", models.CharField(max_length=64)),
                ("relation", models.CharField(default="=", max_length=1)),
                ("value", models.FloatField()),
                ("unit", models.CharField(max_length=16)),
                ("printed", models.CharField(max_length=64)),
                ("basis", models.CharField(default="measured", max_length=16)),
                ("deviation", models.FloatField(null=True)),
                (
                    "samples",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.FloatField(), default=list, size=None
                    ),
                ),
                ("count", models.PositiveIntegerField(null=True)),
                ("units", models.PositiveIntegerField(null=True)),
                ("conditions", models.CharField(max_length=300)),
                ("note", models.CharField(max_length=600)),
                ("hidden", models.BooleanField(default=False)),
                (
                    "citation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="values",
                        to="catalog.citation",
                    ),
                ),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="literature_values",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
            options={
                "ordering": ["metric", "scope"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("drive_model", "citation", "locator", "metric", "scope"),
                        name="literaturevalue_stated_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("deviation__isnull", True), ("deviation__gte", 0), _connector="OR"
                        ),
                        name="literaturevalue_deviation_not_negative",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("basis__in", ["measured", "derived", "specification", "stated", "simulated"])
                        ),
                        name="literaturevalue_basis_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("relation__in", ["=", "~", "<", ">"])),
                        name="literaturevalue_relation_known",
                    ),
                ],
            },
        ),
        migrations.RunSQL(TOUCH, "DROP FUNCTION diskatlas_touch()"),
        *(touch_trigger(table) for table in TOUCHED),
    ]
