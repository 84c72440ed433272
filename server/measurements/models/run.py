"""What a run document says, as rows: the run, its unit and batch, and one row per benchmark."""

from __future__ import annotations

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Now

from server.core.lifecycle import Provenance, Standing


class Unit(models.Model):
    """One physical drive of a model, known only by a digest of its serial number."""

    drive_model = models.ForeignKey("catalog.DriveModel", on_delete=models.PROTECT, related_name="units")
    digest = models.CharField(max_length=64)
    first_seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["drive_model", "digest"], name="unit_unique_per_model"),
            models.CheckConstraint(
                condition=models.Q(digest__regex=r"^[0-9a-f]{64}$"), name="unit_digest_is_hex"
            ),
        ]
        indexes = [models.Index(fields=["first_seen_at", "id"], name="unit_by_sight")]

    def __str__(self) -> str:
        return self.digest[:12]


class Batch(models.Model):
    """Units of a model made in the same week, with an optional free label."""

    drive_model = models.ForeignKey("catalog.DriveModel", on_delete=models.PROTECT, related_name="batches")
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    week = models.PositiveSmallIntegerField(null=True, blank=True)
    label = models.CharField(max_length=128, blank=True)

    class Meta:
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(
                fields=["drive_model", "year", "week", "label"], name="batch_unique", nulls_distinct=False
            ),
            models.CheckConstraint(
                condition=models.Q(week__isnull=True) | models.Q(week__gte=1, week__lte=53),
                name="batch_week_is_iso",
            ),
            models.CheckConstraint(
                condition=models.Q(year__isnull=False, week__isnull=False) | ~models.Q(label=""),
                name="batch_says_something",
            ),
        ]

    def __str__(self) -> str:
        return batch_text(self.year, self.week, self.label)


def batch_text(year: int | None, week: int | None, label: str) -> str:
    """Return what a batch is called: its week and its label, as far as there are any."""
    name = f"{year}-W{week:02d}" if year and week else ""
    return " ".join(part for part in (name, label) if part)


class Run(models.Model):
    """One invocation of the probe on one device."""

    run_id = models.UUIDField(primary_key=True)
    submission = models.OneToOneField("submissions.Submission", on_delete=models.PROTECT, related_name="run")
    drive_model = models.ForeignKey("catalog.DriveModel", on_delete=models.PROTECT, related_name="runs")
    unit = models.ForeignKey(Unit, on_delete=models.PROTECT, null=True, blank=True, related_name="runs")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, null=True, blank=True, related_name="runs")
    provenance = models.CharField(max_length=16, choices=Provenance)
    created_at = models.DateTimeField(help_text="When the probe says that it measured.")
    license = models.CharField(max_length=32)
    firmware = models.CharField(max_length=256, blank=True)
    capacity_bytes = models.PositiveBigIntegerField()
    block_bytes = models.PositiveIntegerField()
    summary = models.JSONField(encoder=DjangoJSONEncoder, help_text="The document without its samples.")
    measured_on_request = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether its places follow from a fresh challenge of this archive.",
    )
    in_browser = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether the archive's page read its files: no probe signed it, and no number counts it.",
    )
    standing = models.CharField(
        max_length=16,
        choices=Standing,
        default=Standing.PLAUSIBLE,
        db_default=Standing.PLAUSIBLE,
        help_text="How far it is borne out, where it is published.",
    )
    beyond_share = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether it is of a drive beyond its holder's share of the model, and counts in no number.",
    )
    updated_at = models.DateTimeField(
        db_default=Now(),
        editable=False,
        help_text="When it was published, extracted anew or changed last. Triggers of the database keep it.",
    )

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(provenance__in=Provenance.values), name="run_provenance_known"
            ),
            models.CheckConstraint(
                condition=models.Q(standing__in=Standing.values), name="run_standing_known"
            ),
            models.CheckConstraint(condition=models.Q(capacity_bytes__gt=0), name="run_capacity_positive"),
            models.CheckConstraint(condition=models.Q(block_bytes__gt=0), name="run_block_positive"),
        ]
        indexes = [
            models.Index(fields=["drive_model", "provenance", "-created_at"], name="run_of_model"),
            models.Index(fields=["drive_model", "firmware"], name="run_by_firmware"),
            models.Index(fields=["created_at", "run_id"], name="run_by_creation"),
            models.Index(fields=["updated_at", "run_id"], name="run_by_change"),
            # Few different values each: small, and they tell at once that no run has one.
            models.Index(fields=["capacity_bytes"], name="run_by_capacity"),
            models.Index(fields=["block_bytes"], name="run_by_block"),
            models.Index(fields=["license"], name="run_by_license"),
            models.Index(fields=["standing"], name="run_by_standing"),
        ]

    def __str__(self) -> str:
        return str(self.run_id)


class Benchmark(models.Model):
    """One kind's part of a run."""

    class State(models.TextChoices):
        PENDING = "pending"
        EXTRACTED = "extracted"
        FAILED = "failed"
        SKIPPED = "skipped"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="benchmarks")
    kind = models.CharField(max_length=32)
    position = models.PositiveSmallIntegerField(help_text="Index in the document's `benchmarks`.")
    version = models.PositiveSmallIntegerField(default=1, help_text="Version of the kind's schema.")
    state = models.CharField(max_length=16, choices=State, default=State.PENDING)
    reason = models.TextField(blank=True, help_text="Why it was skipped or failed.")
    attempts = models.PositiveSmallIntegerField(default=0)
    elapsed_ns = models.PositiveBigIntegerField(null=True, blank=True)
    samples = models.PositiveBigIntegerField(
        null=True,
        help_text="Timings that the document holds; empty for what came before they were counted.",
    )
    caches = models.JSONField(
        null=True, blank=True, help_text="State of the drive's caches during it, where that is told apart."
    )
    medium_errors = models.PositiveIntegerField(default=0)
    extractor_version = models.CharField(max_length=32, blank=True)
    extracted_at = models.DateTimeField(null=True, blank=True)
    details = models.JSONField(default=dict, help_text="Intermediate results that charts need.")
    charts_version = models.CharField(
        max_length=80, blank=True, help_text="What made its stored charts; empty where none were made."
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "kind"], name="benchmark_once_per_run"),
            models.CheckConstraint(
                condition=models.Q(state__in=["pending", "extracted", "failed", "skipped"]),
                name="benchmark_state_known",
            ),
        ]
        indexes = [models.Index(fields=["state", "id"], name="benchmark_by_state")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.run_id}"
