"""What the version before leaves out of its rows, as it runs on while a newer one migrates."""

import django.contrib.postgres.fields
from django.db import migrations, models

import server.accounts.models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_profile")]

    operations = [
        migrations.AlterField(
            model_name="probekey",
            name="name",
            field=models.CharField(db_default="", default="", max_length=60),
        ),
        migrations.AlterField(
            model_name="apitoken",
            name="scopes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[
                        ("read", "read the archive more often"),
                        ("submit", "send runs, counted apart from the address they come from"),
                        ("manage", "see and change what belongs to the account, such as its webhooks"),
                    ],
                    max_length=16,
                ),
                db_default=["read", "manage"],
                default=server.accounts.models.scopes_usual,
                size=None,
            ),
        ),
    ]
