import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.core.serializers.json
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("measurements", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="CheckResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("check_key", models.SlugField(max_length=32)),
                ("position", models.PositiveSmallIntegerField()),
                ("outcome", models.CharField(max_length=16)),
                ("words", models.TextField()),
                (
                    "figures",
                    models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder),
                ),
                ("at", models.DateTimeField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="check_results",
                        to="measurements.run",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("run", "check_key"), name="checkresult_once_per_run"),
                    models.CheckConstraint(
                        condition=models.Q(("outcome__in", ["passed", "held", "noted", "not_applicable"])),
                        name="checkresult_outcome_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SampleTrace",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=32)),
                ("times_digest", models.CharField(max_length=64)),
                ("places_digest", models.CharField(max_length=64)),
                ("first_times_ns", models.JSONField(default=list)),
                (
                    "near_keys",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="traces",
                        to="measurements.run",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("run", "kind"), name="sampletrace_once_per_kind"),
                ],
                "indexes": [
                    models.Index(fields=["times_digest"], name="sampletrace_by_times"),
                    django.contrib.postgres.indexes.GinIndex(
                        fastupdate=False, fields=["near_keys"], name="sampletrace_by_near_keys"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="UsedNonce",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="used_nonce",
                        to="measurements.run",
                    ),
                ),
            ],
        ),
    ]
