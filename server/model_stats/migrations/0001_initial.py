import django.core.serializers.json
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("catalog", "0001_initial"), ("measurements", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ModelStatsSnapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("provenance", models.CharField(max_length=16)),
                ("schema_version", models.PositiveSmallIntegerField()),
                ("statistics", models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("overview", models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stats_snapshots",
                        to="catalog.drivemodel",
                    ),
                ),
                (
                    "representative_run",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="measurements.run",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "statistics snapshots",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("drive_model", "provenance"), name="statssnapshot_one_each"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("provenance__in", ["probe", "simulated", "imported"])),
                        name="statssnapshot_provenance_known",
                    ),
                ],
            },
        )
    ]
