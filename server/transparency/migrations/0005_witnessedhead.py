from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("transparency", "0004_released")]

    operations = [
        migrations.CreateModel(
            "WitnessedHead",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("server", models.CharField(help_text="The archive's address.", max_length=300)),
                ("origin", models.CharField(max_length=200)),
                ("verifier_key", models.CharField(max_length=400)),
                ("size", models.BigIntegerField()),
                ("root", models.BinaryField(max_length=32)),
                ("note", models.TextField(help_text="The signed head with this archive's cosignature.")),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(fields=("server", "size"), name="witnessedhead_once_per_size")
                ],
            },
        ),
    ]
