"""The index of names' trigrams, where the server has the extension: it is no part of PostgreSQL's core."""

from typing import Any

from django.db import ProgrammingError, migrations, transaction

AVAILABLE = "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')"
INDEX = "CREATE INDEX drivesummary_names_trgm ON search_drivesummary USING gin (names gin_trgm_ops)"


def index_make(apps: Any, schema_editor: Any) -> None:
    """Make extension and index; without them names are compared in memory (decision 0176)."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(AVAILABLE)
        if cursor.fetchone() == (False,):
            return
        try:
            with transaction.atomic(using=schema_editor.connection.alias):
                cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except ProgrammingError:
            return  # The role may not: `CREATE` on the database is what it takes.
        cursor.execute(INDEX)


class Migration(migrations.Migration):
    dependencies = [("search", "0001_initial")]
    operations = [
        migrations.RunPython(
            index_make,
            lambda apps, editor: editor.execute("DROP INDEX IF EXISTS drivesummary_names_trgm"),
        )
    ]
