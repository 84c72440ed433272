"""The states of a submission, the provenances of numbers and the standing of runs, which the rows of several
rooms hold."""

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


class Standing(models.TextChoices):
    """How far a published run is borne out, each more than the one before."""

    SIGNED = "signed"
    """By its signature alone: a check held it, and a moderator let it pass."""
    PLAUSIBLE = "plausible"
    """No check holds it."""
    CORROBORATED = "corroborated"
    """Another holder of keys measured another unit of the model with the same numbers."""
