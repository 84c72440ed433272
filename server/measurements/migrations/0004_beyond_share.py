from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("measurements", "0003_aggregate_strata")]

    operations = [
        migrations.AddField(
            "run",
            "beyond_share",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether it is of a drive beyond its holder's share of the model, and counts in no "
                "number.",
            ),
        ),
    ]
