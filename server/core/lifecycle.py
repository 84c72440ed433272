"""The states of a submission and the provenances of numbers, which the rows of several rooms hold."""

from __future__ import annotations

from django.db import models


class State(models.TextChoices):
    """Where a submission is in its life."""

    RECEIVED = "received"
    VERIFIED = "verified"
    VALIDATED = "validated"
    EXTRACTED = "extracted"
    PUBLISHED = "published"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"
    WITHDRAWN = "withdrawn"


ACTIVE_STATES = (State.RECEIVED, State.VERIFIED, State.VALIDATED, State.EXTRACTED)


class Provenance(models.TextChoices):
    """Where numbers come from. Never mixed in an aggregate."""

    PROBE = "probe"
    SIMULATED = "simulated"
    IMPORTED = "imported"
    """Read from another tool's output: nobody here saw it measured."""
