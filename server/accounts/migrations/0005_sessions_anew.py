"""Everybody signs in anew: from here on each session is listed and can be ended, those of before are not."""

from django.db import migrations


def forwards(apps, schema_editor):
    apps.get_model("sessions", "Session").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_token_scopes"),
        ("sessions", "0001_initial"),
    ]

    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
