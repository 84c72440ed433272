import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SEAL = """
CREATE FUNCTION publication_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A test database is emptied between tests.
    IF TG_OP = 'TRUNCATE' AND current_database() LIKE 'test\\_%' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'The publication log is append-only: % on % is refused.', TG_OP, TG_TABLE_NAME
        USING HINT = 'Withdraw a run with manage.py withdraw_run: that adds a leaf.';
END $$;

CREATE FUNCTION publication_log_next() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    expected bigint;
BEGIN
    -- Numbers are unique and never removed: each having its predecessor leaves no gap.
    IF NEW.index = 0 OR EXISTS (SELECT 1 FROM transparency_logleaf WHERE index = NEW.index - 1) THEN
        RETURN NEW;
    END IF;
    SELECT coalesce(max(index) + 1, 0) INTO expected FROM transparency_logleaf;
    RAISE EXCEPTION 'The next leaf of the publication log is %, not %.', expected, NEW.index;
END $$;

CREATE TRIGGER logleaf_next BEFORE INSERT ON transparency_logleaf
    FOR EACH ROW EXECUTE FUNCTION publication_log_next();
"""
UNSEAL = "DROP FUNCTION publication_log_next() CASCADE; DROP FUNCTION publication_log_refuse() CASCADE;"

for table in ("transparency_logleaf", "transparency_lognode"):
    SEAL += f"""
CREATE TRIGGER {table}_rows BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION publication_log_refuse();
CREATE TRIGGER {table}_whole BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION publication_log_refuse();
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [("accounts", "__first__"), ("submissions", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="LogKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("public_key", models.BinaryField(max_length=32, unique=True)),
                ("origin", models.CharField(max_length=200)),
                ("first_used_at", models.DateTimeField()),
            ],
            options={"ordering": ["first_used_at", "id"]},
        ),
        migrations.CreateModel(
            name="LogLeaf",
            fields=[
                ("index", models.BigIntegerField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=16)),
                ("digest", models.CharField(max_length=64)),
                ("run_id", models.UUIDField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "verbose_name_plural": "log leaves",
                "ordering": ["index"],
                "indexes": [
                    models.Index(fields=["run_id"], name="logleaf_of_run"),
                    models.Index(
                        condition=models.Q(("kind", "withdrawn")), fields=["index"], name="logleaf_withdrawn"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("digest", "kind"), name="logleaf_once_per_kind"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["published", "withdrawn"])),
                        name="logleaf_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="logleaf_digest_is_hex"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LogNode",
            fields=[
                ("position", models.BigIntegerField(primary_key=True, serialize=False)),
                ("hash", models.BinaryField(max_length=32)),
            ],
            options={"ordering": ["position"]},
        ),
        migrations.CreateModel(
            name="Withdrawal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ("reason", models.TextField()),
                ("envelope", models.CharField(max_length=8)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "leaf",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="withdrawal",
                        to="transparency.logleaf",
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="withdrawal",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["leaf"],
                "permissions": [("withdraw", "Can withdraw published runs")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="withdrawal_has_a_reason"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("envelope__in", ["removed", "kept"])),
                        name="withdrawal_envelope_known",
                    ),
                ],
            },
        ),
        migrations.RunSQL(SEAL, UNSEAL),
    ]
