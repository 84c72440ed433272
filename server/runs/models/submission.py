"""An envelope as it came in, and what happened to it since."""

from __future__ import annotations

from django.db import models

from server.core.ids import uuid7


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
FINAL_STATES = (State.PUBLISHED, State.REJECTED, State.QUARANTINED, State.WITHDRAWN)


class Provenance(models.TextChoices):
    """Where numbers come from. Never mixed in an aggregate."""

    PROBE = "probe"
    SIMULATED = "simulated"
    IMPORTED = "imported"
    """Read from another tool's output: nobody here saw it measured."""


class Submission(models.Model):
    """An envelope, known by the SHA-256 of its bytes. The bytes never change; only the state moves on."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    digest = models.CharField(
        max_length=64, unique=True, help_text="Lower-case hex SHA-256 of the envelope's bytes."
    )
    size_bytes = models.PositiveBigIntegerField()
    storage_name = models.CharField(
        max_length=200, blank=True, help_text="Empty once a rejected envelope expired."
    )
    probe_key = models.ForeignKey("accounts.ProbeKey", on_delete=models.PROTECT, related_name="submissions")
    state = models.CharField(max_length=16, choices=State, default=State.RECEIVED)
    received_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="Starts of the present step that did not end."
    )
    sweeps = models.PositiveSmallIntegerField(
        default=0, help_text="Times the sweeper put it into the queue again."
    )
    next_sweep_at = models.DateTimeField(help_text="When the sweeper takes its queue message for lost.")

    class Meta:
        ordering = ["-received_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(digest__regex=r"^[0-9a-f]{64}$"), name="submission_digest_is_hex"
            ),
            models.CheckConstraint(condition=models.Q(state__in=State.values), name="submission_state_known"),
            models.CheckConstraint(
                condition=~models.Q(state="published") | models.Q(published_at__isnull=False),
                name="submission_published_has_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_sweep_at"],
                condition=models.Q(state__in=["received", "verified", "validated", "extracted"]),
                name="submission_active",
            ),
            models.Index(fields=["-published_at"], name="submission_latest"),
            models.Index(
                fields=["published_at", "id"],
                condition=models.Q(state="published"),
                name="submission_published",
            ),
            models.Index(fields=["state", "received_at"], name="submission_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.digest[:16]} ({self.state})"


class SubmissionEvent(models.Model):
    """One step of a submission's life, with a reason that a person can act on. Only ever added."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField()
    state = models.CharField(max_length=16, choices=State)
    reason = models.TextField()

    class Meta:
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["submission", "at"], name="submissionevent_in_order")]

    def __str__(self) -> str:
        return f"{self.state}: {self.reason}"
