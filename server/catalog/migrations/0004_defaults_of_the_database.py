"""What the version before leaves out of its rows, as it runs on while a newer one migrates."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0003_driveredirect")]

    operations = [
        migrations.AlterField(
            model_name="drivemodel", name="seen", field=models.JSONField(db_default={}, default=dict)
        ),
    ]
