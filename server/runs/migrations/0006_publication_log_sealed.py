"""Seal the log by triggers, and log what was published before there was one."""

from itertools import islice

from django.db import migrations

from server.runs.log_entry import entries_write, published_missing

SEAL = """
CREATE FUNCTION runs_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A test database is emptied between tests.
    IF TG_OP = 'TRUNCATE' AND current_database() LIKE 'test\\_%' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'The publication log is append-only: % on % is refused.', TG_OP, TG_TABLE_NAME
        USING HINT = 'Withdraw a run with manage.py withdraw_run: that adds a leaf.';
END $$;

CREATE FUNCTION runs_log_next() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    expected bigint;
BEGIN
    SELECT coalesce(max(index) + 1, 0) INTO expected FROM runs_logleaf;
    IF NEW.index <> expected THEN
        RAISE EXCEPTION 'The next leaf of the publication log is %, not %.', expected, NEW.index;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER runs_logleaf_next BEFORE INSERT ON runs_logleaf FOR EACH ROW EXECUTE FUNCTION runs_log_next();
"""
UNSEAL = "DROP FUNCTION runs_log_next() CASCADE; DROP FUNCTION runs_log_refuse() CASCADE;"

for table in ("runs_logleaf", "runs_lognode"):
    SEAL += f"""
CREATE TRIGGER {table}_rows BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION runs_log_refuse();
CREATE TRIGGER {table}_whole BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION runs_log_refuse();
"""


def fill(apps, _schema_editor):
    leaves = apps.get_model("runs", "LogLeaf").objects
    nodes = apps.get_model("runs", "LogNode").objects
    rows = iter(published_missing(apps.get_model("runs", "Submission").objects, leaves))
    size = leaves.count()
    while batch := list(islice(rows, 5000)):
        entries_write(leaves, nodes, size, batch)
        size += len(batch)


class Migration(migrations.Migration):
    dependencies = [("runs", "0005_publication_log")]

    operations = [
        migrations.RunSQL(SEAL, UNSEAL),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
