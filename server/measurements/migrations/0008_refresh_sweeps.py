"""When the sweeper sent a model's message, so that it does not send it again each time."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("measurements", "0007_defaults_of_the_database")]

    operations = [
        migrations.AddField(
            model_name="aggregatedue",
            name="sweeps",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="Times the sweeper put it into the queue again."
            ),
        ),
        migrations.AddField(
            model_name="aggregatedue",
            name="next_sweep_at",
            field=models.DateTimeField(
                help_text="When the sweeper takes the message it sent for lost; empty where it sent none.",
                null=True,
            ),
        ),
    ]
