from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("transparency", "0002_keys_of_holders")]

    operations = [
        migrations.AddField("withdrawal", "erased", models.BooleanField(default=False, db_default=False)),
    ]
