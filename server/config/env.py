"""Environment variables to settings. Whatever is missing or malformed stops the start and says how to fix
it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


class Env:
    """Typed reading of one mapping of environment variables."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = os.environ if values is None else values

    def text(self, name: str, default: str | None = None, *, hint: str = "") -> str:
        """Return the variable, or the default; without one, a missing variable is an error that carries
        `hint`."""
        value = self._values.get(name, "").strip() or default
        if value is None:
            raise ImproperlyConfigured(f"{name} is not set. {hint}".strip())
        return value

    def optional(self, name: str) -> str | None:
        """Return the variable, or None where it is missing or empty."""
        return self._values.get(name, "").strip() or None

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a yes/no variable."""
        value = self._values.get(name)
        if value is None:
            return default
        lowered = value.strip().lower()
        if lowered in _TRUE or lowered in _FALSE:
            return lowered in _TRUE
        raise ImproperlyConfigured(f"{name} is {value!r}, which is neither yes nor no. Write 1 or 0.")

    def integer(self, name: str, default: int, *, low: int = 0, high: int | None = None) -> int:
        """Return a whole number within [low, high]."""
        raw = self._values.get(name, "").strip()
        if not raw:
            return default
        try:
            value = int(raw)
        except ValueError:
            raise ImproperlyConfigured(
                f"{name} is {raw!r}, which is not a whole number. Write digits only."
            ) from None
        if value < low or (high is not None and value > high):
            bound = f"at least {low}" if high is None else f"from {low} to {high}"
            raise ImproperlyConfigured(f"{name} is {value}; it must be {bound}.")
        return value

    def items(self, name: str, default: str = "") -> list[str]:
        """Return a comma-separated variable as a list without empty entries."""
        return [item.strip() for item in self._values.get(name, default).split(",") if item.strip()]


def database_from_url(url: str) -> dict[str, Any]:
    """Turn `postgresql://user:password@host:port/name?host=/socket/folder` into a Django database entry.

    A Unix socket's folder goes into the `host` parameter, as in libpq. Only PostgreSQL is accepted.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        raise ImproperlyConfigured(
            f"DATABASE_URL starts with {parts.scheme + ':' if parts.scheme else 'no scheme'}; the "
            f"archive runs on "
            "PostgreSQL only. Write postgresql://user:password@host:5432/name, or start the "
            "embedded services with "
            "`python3 tools/services.py start`."
        )
    options = dict(parse_qsl(parts.query))
    host = options.pop("host", None) or unquote(parts.hostname or "")
    port = options.pop("port", None) or (str(parts.port) if parts.port else "")
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured(
            "DATABASE_URL names no database. Write postgresql://user:password@host:5432/name."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": port,
        "OPTIONS": options,
    }
