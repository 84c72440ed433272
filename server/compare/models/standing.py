"""What is kept about the runs of a model for its page, one row for each provenance."""

from __future__ import annotations

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from server.runs.models import Provenance


class KeptStatistics(models.Model):
    """What a model's runs of one provenance say together. Written by `kept_update` alone, after the model's
    aggregates and in the same transaction, so that it is never older than they are."""

    drive_model = models.ForeignKey(
        "catalog.DriveModel", on_delete=models.CASCADE, related_name="kept_statistics"
    )
    provenance = models.CharField(max_length=16, choices=Provenance)
    form = models.PositiveSmallIntegerField(help_text="Of the two contents; one of another form is not read.")
    statistics = models.JSONField(
        encoder=DjangoJSONEncoder,
        help_text="`DriveStatistics` as plain data; empty where no run has a number.",
    )
    overview = models.JSONField(encoder=DjangoJSONEncoder, help_text="`DriveOverview` as plain data.")
    representative_run = models.ForeignKey(
        "runs.Run", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta:
        verbose_name_plural = "kept statistics"
        constraints = [
            models.UniqueConstraint(fields=["drive_model", "provenance"], name="keptstatistics_one_each"),
            models.CheckConstraint(
                condition=models.Q(provenance__in=Provenance.values), name="keptstatistics_provenance_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.drive_model_id} {self.provenance}"
