"""An envelope as it came in, what happened to it since, and what people decided about it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from server.core.ids import uuid7
from server.core.lifecycle import State


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


class FileImport(models.Model):
    """A run that was made of files dropped into the archive's page. The same files make no second one."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="file_import")
    files_digest = models.CharField(
        max_length=64, unique=True, help_text="SHA-256 of the sorted digests of what was measured."
    )
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.files_digest[:16]} of {self.submission_id}"


class SubmissionEvent(models.Model):
    """One step of a submission's life, with a reason that a person can act on. Only ever added."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField()
    state = models.CharField(max_length=16, choices=State)
    reason = models.TextField()

    class Meta:
        # Not by time: a clock that jumped would have the last event come before others.
        ordering = ["id"]
        indexes = [models.Index(fields=["submission", "at"], name="submissionevent_in_order")]

    def __str__(self) -> str:
        return f"{self.state}: {self.reason}"


class Decision(models.Model):
    """What a moderator decided about a submission, and why. Only ever added: triggers of the database refuse
    to change or remove a row."""

    class Verdict(models.TextChoices):
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        RESTARTED = "restarted"
        ASKED = "asked"
        LIFTING_PROPOSED = "lifting_proposed", "Lifting proposed"
        LIFTED = "lifted"
        ERASED = "erased"

    submission = models.ForeignKey(
        "submissions.Submission", on_delete=models.PROTECT, related_name="decisions"
    )
    verdict = models.CharField(max_length=16, choices=Verdict)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        permissions = [("decide", "Can decide about quarantined submissions")]
        constraints = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="decision_has_a_reason"),
            models.CheckConstraint(
                condition=models.Q(
                    verdict__in=[
                        "accepted",
                        "rejected",
                        "restarted",
                        "asked",
                        "lifting_proposed",
                        "lifted",
                        "erased",
                    ]
                ),
                name="decision_verdict_known",
            ),
        ]
        indexes = [models.Index(fields=["-at", "-id"], name="decision_latest")]

    def __str__(self) -> str:
        return f"{self.verdict}: {self.reason}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the decision; raises TypeError for one that stands already."""
        if self.pk is not None:
            raise TypeError("A decision that was made is not changed: make another one.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Raise TypeError: a decision stays."""
        raise TypeError("A decision that was made is not removed.")


class Appeal(models.Model):
    """What the account that has claimed a key says against a moderator's rejection, once. Only moderators
    read it: of what a person writes nothing is public."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="appeal")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    rejection = models.OneToOneField(
        Decision,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="What it speaks against; a trigger names it for who does not.",
    )
    at = models.DateTimeField()
    words = models.TextField()

    def __str__(self) -> str:
        return f"about {self.submission_id}"


class CatalogueChange(models.Model):
    """What a moderator changed in the names of models and vendors, and what undoing it takes. Only ever
    added, as decisions are."""

    class Action(models.TextChoices):
        MERGED = "merged", "Models merged"
        SPLIT = "split", "Model split"
        ALIAS_ADDED = "alias_added", "Name added"
        ALIAS_REMOVED = "alias_removed", "Name removed"
        VENDORS_MERGED = "vendors_merged", "Vendors merged"
        UNDONE = "undone"

    action = models.CharField(max_length=16, choices=Action)
    title = models.CharField(max_length=1500, help_text="What was done to what, in words.")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="undone_by")
    details = models.JSONField(default=dict, help_text="Identities of the rows that it moved or made.")

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return self.title
