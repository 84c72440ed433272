"""What the version before leaves out of its rows, as it runs on while a newer one migrates."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("measurements", "0006_run_in_browser")]

    operations = [
        migrations.AlterField(
            model_name="aggregate", name="conditions", field=models.JSONField(db_default={}, default=dict)
        ),
        migrations.AlterField(
            model_name="aggregate", name="strata", field=models.JSONField(db_default=[], default=list)
        ),
    ]
