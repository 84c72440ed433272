from __future__ import annotations

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from server.plausibility.evidence import Trace


def keys_fill(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Give the traces that are there their keys."""
    traces = apps.get_model("plausibility", "SampleTrace").objects
    for row in traces.iterator(chunk_size=1000):
        trace = Trace(row.kind, row.times_digest, row.places_digest, tuple(row.first_times_ns))
        traces.filter(pk=row.pk).update(near_keys=trace.near_keys())


class Migration(migrations.Migration):
    dependencies = [("plausibility", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="sampletrace",
            name="near_keys",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                default=list,
                help_text="What traces with the same places and nearly the same times share, see evidence.py.",
                size=None,
            ),
        ),
        migrations.RunPython(keys_fill, migrations.RunPython.noop),
        migrations.RemoveIndex(model_name="sampletrace", name="sampletrace_by_times"),
        migrations.RemoveIndex(model_name="sampletrace", name="sampletrace_by_places"),
        migrations.AddIndex(
            model_name="sampletrace",
            index=models.Index(fields=["times_digest"], name="sampletrace_by_times"),
        ),
        migrations.AddIndex(
            model_name="sampletrace",
            index=django.contrib.postgres.indexes.GinIndex(
                fastupdate=False, fields=["near_keys"], name="sampletrace_by_near_keys"
            ),
        ),
    ]
