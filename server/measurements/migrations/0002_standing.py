from django.db import migrations, models

STANDINGS = ["signed", "plausible", "corroborated"]


class Migration(migrations.Migration):
    dependencies = [("measurements", "0001_initial")]

    operations = [
        migrations.AddField(
            "run", "standing", models.CharField(default="plausible", db_default="plausible", max_length=16)
        ),
        migrations.AddConstraint(
            "run",
            models.CheckConstraint(condition=models.Q(standing__in=STANDINGS), name="run_standing_known"),
        ),
        migrations.AddIndex("run", models.Index(fields=["standing"], name="run_by_standing")),
    ]
