"""Releases of the archive as files: immutable, numbered, each with the head of the log it was made under."""

from __future__ import annotations

from django.db import models

from server.datasets.columns import FORMATS

SCHEMA_VERSION = "2.1"
"""Of the tables and their columns; docs/reference/datasets.md says what may change in which version."""


def every_format() -> list[str]:
    """Return what a release is written as unless fewer are asked for."""
    return list(FORMATS)


class Release(models.Model):
    """One release. Nobody is shown it before it is complete, and nothing changes it afterwards."""

    class State(models.TextChoices):
        BUILDING = "building"
        PUBLISHED = "published"

    number = models.PositiveIntegerField(primary_key=True)
    state = models.CharField(max_length=16, choices=State, default=State.BUILDING)
    schema_version = models.CharField(max_length=16)
    log_size = models.BigIntegerField(help_text="Leaves of the publication log that the release holds.")
    formats = models.JSONField(default=every_format, help_text="What its tables are written as.")
    checkpoint = models.TextField(help_text="The signed head of that size.")
    models_digest = models.CharField(max_length=64, help_text="Of the models' names as it began.")
    previous = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    began_at = models.DateTimeField(help_text="When its data were read.")
    published_at = models.DateTimeField(null=True)
    doi = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="Its DOI, where it has one.",
    )
    rows = models.JSONField(default=dict, help_text="Table to number of rows.")
    changes = models.JSONField(default=dict, help_text="Kind of change against the previous release to runs.")
    extractors = models.JSONField(default=dict, help_text="Kind to extractor version to benchmarks.")
    missing = models.JSONField(default=list, help_text="Runs whose samples could not be read, with reasons.")

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state="building") | models.Q(published_at__isnull=False),
                name="release_published_has_time",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["building", "published"]), name="release_state_known"
            ),
            models.UniqueConstraint(
                fields=["state"], condition=models.Q(state="building"), name="release_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"release {self.number}"


class ReleasePart(models.Model):
    """A part of a release that is written to its end: what a build that was killed need not do again."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="parts")
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64, blank=True, help_text="Of what it was made from.")
    missing = models.JSONField(default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "key"], name="releasepart_once")]

    def __str__(self) -> str:
        return self.key


class ReleaseFile(models.Model):
    """One file of a release."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="files")
    part = models.ForeignKey(ReleasePart, on_delete=models.CASCADE, null=True, related_name="files")
    path = models.CharField(max_length=300, help_text="Within the release.")
    storage_name = models.CharField(
        max_length=300, help_text="Where its bytes are; an older release's file where nothing changed."
    )
    table = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=32, blank=True)
    format = models.CharField(max_length=16, blank=True)
    rows = models.BigIntegerField(null=True)
    size_bytes = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["release", "path"], name="releasefile_once")]

    def __str__(self) -> str:
        return self.path
