from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("measurements", "0004_beyond_share")]

    operations = [
        migrations.AddField("aggregate", "low", models.FloatField(blank=True, null=True)),
        migrations.AddField("aggregate", "high", models.FloatField(blank=True, null=True)),
    ]
