from django.db import migrations, models

KINDS = ["published", "withdrawn", "released"]


class Migration(migrations.Migration):
    dependencies = [("transparency", "0003_erased")]

    operations = [
        migrations.RemoveConstraint("logleaf", "logleaf_kind_known"),
        migrations.AddConstraint(
            "logleaf", models.CheckConstraint(condition=models.Q(kind__in=KINDS), name="logleaf_kind_known")
        ),
    ]
