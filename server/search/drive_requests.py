"""Drives that visitors ask for because nobody has measured them here: how often, and nothing of who did."""

from __future__ import annotations

import re

from django.db.models import F, QuerySet

from server.catalog.models import DriveModel
from server.catalog.names import drive_name
from server.core import clock
from server.core.cache import model_tag, purge_on_commit
from server.measurements.selectors import drive_model_public
from server.search.models import DriveRequest

NAME_MAX = 60
NAMES_MOST = 10_000
"""So many names that are no model's are counted. A new one beyond them takes the place of the one that was
asked for least, and longest ago: whoever fills the list drives out what was asked for once."""
_PLAIN = re.compile(r"[A-Z0-9][A-Z0-9 ._/+-]*")
_DIGIT = re.compile(r"\d")


class BadName(ValueError):
    """What is wrong with a name, and what to do."""


def request_name(text: str) -> str:
    """Return a name as it is counted; raises BadName."""
    name = " ".join(text.upper().split())
    if len(name) > NAME_MAX:
        raise BadName(
            f"That is longer than {NAME_MAX} characters. Give the vendor and the model number alone."
        )
    if not _PLAIN.fullmatch(name) or not _DIGIT.search(name):
        raise BadName("A model number has letters, digits and hyphens. Give it as the drive's label has it.")
    return name


def drive_request_add(*, model: DriveModel | None, text: str = "") -> DriveRequest:
    """Count a drive that was asked for: a model, or a name that no model has. Raises BadName."""
    today = clock.now().date()
    if model is not None:
        found, _made = DriveRequest.objects.get_or_create(
            drive_model=model,
            defaults={"name": model.title.upper()[:NAME_MAX], "known_form": True, "last_asked_on": today},
        )
        purge_on_commit(model_tag(model.pk))
    else:
        name = request_name(text)
        others = DriveRequest.objects.filter(drive_model=None).exclude(name=name)
        if others.count() >= NAMES_MOST:
            least = others.order_by("asked", "last_asked_on", "pk").values("pk")[:1]
            DriveRequest.objects.filter(pk__in=least).delete()
        defaults = {"known_form": bool(drive_name("", name).rule), "last_asked_on": today}
        found, _made = DriveRequest.objects.get_or_create(drive_model=None, name=name, defaults=defaults)
    DriveRequest.objects.filter(pk=found.pk).update(asked=F("asked") + 1, last_asked_on=today)
    found.refresh_from_db()
    return found


def drive_requests(*, every_name: bool = False) -> QuerySet[DriveRequest]:
    """Return what was asked for and nobody has measured yet, most often first; without `every_name` only what
    reads like a maker's number."""
    found = DriveRequest.objects.select_related("drive_model__vendor").exclude(
        drive_model__summary__measured_runs__gt=0
    )
    return found if every_name else found.filter(known_form=True)


def times_asked(*, model: DriveModel) -> int:
    """Return how often a model was asked for."""
    return DriveRequest.objects.filter(drive_model=model).values_list("asked", flat=True).first() or 0


def requested_model(slug: str) -> DriveModel | None:
    """Return the model that is asked for by its slug; None where there is none."""
    return drive_model_public(slug=slug) if slug else None
