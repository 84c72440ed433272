"""Find the leaf before a new one by its key: looking for the greatest number read the whole table at times."""

from django.db import migrations

NEXT = """
CREATE OR REPLACE FUNCTION runs_log_next() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    expected bigint;
BEGIN
    -- Numbers are unique and never removed: each having its predecessor leaves no gap.
    IF NEW.index = 0 OR EXISTS (SELECT 1 FROM runs_logleaf WHERE index = NEW.index - 1) THEN
        RETURN NEW;
    END IF;
    SELECT coalesce(max(index) + 1, 0) INTO expected FROM runs_logleaf;
    RAISE EXCEPTION 'The next leaf of the publication log is %, not %.', expected, NEW.index;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0009_benchmark_caches")]

    operations = [migrations.RunSQL(NEXT, migrations.RunSQL.noop)]
