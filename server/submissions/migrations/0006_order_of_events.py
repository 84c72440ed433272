"""Events and decisions follow each other by their numbers: a clock that jumped must not reorder them."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("submissions", "0005_appeal")]

    operations = [
        migrations.AlterModelOptions("submissionevent", {"ordering": ["id"]}),
        migrations.AlterModelOptions(
            "decision",
            {"ordering": ["id"], "permissions": [("decide", "Can decide about quarantined submissions")]},
        ),
    ]
