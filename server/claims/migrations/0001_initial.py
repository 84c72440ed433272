import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("catalog", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ClaimVerdict",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("claim_digest", models.CharField(max_length=64)),
                ("evidence", models.CharField(max_length=16)),
                ("effective_verdict", models.CharField(max_length=16)),
                ("outcome", models.CharField(max_length=16)),
                ("words", models.TextField()),
                ("by_percent", models.FloatField(null=True)),
                ("needed", models.PositiveIntegerField(null=True)),
                ("metric", models.CharField(max_length=64)),
                ("scope", models.CharField(max_length=64)),
                ("value", models.FloatField(null=True)),
                ("low", models.FloatField(null=True)),
                ("high", models.FloatField(null=True)),
                ("units", models.PositiveIntegerField(default=0)),
                ("runs", models.PositiveIntegerField(default=0)),
                ("left_out", models.PositiveIntegerField(default=0)),
                ("published_outcome", models.CharField(max_length=16)),
                ("published_words", models.TextField()),
                ("published_by_percent", models.FloatField(null=True)),
                ("published_needed", models.PositiveIntegerField(null=True)),
                ("published_metric", models.CharField(max_length=64)),
                ("published_scope", models.CharField(max_length=64)),
                ("published_value", models.FloatField(null=True)),
                ("published_low", models.FloatField(null=True)),
                ("published_high", models.FloatField(null=True)),
                ("published_units", models.PositiveIntegerField(default=0)),
                ("judged_at", models.DateTimeField()),
                (
                    "claim",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="verdict",
                        to="catalog.claim",
                    ),
                ),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claim_verdicts",
                        to="catalog.drivemodel",
                    ),
                ),
                (
                    "literature",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="catalog.literaturevalue",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["effective_verdict", "drive_model"], name="claimverdict_by_effective"
                    ),
                    models.Index(fields=["drive_model", "effective_verdict"], name="claimverdict_of_model"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("evidence__in", ["measured", "published", "none"])),
                        name="claimverdict_evidence_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "effective_verdict__in",
                                ["met", "exceeded", "missed", "inconclusive", "not comparable"],
                            )
                        ),
                        name="claimverdict_effective_known",
                    ),
                ],
            },
        )
    ]
