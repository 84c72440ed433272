import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Citation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.SlugField(max_length=64, unique=True)),
                ("authors", models.CharField(max_length=300)),
                ("title", models.CharField(max_length=300)),
                ("year", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("publisher", models.CharField(blank=True, max_length=200)),
                ("url", models.URLField(blank=True)),
            ],
            options={
                "ordering": ["year", "key"],
            },
        ),
        migrations.CreateModel(
            name="DriveModel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.CharField(help_text="Model number, for example ST2000NM0001.", max_length=256),
                ),
                (
                    "name",
                    models.CharField(
                        blank=True, help_text="What people call it, for example Hawk.", max_length=100
                    ),
                ),
                ("slug", models.SlugField(max_length=200, unique=True)),
                ("normalized", models.CharField(max_length=512)),
                ("curated", models.BooleanField(default=False, help_text="A person has checked the entry.")),
                ("year", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("interface", models.CharField(blank=True, max_length=32)),
                ("form_factor", models.CharField(blank=True, max_length=64)),
                ("capacity_bytes", models.PositiveBigIntegerField(blank=True, null=True)),
                (
                    "capacity_tolerance",
                    models.FloatField(
                        default=0.01,
                        help_text="How far a unit's capacity may be from the model's, as a fraction.",
                    ),
                ),
                ("rated_rpm", models.FloatField(blank=True, null=True)),
                ("rated_surfaces", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "simulated",
                    models.BooleanField(default=False, help_text="A model that exists only in a simulator."),
                ),
                ("notes", models.TextField(blank=True)),
                (
                    "search_text",
                    models.TextField(
                        editable=False, help_text="Names and aliases, and their normalised forms."
                    ),
                ),
                (
                    "search",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.contrib.postgres.search.SearchVector(
                            "search_text", config="simple"
                        ),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
                    ),
                ),
            ],
            options={
                "ordering": ["vendor__name", "number"],
            },
        ),
        migrations.CreateModel(
            name="Vendor",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=256)),
                ("slug", models.SlugField(max_length=100, unique=True)),
                ("normalized", models.CharField(max_length=512, unique=True)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="DriveAlias",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
            options={
                "verbose_name_plural": "drive aliases",
            },
        ),
        migrations.AddField(
            model_name="drivemodel",
            name="vendor",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="drive_models", to="catalog.vendor"
            ),
        ),
        migrations.CreateModel(
            name="VendorAlias",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
            options={
                "verbose_name_plural": "vendor aliases",
            },
        ),
        migrations.CreateModel(
            name="Claim",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("locator", models.CharField(blank=True, max_length=100)),
                ("metric", models.CharField(max_length=64)),
                ("scope", models.CharField(blank=True, max_length=64)),
                (
                    "form",
                    models.CharField(
                        choices=[
                            ("typical", "Typical"),
                            ("minimum", "Minimum"),
                            ("maximum", "Maximum"),
                            ("range", "Range"),
                        ],
                        max_length=16,
                    ),
                ),
                ("low", models.FloatField(blank=True, null=True)),
                ("high", models.FloatField(blank=True, null=True)),
                ("unit", models.CharField(max_length=16)),
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
                ],
            },
        ),
        migrations.CreateModel(
            name="LiteratureValue",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "locator",
                    models.CharField(help_text="Where in the document, for example Table 3.", max_length=100),
                ),
                ("metric", models.CharField(max_length=64)),
                ("scope", models.CharField(blank=True, max_length=64)),
                ("value", models.FloatField()),
                ("unit", models.CharField(max_length=16)),
                ("note", models.CharField(blank=True, max_length=300)),
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
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="drivemodel",
            index=django.contrib.postgres.indexes.GinIndex(fields=["search"], name="drivemodel_search"),
        ),
        migrations.AddIndex(
            model_name="drivemodel",
            index=models.Index(
                django.contrib.postgres.indexes.OpClass("normalized", name="varchar_pattern_ops"),
                name="drivemodel_prefix",
            ),
        ),
        migrations.AddConstraint(
            model_name="drivemodel",
            constraint=models.UniqueConstraint(
                fields=("vendor", "normalized"), name="drivemodel_unique_per_vendor"
            ),
        ),
        migrations.AddConstraint(
            model_name="drivemodel",
            constraint=models.CheckConstraint(
                condition=models.Q(("rated_rpm__isnull", True), ("rated_rpm__gt", 0), _connector="OR"),
                name="drivemodel_rpm_positive",
            ),
        ),
        migrations.AddConstraint(
            model_name="drivemodel",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("capacity_bytes__isnull", True), ("capacity_bytes__gt", 0), _connector="OR"
                ),
                name="drivemodel_capacity_positive",
            ),
        ),
        migrations.AddConstraint(
            model_name="drivemodel",
            constraint=models.CheckConstraint(
                condition=models.Q(("capacity_tolerance__gte", 0), ("capacity_tolerance__lte", 1)),
                name="drivemodel_tolerance_is_fraction",
            ),
        ),
    ]
