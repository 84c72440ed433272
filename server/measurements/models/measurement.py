"""Numbers extracted from runs, and their statistics over a model's runs."""

from __future__ import annotations

from django.db import models

from server.core.lifecycle import Provenance


class Measurement(models.Model):
    """One metric's value in one scope of one benchmark, or the reason why there is none."""

    benchmark = models.ForeignKey(
        "measurements.Benchmark", on_delete=models.CASCADE, related_name="measurements"
    )
    extractor_version = models.CharField(max_length=32)
    metric = models.CharField(max_length=64)
    scope = models.CharField(max_length=64, blank=True)
    value = models.FloatField(null=True, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    level = models.FloatField(default=0.95, help_text="Confidence level of [low, high].")
    count = models.PositiveIntegerField(help_text="Samples behind the number.")
    quality = models.CharField(max_length=8)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "metric", "scope", "extractor_version"],
                name="measurement_once_per_extractor",
            ),
            models.CheckConstraint(
                condition=models.Q(quality__in=["good", "fair", "poor", "none"]),
                name="measurement_quality_known",
            ),
            models.CheckConstraint(
                condition=models.Q(value__isnull=False) | ~models.Q(reason=""),
                name="measurement_value_or_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(low__isnull=True)
                | models.Q(high__isnull=True)
                | models.Q(low__lte=models.F("high")),
                name="measurement_low_not_above_high",
            ),
        ]
        indexes = [
            models.Index(fields=["metric", "scope"], name="measurement_by_metric"),
            # "Which runs reach so much of a metric" would go through all numbers of it.
            models.Index(fields=["metric", "value"], name="measurement_by_value"),
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.scope} {self.value}"


class Aggregate(models.Model):
    """Statistics of one metric over the units of a model's published runs, of one provenance and measured
    under one set of conditions only: a unit counts once, by the mean of its runs."""

    drive_model = models.ForeignKey("catalog.DriveModel", on_delete=models.CASCADE, related_name="aggregates")
    provenance = models.CharField(max_length=16, choices=Provenance)
    metric = models.CharField(max_length=64)
    scope = models.CharField(max_length=64, blank=True)
    n = models.PositiveIntegerField(help_text="Runs behind the statistics.")
    units = models.PositiveIntegerField(help_text="Different physical drives among them.")
    excluded = models.PositiveIntegerField(default=0, help_text="Runs whose value was too poor to count.")
    mean = models.FloatField()
    median = models.FloatField()
    stdev = models.FloatField(
        null=True, blank=True, help_text="Sample standard deviation; null for a single unit."
    )
    q1 = models.FloatField()
    q3 = models.FloatField()
    minimum = models.FloatField()
    maximum = models.FloatField()
    low = models.FloatField(
        null=True,
        blank=True,
        help_text="Interval that the median's digits follow: the quartiles of several units, of a single one "
        "that of its runs; null where they have none.",
    )
    high = models.FloatField(null=True, blank=True)
    conditions = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="Under which all of these were measured: way to the disk and caches, as far as told.",
    )
    strata = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text="What was measured under other conditions, each with its own runs, units and median.",
    )
    differing = models.JSONField(
        default=dict,
        blank=True,
        help_text="What the runs differ in beside the drive: condition to state to number of runs.",
    )
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["metric", "scope"]
        constraints = [
            models.UniqueConstraint(
                fields=["drive_model", "provenance", "metric", "scope"],
                name="aggregate_unique_per_provenance",
            ),
            models.CheckConstraint(
                condition=models.Q(provenance__in=Provenance.values), name="aggregate_provenance_known"
            ),
            models.CheckConstraint(condition=models.Q(n__gt=0), name="aggregate_of_something"),
        ]
        indexes = [
            models.Index(fields=["metric", "scope", "provenance", "median"], name="aggregate_ranking"),
            models.Index(fields=["median", "id"], name="aggregate_by_median"),
            models.Index(fields=["updated_at", "id"], name="aggregate_by_change"),
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.scope} ({self.provenance}, n={self.n})"


class AggregateDue(models.Model):
    """A model whose aggregates are older than its runs; written with the change, gone with the
    recomputation."""

    drive_model = models.OneToOneField(
        "catalog.DriveModel", on_delete=models.CASCADE, related_name="aggregate_due"
    )
    since = models.DateTimeField(auto_now_add=True)
    not_before = models.DateTimeField(
        null=True, help_text="Until when the model rests; empty where it may be computed at once."
    )
    changes = models.PositiveIntegerField(
        default=1, help_text="Changes since then: a refresh that saw fewer leaves the model due."
    )
    sweeps = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Times the sweeper put it into the queue again."
    )
    next_sweep_at = models.DateTimeField(
        null=True, help_text="When the sweeper takes the message it sent for lost; empty where it sent none."
    )

    class Meta:
        verbose_name_plural = "aggregates due"

    def __str__(self) -> str:
        return str(self.drive_model_id)


class AggregateCost(models.Model):
    """What computing a model's aggregates, and all that follows from them, took the last time."""

    drive_model = models.OneToOneField(
        "catalog.DriveModel", on_delete=models.CASCADE, primary_key=True, related_name="aggregate_cost"
    )
    at = models.DateTimeField(help_text="When it ended.")
    took_s = models.FloatField()

    def __str__(self) -> str:
        return f"{self.drive_model_id}: {self.took_s:.1f} s"
