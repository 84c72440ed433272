"""Verdicts are in words that were written when they were found: those that call units "drives" are found anew.

Not within the hour in which workers of the version before may still run: they would write the old words.
"""

from django.db import migrations

DUE = """
INSERT INTO measurements_aggregatedue (drive_model_id, since, changes, not_before)
SELECT DISTINCT drive_model_id, now(), 1, now() + interval '1 hour' FROM claims_claimverdict
WHERE words ~ '\\mdrives\\M' OR published_words ~ '\\mdrives\\M'
ON CONFLICT (drive_model_id) DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [("claims", "0001_initial"), ("measurements", "0007_defaults_of_the_database")]

    operations = [migrations.RunSQL(DUE, migrations.RunSQL.noop)]
