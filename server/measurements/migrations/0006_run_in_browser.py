"""Runs that the archive's page for importing made."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("measurements", "0005_aggregate_interval")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="in_browser",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether the archive's page read its files: no probe signed it, and no number "
                "counts it.",
            ),
        ),
    ]
