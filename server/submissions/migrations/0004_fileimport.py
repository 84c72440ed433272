"""Runs that were made of files dropped into the archive's page."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0003_cataloguechange")]

    operations = [
        migrations.CreateModel(
            name="FileImport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "files_digest",
                    models.CharField(
                        help_text="SHA-256 of the sorted digests of what was measured.",
                        max_length=64,
                        unique=True,
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="file_import",
                        to="submissions.submission",
                    ),
                ),
            ],
        ),
    ]
