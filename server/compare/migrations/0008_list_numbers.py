"""Numbers by which lists are ordered, out of the summaries that are there."""

import django.db.models.deletion
from django.db import migrations, models

FILL = """
    INSERT INTO compare_listnumber (drive_model_id, "order", rising, falling, by_name)
    SELECT drive_model_id, key, number, -number, sort_name FROM (
        SELECT drive_model_id, sort_name, numbers.key || '|' || held.key AS key,
            (held.value -> 0)::double precision AS number
        FROM compare_drivesummary, jsonb_each(headline) AS numbers, jsonb_each(numbers.value) AS held
        UNION ALL
        SELECT drive_model_id, sort_name, fact.key, fact.number
        FROM compare_drivesummary, LATERAL (
            VALUES ('runs', measured_runs::double precision), ('units', units), ('claims', claims),
                ('latest', extract(epoch FROM last_published_at))
        ) AS fact (key, number)
        WHERE fact.number IS NOT NULL
    ) AS summaries
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0006_list_orders"),
        ("compare", "0007_imported"),
    ]

    operations = [
        migrations.CreateModel(
            name="ListNumber",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "order",
                    models.CharField(help_text="See server/compare/list_orders.py.", max_length=160),
                ),
                ("rising", models.FloatField()),
                (
                    "falling",
                    models.FloatField(
                        help_text="The negated number: level models stand by name in both orders."
                    ),
                ),
                ("by_name", models.CharField(help_text="The summary's `sort_name`.", max_length=600)),
                (
                    "drive_model",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="list_numbers",
                        to="catalog.drivemodel",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        # Deferred checks of what was just written would forbid to alter the table.
        migrations.RunSQL(
            "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED", migrations.RunSQL.noop
        ),
        migrations.AddIndex(
            model_name="listnumber",
            index=models.Index(
                fields=["order", "rising", "by_name", "drive_model"], name="listnumber_rising"
            ),
        ),
        migrations.AddIndex(
            model_name="listnumber",
            index=models.Index(
                fields=["order", "falling", "by_name", "drive_model"], name="listnumber_falling"
            ),
        ),
        migrations.AddConstraint(
            model_name="listnumber",
            constraint=models.UniqueConstraint(
                fields=("drive_model", "order"), name="listnumber_one_of_an_order"
            ),
        ),
        # Without it the first lists would be planned as if there were hardly any numbers.
        migrations.RunSQL("ANALYZE compare_listnumber", migrations.RunSQL.noop),
    ]
