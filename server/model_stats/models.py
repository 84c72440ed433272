"""The stored statistics of a model's runs, for its page, one row for each provenance."""

from __future__ import annotations

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from server.core.lifecycle import Provenance


class ModelStatsSnapshot(models.Model):
    """What a model's runs of one provenance say together. Written by `snapshots_update` alone, after the
    model's aggregates and in the same transaction, so that it is never older than they are."""

    drive_model = models.ForeignKey(
        "catalog.DriveModel", on_delete=models.CASCADE, related_name="stats_snapshots"
    )
    provenance = models.CharField(max_length=16, choices=Provenance)
    schema_version = models.PositiveSmallIntegerField(
        help_text="Of the two contents; rows of another version are not read."
    )
    statistics = models.JSONField(
        encoder=DjangoJSONEncoder,
        help_text="`DriveStatistics` as plain data; empty where no run has a number.",
    )
    overview = models.JSONField(encoder=DjangoJSONEncoder, help_text="`DriveOverview` as plain data.")
    representative_run = models.ForeignKey(
        "measurements.Run", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta:
        verbose_name_plural = "statistics snapshots"
        constraints = [
            models.UniqueConstraint(fields=["drive_model", "provenance"], name="statssnapshot_one_each"),
            models.CheckConstraint(
                condition=models.Q(provenance__in=Provenance.values), name="statssnapshot_provenance_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.drive_model_id} {self.provenance}"
