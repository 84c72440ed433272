"""An appeal names the rejection that it speaks against: which came first is not a question of clocks."""

import django.db.models.deletion
from django.db import migrations, models

# Of those that stand already, times are all that is known.
FILL = """
UPDATE submissions_appeal AS appeal SET rejection_id = (
    SELECT decision.id FROM submissions_decision AS decision
    WHERE decision.submission_id = appeal.submission_id AND decision.verdict = 'rejected'
    ORDER BY decision.at > appeal.at, CASE WHEN decision.at > appeal.at THEN decision.id END, decision.id DESC
    LIMIT 1
)
"""
# The version before, which may still run, names none.
NAME = """
CREATE FUNCTION appeal_names_rejection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.rejection_id := coalesce(NEW.rejection_id, (
        SELECT max(id) FROM submissions_decision
        WHERE submission_id = NEW.submission_id AND verdict = 'rejected'
    ));
    RETURN NEW;
END $$;
CREATE TRIGGER appeal_rejection BEFORE INSERT ON submissions_appeal
    FOR EACH ROW EXECUTE FUNCTION appeal_names_rejection();
"""


class Migration(migrations.Migration):
    dependencies = [("submissions", "0006_order_of_events")]

    operations = [
        migrations.AddField(
            "appeal",
            "rejection",
            models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="submissions.decision",
                help_text="What it speaks against; a trigger names it for who does not.",
            ),
        ),
        migrations.RunSQL(NAME, "DROP FUNCTION appeal_names_rejection() CASCADE"),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
