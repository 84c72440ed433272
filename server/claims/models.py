"""What comes of claims, kept so that lists need not compute it."""

from __future__ import annotations

from django.db import models
from django.db.models import Case, OrderBy, When
from django.db.models.functions import Abs, Coalesce

from server.claims.verdicts import Outcome


def ledger_order(before: str = "") -> tuple[OrderBy, OrderBy]:
    """Return the order that the ledger opens with: missed claims first, then all others that something was
    held against, each by how far off they are, and last those that nothing was held against. `before` leads
    to the verdict."""
    tested = ["measured", "published"]
    place = Case(
        When(**{f"{before}evidence": "none"}, then=2),
        When(**{f"{before}effective_verdict": Outcome.MISSED.value}, then=0),
        When(**{f"{before}evidence__in": tested}, then=1),
    )
    off = Abs(Coalesce(f"{before}by_percent", f"{before}published_by_percent"))
    return OrderBy(place), OrderBy(off, descending=True, nulls_last=True)


class ClaimVerdict(models.Model):
    """What comes of one claim: by measured runs, and apart from that by published values.

    Written anew in the background whenever the model's aggregates, claims or published values change.
    """

    class Evidence(models.TextChoices):
        """What a verdict rests on, the strongest first."""

        MEASURED = "measured", "measured runs"
        PUBLISHED = "published", "published values"
        NONE = "none", "nothing yet"

    OUTCOMES = [(outcome.value, outcome.value) for outcome in Outcome]

    claim = models.OneToOneField("catalog.Claim", on_delete=models.CASCADE, related_name="verdict")
    drive_model = models.ForeignKey(
        "catalog.DriveModel", on_delete=models.CASCADE, related_name="claim_verdicts"
    )
    claim_digest = models.CharField(max_length=64, help_text="Of the claim's terms as they were judged.")
    evidence = models.CharField(max_length=16, choices=Evidence)
    effective_verdict = models.CharField(
        max_length=16, choices=OUTCOMES, help_text="By measured runs, or else by published values."
    )
    outcome = models.CharField(max_length=16, choices=OUTCOMES, help_text="By measured runs.")
    words = models.TextField()
    by_percent = models.FloatField(null=True, help_text="How far off, in per cent of the claim.")
    needed = models.PositiveIntegerField(null=True, help_text="Drives or runs that would decide.")
    metric = models.CharField(max_length=64, blank=True, help_text="What was measured; empty for nothing.")
    scope = models.CharField(max_length=64, blank=True)
    value = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    units = models.PositiveIntegerField(default=0)
    runs = models.PositiveIntegerField(default=0)
    left_out = models.PositiveIntegerField(default=0, help_text="Runs that can not be held against it.")
    published_outcome = models.CharField(max_length=16, choices=OUTCOMES, blank=True)
    published_words = models.TextField(blank=True)
    published_by_percent = models.FloatField(null=True)
    published_needed = models.PositiveIntegerField(null=True)
    published_metric = models.CharField(max_length=64, blank=True)
    published_scope = models.CharField(max_length=64, blank=True)
    published_value = models.FloatField(null=True)
    published_low = models.FloatField(null=True)
    published_high = models.FloatField(null=True)
    published_units = models.PositiveIntegerField(default=0)
    literature = models.ForeignKey(
        "catalog.LiteratureValue", on_delete=models.CASCADE, null=True, related_name="+"
    )
    judged_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(evidence__in=["measured", "published", "none"]),
                name="claimverdict_evidence_known",
            ),
            models.CheckConstraint(
                condition=models.Q(effective_verdict__in=[outcome.value for outcome in Outcome]),
                name="claimverdict_effective_known",
            ),
        ]
        indexes = [
            models.Index(fields=["effective_verdict", "drive_model"], name="claimverdict_by_effective"),
            models.Index(fields=["drive_model", "effective_verdict"], name="claimverdict_of_model"),
            models.Index(*ledger_order(), "claim", name="claimverdict_ledger"),
        ]

    def __str__(self) -> str:
        return f"{self.claim_id}: {self.effective_verdict}"
