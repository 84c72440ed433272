"""Parameters of an address, read strictly: what is not understood is said, never guessed."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from django.utils.dateparse import parse_date, parse_datetime
from rest_framework.request import Request

from server.core.problems import ErrorItem, Problem, problem

LARGEST = 2**48


def number_or_none(request: Request, name: str, *, most: int = LARGEST) -> int | None:
    """Return a whole number from 0 to `most`, or None where it was not given; raises Problem."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 15 or int(text) > most:
        raise bad(name, f"{name} is {text[:40]!r}, not a whole number from 0 to {most}. Write digits only.")
    return int(text)


def number_needed(request: Request, name: str) -> int:
    """Return a whole number that has to be given; raises Problem."""
    number = number_or_none(request, name)
    if number is None:
        raise bad(name, f"{name} is missing: it is a whole number from 0. Give it.")
    return number


def instant_or_none(request: Request, name: str) -> datetime | None:
    """Return an instant (RFC 3339; a date means its midnight in UTC), or None; raises Problem."""
    text = request.query_params.get(name)
    if text is None:
        return None
    try:
        # A plus sign that was not escaped arrives as a space.
        instant = parse_datetime(text.replace(" ", "+"))
        day = parse_date(text) if instant is None else None
    except ValueError:
        instant, day = None, None
    if instant is None and day is None:
        raise bad(name, f"{name} is {text[:40]!r}, not an instant. Write 2026-01-31 or 2026-01-31T12:00:00Z.")
    if instant is None and day is not None:
        instant = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if instant is not None and instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    try:
        # PostgreSQL refuses offsets of 16 hours and more.
        return instant.astimezone(UTC) if instant else None
    except OverflowError:
        raise bad(name, f"{name} is {text[:40]!r}, beyond the calendar. Write an instant in UTC.") from None


def identity_or_none(request: Request, name: str) -> UUID | None:
    """Return a UUID, or None where it was not given; raises Problem."""
    text = request.query_params.get(name)
    if text is None:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise bad(name, f"{name} is {text[:40]!r}, not a UUID. Copy it from the run's page.") from None


def digest_or_none(request: Request, name: str) -> str | None:
    """Return a SHA-256 in lower-case hex, or None where it was not given; raises Problem."""
    text = request.query_params.get(name)
    if text is not None and (len(text) != 64 or set(text) - set("0123456789abcdef")):
        raise bad(name, f"{name} is not 64 lower-case hex digits, as `sha256sum` prints them.")
    return text


def bad(name: str, words: str) -> Problem:
    """Return the problem of a parameter."""
    return problem("bad-request", words, ErrorItem("", f"parameter {name}"))
