"""What the checks said of a run, what they compare samples by, and what people decided."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models


class CheckResult(models.Model):
    """One check's answer for one run, with the figures behind it. Written anew whenever a run is assessed."""

    class Outcome(models.TextChoices):
        PASSED = "passed"
        HELD = "held"
        NOTED = "noted"
        NOT_APPLICABLE = "not_applicable", "not applicable"

    run = models.ForeignKey("runs.Run", on_delete=models.CASCADE, related_name="check_results")
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


class SampleTrace(models.Model):
    """What one benchmark's samples are recognised by: digests of its times and places, and its first
    times."""

    benchmark = models.OneToOneField("runs.Benchmark", on_delete=models.CASCADE, related_name="trace")
    kind = models.CharField(max_length=32)
    times_digest = models.CharField(max_length=64)
    places_digest = models.CharField(max_length=64)
    first_times_ns = models.JSONField(default=list)

    class Meta:
        indexes = [
            models.Index(fields=["kind", "times_digest"], name="sampletrace_by_times"),
            models.Index(fields=["kind", "places_digest"], name="sampletrace_by_places"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.times_digest[:12]}"


class Decision(models.Model):
    """What a person decided about a held submission, and why. Only ever added."""

    class Verdict(models.TextChoices):
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        RESTARTED = "restarted"

    submission = models.ForeignKey("runs.Submission", on_delete=models.PROTECT, related_name="decisions")
    verdict = models.CharField(max_length=16, choices=Verdict)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "id"]
        permissions = [("decide", "Can decide about held submissions")]
        constraints = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="decision_has_a_reason"),
            models.CheckConstraint(
                condition=models.Q(verdict__in=["accepted", "rejected", "restarted"]),
                name="decision_verdict_known",
            ),
        ]

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
