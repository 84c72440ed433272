import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SEAL = """
CREATE TRIGGER cataloguechange_rows BEFORE UPDATE OR DELETE ON submissions_cataloguechange
    FOR EACH ROW EXECUTE FUNCTION decisions_refuse();
CREATE TRIGGER cataloguechange_whole BEFORE TRUNCATE ON submissions_cataloguechange
    FOR EACH STATEMENT EXECUTE FUNCTION decisions_refuse();
"""
UNSEAL = """
DROP TRIGGER cataloguechange_rows ON submissions_cataloguechange;
DROP TRIGGER cataloguechange_whole ON submissions_cataloguechange;
"""
ACTIONS = [
    ("merged", "Models merged"),
    ("split", "Model split"),
    ("alias_added", "Name added"),
    ("alias_removed", "Name removed"),
    ("vendors_merged", "Vendors merged"),
    ("undone", "Undone"),
]


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("submissions", "0002_decisions"),
    ]

    operations = [
        migrations.CreateModel(
            "CatalogueChange",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("action", models.CharField(choices=ACTIONS, max_length=16)),
                ("title", models.CharField(help_text="What was done to what, in words.", max_length=1500)),
                ("reason", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "details",
                    models.JSONField(default=dict, help_text="Identities of the rows that it moved or made."),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "undoes",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="undone_by",
                        to="submissions.cataloguechange",
                    ),
                ),
            ],
            options={"ordering": ["-at", "-id"]},
        ),
        migrations.RunSQL(SEAL, UNSEAL),
    ]
