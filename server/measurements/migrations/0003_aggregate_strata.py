from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("measurements", "0002_standing")]

    operations = [
        migrations.AddField("aggregate", "conditions", models.JSONField(blank=True, default=dict)),
        migrations.AddField("aggregate", "strata", models.JSONField(blank=True, default=list)),
    ]
