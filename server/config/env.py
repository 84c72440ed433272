"""Environment variables to settings, by environs. All that is missing or malformed stops the start at once,
each with what is wrong, what is allowed and how to mend it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import environs
from django.core.exceptions import ImproperlyConfigured
from marshmallow.validate import Range
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

_SERVICES = (
    "Point it at a server, or start the embedded services: `python3 tools/services.py run -- COMMAND`."
)
REMEDIES = {
    "SECRET_KEY": (
        "It signs sessions. Make one with `python3 -c 'import secrets; print(secrets.token_urlsafe(50))'` "
        "and keep it."
    ),
    "DATABASE_URL": f"Write postgresql://user:password@host:5432/name. {_SERVICES}",
    "REDIS_URL": f"Write redis://:password@host:6379/0. {_SERVICES}",
}
"""What to do about a variable that has no default. Their values are secrets and are not repeated."""


# Whoever opens a cursor here reads it to its end, so that the plan for all rows is the right one. Compiling a
# query's expressions costs more than the queries of pages take. A statement is prepared here where one plan
# serves all its values: planning it anew for each costs more than running it.
SESSION = {"cursor_tuple_fraction": "1.0", "jit": "off", "plan_cache_mode": "force_generic_plan"}
"""Settings of the archive's sessions in PostgreSQL."""


class Env(environs.Env):
    """Reads variables and keeps their errors for `seal`. An empty variable counts as one that is not set."""

    def __init__(self) -> None:
        super().__init__(eager=False)
        self.add_parser("postgresql", database_from_url)

    def _get_value(self, env_key: str, default: Any) -> Any:
        value = super()._get_value(env_key, default)
        return value.strip() or default if isinstance(value, str) else value

    def seal(self) -> None:
        """End the reading; raises ImproperlyConfigured that names every variable that is wrong."""
        try:
            super().seal()
        except environs.EnvValidationError as error:
            assert isinstance(error.error_messages, Mapping)
            lines = (_line(name, messages) for name, messages in error.error_messages.items())
            raise ImproperlyConfigured("\n".join(lines)) from None


def database_from_url(
    url: str, *, statement_timeout_ms: int = 0, patience_s: int = 5, **options: Any
) -> dict[str, Any]:
    """Turn `postgresql://user:password@host:port/name?host=/socket/folder` into a Django database entry."""
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError:
        parts = {}
    if not parts.get("dbname"):
        raise environs.ValidationError("It names no database; the archive runs on PostgreSQL only.")
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    entry = {key: str(parts.pop(name, None) or "") for key, name in names.items()}
    settings = {**SESSION, "statement_timeout": statement_timeout_ms}
    # A server that is gone without a word must not hold a process for as long as the kernel tries.
    probes = {"keepalives_idle": 6 * patience_s, "keepalives_interval": 2 * patience_s, "keepalives_count": 3}
    limits = {"connect_timeout": patience_s, **probes, "tcp_user_timeout": 8_000 * patience_s}
    for name, value in limits.items():
        parts.setdefault(name, str(value))
    parts.setdefault("options", " ".join(f"-c {name}={value}" for name, value in settings.items()))
    return {"ENGINE": "django.db.backends.postgresql", **entry, **options, "OPTIONS": parts}


def databases_of(env: Env, *, statement_timeout_ms: int) -> dict[str, Any]:
    """Return Django's entries of the primary, and of the replica where one is named."""
    more = {
        "CONN_MAX_AGE": env.int("DATABASE_CONN_MAX_AGE_S", 60, validate=Range(min=0)),
        "statement_timeout_ms": statement_timeout_ms,
    }
    found = {"default": env.postgresql("DATABASE_URL", CONN_HEALTH_CHECKS=True, **more)}
    if env.str("REPLICA_DATABASE_URL", None):
        # Little patience: whoever waits for it can be answered by the primary.
        mirror = {"MIRROR": "default"}
        found["replica"] = env.postgresql("REPLICA_DATABASE_URL", patience_s=2, TEST=mirror, **more)
    return found


def _line(name: str, messages: list[str]) -> str:
    words = " ".join(messages)
    if name not in os.environ or not os.environ[name].strip():
        return f"{name} is not set. {REMEDIES[name]}"
    if name in REMEDIES:
        return f"{name}: {words} {REMEDIES[name]}"
    return f"{name} is {os.environ[name]!r}: {words} docs/operator/settings.md says what it takes."
