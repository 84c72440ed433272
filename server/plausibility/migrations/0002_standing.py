from django.db import migrations

HELD = """
UPDATE measurements_run r SET standing = 'signed'
WHERE EXISTS (SELECT FROM plausibility_checkresult c WHERE c.run_id = r.run_id AND c.outcome = 'held')
"""


class Migration(migrations.Migration):
    dependencies = [("plausibility", "0001_initial"), ("measurements", "0002_standing")]

    operations = [migrations.RunSQL(HELD, migrations.RunSQL.noop)]
