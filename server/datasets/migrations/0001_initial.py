import django.db.models.deletion
from django.db import migrations, models

import server.datasets.models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Release",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("state", models.CharField(default="building", max_length=16)),
                ("schema_version", models.CharField(max_length=16)),
                ("log_size", models.BigIntegerField()),
                ("formats", models.JSONField(default=server.datasets.models.every_format)),
                ("checkpoint", models.TextField()),
                ("models_digest", models.CharField(max_length=64)),
                ("began_at", models.DateTimeField()),
                ("published_at", models.DateTimeField(null=True)),
                ("rows", models.JSONField(default=dict)),
                ("changes", models.JSONField(default=dict)),
                ("extractors", models.JSONField(default=dict)),
                ("missing", models.JSONField(default=list)),
                (
                    "previous",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="datasets.release",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state", "building"), ("published_at__isnull", False), _connector="OR"
                        ),
                        name="release_published_has_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["building", "published"])),
                        name="release_state_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "building")),
                        fields=("state",),
                        name="release_one_at_a_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReleasePart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=200)),
                ("fingerprint", models.CharField(max_length=64)),
                ("missing", models.JSONField(default=list)),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="datasets.release",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("release", "key"), name="releasepart_once")]
            },
        ),
        migrations.CreateModel(
            name="ReleaseFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("path", models.CharField(max_length=300)),
                ("storage_name", models.CharField(max_length=300)),
                ("table", models.CharField(max_length=40)),
                ("kind", models.CharField(max_length=32)),
                ("format", models.CharField(max_length=16)),
                ("rows", models.BigIntegerField(null=True)),
                ("size_bytes", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="datasets.release",
                    ),
                ),
                (
                    "part",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="datasets.releasepart",
                    ),
                ),
            ],
            options={
                "ordering": ["path"],
                "constraints": [models.UniqueConstraint(fields=("release", "path"), name="releasefile_once")],
            },
        ),
    ]
