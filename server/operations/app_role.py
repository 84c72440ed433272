"""The database account that web, workers and beat work with: it reads and writes rows, and changes no table.

Tables belong to the account that migrates. Whoever gets at this one's password can't drop a table, nor switch
off the triggers that seal decisions and the publication log.
"""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql

_GRANTS = (
    "GRANT CONNECT, TEMPORARY ON DATABASE {database} TO {role}",
    "GRANT USAGE ON SCHEMA public TO {role}",
    "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO {role}",
    # What later migrations make, by the account that calls this.
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO {role}",
    "REVOKE INSERT, UPDATE, DELETE ON {migrations} FROM {role}",
)


class AppRoleError(Exception):
    """The account can't be made; the message says why and what to do."""


def app_role_make(address: str) -> str:
    """Make or update the account that an address names (`postgresql://NAME:PASSWORD@...`), with that
    password; return its name. Raises AppRoleError."""
    parts = urlsplit(address)
    name, password = unquote(parts.username or ""), unquote(parts.password or "")
    if not name or not password:
        raise AppRoleError(
            "The address has no name or no password: postgresql://NAME:PASSWORD@HOST/DATABASE."
        )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_user, session_user")
        if name in cursor.fetchone():
            raise AppRoleError(f"{name} is the account that owns the tables. Give the archive another name.")
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        role = sql.Identifier(name)
        make = sql.SQL("ALTER ROLE {} " if cursor.fetchone() else "CREATE ROLE {} ").format(role)
        limits = sql.SQL("LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD {}").format(
            sql.Literal(password)
        )
        cursor.execute(make + limits)
        names = {
            "role": role,
            "database": sql.Identifier(connection.settings_dict["NAME"]),
            "migrations": sql.Identifier(MigrationRecorder.Migration._meta.db_table),
        }
        for grant in _GRANTS:
            cursor.execute(sql.SQL(grant).format(**names))
        # A pool of connections (PgBouncer) passes on none of the settings that a session begins with.
        for setting in settings.DATABASE_SESSION:
            cursor.execute("SELECT current_setting(%s)", [setting])
            keep = sql.SQL("ALTER ROLE {role} IN DATABASE {database} SET {setting} = {value}")
            value = sql.Literal(cursor.fetchone()[0])
            cursor.execute(keep.format(**names, setting=sql.Identifier(setting), value=value))
    return name


def changes_tables() -> bool:
    """Return whether the account that is in use may make tables, or owns those of the archive."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT has_schema_privilege(current_user, 'public', 'CREATE') OR EXISTS (SELECT FROM pg_tables "
            "WHERE schemaname = 'public' AND pg_has_role(current_user, tableowner, 'USAGE'))"
        )
        found: bool = cursor.fetchone()[0]
    return found
