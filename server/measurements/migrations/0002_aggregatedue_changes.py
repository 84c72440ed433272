from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("measurements", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="aggregatedue",
            name="changes",
            field=models.PositiveIntegerField(
                default=1, help_text="Changes since then: a refresh that saw fewer leaves the model due."
            ),
        ),
    ]
