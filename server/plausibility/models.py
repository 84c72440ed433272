"""What the checks said of a run, what they compare samples by, and what people decided."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models


class CheckResult(models.Model):
    """One check's answer for one run, with the figures behind it. Written anew whenever a run is assessed."""

    class Outcome(models.TextChoices):
        PASSED = "passed"
        QUARANTINED = "held", "quarantined"
        NOTED = "noted"
        NOT_APPLICABLE = "not_applicable", "not applicable"

    run = models.ForeignKey("measurements.Run", on_delete=models.CASCADE, related_name="check_results")
    check_key = models.SlugField(
        max_length=32, help_text=("The check, as docs/reference/plausibility.md lists it.")
    )
    position = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=16, choices=Outcome)
    words = models.TextField()
    figures = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    at = models.DateTimeField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "check_key"], name="checkresult_once_per_run"),
            models.CheckConstraint(
                condition=models.Q(outcome__in=["passed", "held", "noted", "not_applicable"]),
                name="checkresult_outcome_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.check_key}: {self.outcome}"


class UsedNonce(models.Model):
    """A nonce that a run was measured under: it is good for one run."""

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the nonce.")
    run = models.OneToOneField("measurements.Run", on_delete=models.CASCADE, related_name="used_nonce")

    def __str__(self) -> str:
        return f"nonce {self.digest[:12]}"


class SampleTrace(models.Model):
    """What one kind's samples of a run are recognised by: digests of its times and places, and its first
    times. It outlives a withdrawal, after which the same samples are still a copy."""

    run = models.ForeignKey("measurements.Run", on_delete=models.CASCADE, related_name="traces")
    kind = models.CharField(max_length=32)
    times_digest = models.CharField(max_length=64)
    places_digest = models.CharField(max_length=64)
    first_times_ns = models.JSONField(default=list)
    near_keys = ArrayField(
        models.BigIntegerField(),
        default=list,
        help_text="What traces with the same places and nearly the same times share, see evidence.py.",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "kind"], name="sampletrace_once_per_kind")]
        indexes = [
            models.Index(fields=["times_digest"], name="sampletrace_by_times"),
            # Without a list of pending entries, which every search would have to go through.
            GinIndex(fields=["near_keys"], name="sampletrace_by_near_keys", fastupdate=False),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.times_digest[:12]}"
