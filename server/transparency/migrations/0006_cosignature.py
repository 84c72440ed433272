from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("transparency", "0005_witnessedhead")]

    operations = [
        migrations.CreateModel(
            "Cosignature",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "witness",
                    models.CharField(help_text="Its verifier key.", max_length=400, unique=True),
                ),
                ("size", models.BigIntegerField(help_text="Leaves of the head.")),
                ("line", models.TextField(help_text="The line of the signed note.")),
                (
                    "at_s",
                    models.BigIntegerField(help_text="When it was made, as it says, in seconds since 1970."),
                ),
            ],
            options={"ordering": ["id"]},
        ),
        migrations.RemoveConstraint("witnessedhead", "witnessedhead_once_per_size"),
        migrations.AddConstraint(
            "witnessedhead",
            models.UniqueConstraint(fields=("server", "origin", "size"), name="witnessedhead_once_per_size"),
        ),
        migrations.AlterField(
            "witnessedhead",
            "server",
            models.CharField(
                blank=True,
                help_text="The archive's address; empty for a head that its log sent.",
                max_length=300,
            ),
        ),
    ]
