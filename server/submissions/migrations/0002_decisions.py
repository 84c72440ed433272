from django.db import migrations, models

SEAL = """
CREATE FUNCTION decisions_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A test database is emptied between tests.
    IF TG_OP = 'TRUNCATE' AND current_database() LIKE 'test\\_%' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'Decisions are only added to: % on % is refused.', TG_OP, TG_TABLE_NAME
        USING HINT = 'Decide anew: that adds a row.';
END $$;
CREATE TRIGGER decision_rows BEFORE UPDATE OR DELETE ON submissions_decision
    FOR EACH ROW EXECUTE FUNCTION decisions_refuse();
CREATE TRIGGER decision_whole BEFORE TRUNCATE ON submissions_decision
    FOR EACH STATEMENT EXECUTE FUNCTION decisions_refuse();
"""
VERDICTS = ["accepted", "rejected", "restarted", "asked", "lifting_proposed", "lifted", "erased"]


class Migration(migrations.Migration):
    dependencies = [("submissions", "0001_initial")]

    operations = [
        migrations.RemoveConstraint("decision", "decision_verdict_known"),
        migrations.AddConstraint(
            "decision",
            models.CheckConstraint(condition=models.Q(verdict__in=VERDICTS), name="decision_verdict_known"),
        ),
        migrations.AddIndex("decision", models.Index(fields=["-at", "-id"], name="decision_latest")),
        migrations.RunSQL(SEAL, "DROP FUNCTION decisions_refuse() CASCADE"),
    ]
