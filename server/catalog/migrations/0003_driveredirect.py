import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0002_seen")]

    operations = [
        migrations.CreateModel(
            name="DriveRedirect",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("slug", models.SlugField(max_length=200, unique=True)),
                ("title", models.CharField(max_length=600)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("reason", models.CharField(max_length=300)),
                (
                    "runs",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), default=list, size=None
                    ),
                ),
                (
                    "drive_model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="redirects",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
            options={"ordering": ["at", "id"]},
        ),
    ]
