"""One row for each drive model with all that lists, facets and the home page need, and one for the
archive."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models


class DriveSummary(models.Model):
    """What is known about a drive model, counted over its published runs. Written by `summary_update`
    alone."""

    drive_model = models.OneToOneField(
        "catalog.DriveModel", on_delete=models.CASCADE, primary_key=True, related_name="summary"
    )
    listed = models.BooleanField(
        help_text="Whether lists show the model: a person has checked it, or it has a published run."
    )
    vendor = models.ForeignKey("catalog.Vendor", on_delete=models.CASCADE, related_name="+")
    sort_name = models.CharField(
        max_length=600, help_text="Vendor and number in lower case, runs of digits padded."
    )
    family = models.CharField(max_length=100, blank=True)
    capacity_bytes = models.PositiveBigIntegerField(null=True)
    rpm = models.FloatField(null=True)
    interface = models.CharField(max_length=32, blank=True)
    form_factor = models.CharField(max_length=64, blank=True)
    recording = models.CharField(max_length=8, blank=True)
    year = models.PositiveSmallIntegerField(null=True)
    measured_runs = models.PositiveIntegerField(default=0)
    simulated_runs = models.PositiveIntegerField(default=0)
    units = models.PositiveIntegerField(default=0, help_text="Different drives among the measured runs.")
    batches = models.PositiveIntegerField(default=0, help_text="Different batches among the measured runs.")
    firmwares = models.PositiveIntegerField(default=0, help_text="Revisions among the measured runs.")
    samples = models.PositiveBigIntegerField(default=0, help_text="Timings in the measured runs' documents.")
    measurements = models.PositiveIntegerField(default=0, help_text="Numbers out of the measured runs.")
    claims = models.PositiveIntegerField(default=0)
    literature_values = models.PositiveIntegerField(default=0)
    verdicts = models.JSONField(
        default=dict,
        help_text="What verdicts rest on (`measured`, `published`, `none`) to verdict to number of claims.",
    )
    outcomes = ArrayField(
        models.CharField(max_length=16), default=list, help_text="Verdicts that at least one claim has."
    )
    provenances = ArrayField(
        models.CharField(max_length=16), default=list, help_text="Where numbers of the model come from."
    )
    facets = ArrayField(
        models.CharField(max_length=120),
        default=list,
        help_text="`facet:value`, see server/search/facets.py.",
    )
    names = models.TextField(help_text="Normalised, each once, with a space around each.")
    headline = models.JSONField(
        default=dict, help_text="Provenance to `metric|scope` to median, quartiles, runs, units and interval."
    )
    last_published_at = models.DateTimeField(null=True)
    recommended_rank = models.PositiveSmallIntegerField(
        null=True, help_text="The smaller, the more a further run settles; empty where none is wanted."
    )
    recommended_words = models.CharField(max_length=400, blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "drive summaries"
        ordering = ["sort_name", "drive_model_id"]
        indexes = [
            models.Index(fields=["sort_name", "drive_model"], name="drivesummary_by_name"),
            models.Index(fields=["vendor"], name="drivesummary_vendor"),
            models.Index(
                fields=["recommended_rank", "-measured_runs", "sort_name"],
                condition=models.Q(listed=True, recommended_rank__isnull=False),
                name="drivesummary_recommended",
            ),
            GinIndex(fields=["facets"], name="drivesummary_facets"),
        ]

    def __str__(self) -> str:
        return self.sort_name


class DriveRequest(models.Model):
    """How often a drive was asked for that nobody has measured here. Nothing is kept of who asked."""

    drive_model = models.OneToOneField(
        "catalog.DriveModel", on_delete=models.CASCADE, null=True, related_name="request"
    )
    name = models.CharField(max_length=60, help_text="As it was asked for, in capitals; the model's title.")
    known_form = models.BooleanField(
        default=False,
        help_text="Whether it is a model, or reads like a maker's number: else moderators alone see it.",
    )
    asked = models.PositiveIntegerField(default=0)
    last_asked_on = models.DateField()

    class Meta:
        ordering = ["-asked", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["name"], condition=models.Q(drive_model=None), name="driverequest_name_once"
            )
        ]
        indexes = [models.Index(fields=["-asked", "name"], name="driverequest_most")]

    def __str__(self) -> str:
        return self.name


class ArchiveCountsDue(models.Model):
    """A change of a summary that the archive's counts do not hold yet; written with it, gone with the
    count."""

    since = models.DateTimeField()

    class Meta:
        verbose_name_plural = "archive counts due"

    def __str__(self) -> str:
        return str(self.since)


class ArchiveCounts(models.Model):
    """How much the archive holds; there is one row, the sum over the models' summaries."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    models_listed = models.PositiveIntegerField(default=0)
    models_measured = models.PositiveIntegerField(default=0)
    units = models.PositiveIntegerField(default=0)
    measured_runs = models.PositiveIntegerField(default=0)
    simulated_runs = models.PositiveIntegerField(default=0)
    samples = models.PositiveBigIntegerField(default=0)
    measurements = models.PositiveBigIntegerField(default=0)
    claims = models.PositiveIntegerField(default=0)
    facets = models.JSONField(
        default=dict, help_text="`facet:value` to number of models, of all that are listed."
    )
    bandwidth_ranges = models.JSONField(
        default=list, help_text="The home page's picture, see archive_counts.py."
    )
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "archive counts"
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="archivecounts_one_row")]

    def __str__(self) -> str:
        return f"{self.measured_runs} measured runs"
