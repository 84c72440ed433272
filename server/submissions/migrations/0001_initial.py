import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import server.core.ids


class Migration(migrations.Migration):
    initial = True

    dependencies = [("accounts", "0001_initial"), ("accounts", "__first__")]

    operations = [
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("id", models.UUIDField(default=server.core.ids.uuid7, primary_key=True, serialize=False)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("size_bytes", models.PositiveBigIntegerField()),
                ("storage_name", models.CharField(max_length=200)),
                ("state", models.CharField(default="received", max_length=16)),
                ("received_at", models.DateTimeField()),
                ("published_at", models.DateTimeField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("sweeps", models.PositiveSmallIntegerField(default=0)),
                ("next_sweep_at", models.DateTimeField()),
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
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["received", "verified", "validated", "extracted"])),
                        fields=["next_sweep_at"],
                        name="submission_active",
                    ),
                    models.Index(fields=["-published_at"], name="submission_latest"),
                    models.Index(
                        condition=models.Q(("state", "published")),
                        fields=["published_at", "id"],
                        name="submission_published",
                    ),
                    models.Index(fields=["state", "received_at"], name="submission_by_state"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")),
                        name="submission_digest_is_hex",
                    ),
                    models.CheckConstraint(
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
                                    "withdrawn",
                                ],
                            )
                        ),
                        name="submission_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "published"), _negated=True),
                            ("published_at__isnull", False),
                            _connector="OR",
                        ),
                        name="submission_published_has_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("verdict", models.CharField(max_length=16)),
                ("reason", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "id"],
                "permissions": [("decide", "Can decide about quarantined submissions")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="decision_has_a_reason"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("verdict__in", ["accepted", "rejected", "restarted"])),
                        name="decision_verdict_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SubmissionEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("state", models.CharField(max_length=16)),
                ("reason", models.TextField()),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "id"],
                "indexes": [models.Index(fields=["submission", "at"], name="submissionevent_in_order")],
            },
        ),
    ]
