from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="release",
            name="doi",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Its DOI, where it has one.",
                max_length=200,
            ),
        ),
    ]
