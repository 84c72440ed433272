from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="drivemodel",
            name="seen_units",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(model_name="drivemodel", name="seen", field=models.JSONField(default=dict)),
    ]
