"""Charts as pages draw them: computed once, thinned out, kept as packed JSON."""

from __future__ import annotations

from django.db import models

from server.core.lifecycle import Provenance


class StoredChart(models.Model):
    """One chart of one benchmark. `Benchmark.charts_version` says whether the rows are of today's making."""

    benchmark = models.ForeignKey("measurements.Benchmark", on_delete=models.CASCADE, related_name="charts")
    chart_id = models.CharField(max_length=64)
    position = models.PositiveSmallIntegerField(help_text="The chart's place among its kind's.")
    data = models.BinaryField(help_text="JSON, packed by zlib.")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "chart_id"], name="chart_once_per_benchmark")
        ]

    def __str__(self) -> str:
        return self.chart_id


class DriveChart(models.Model):
    """One chart of a model: that of its median unit with the spread of the others, of one provenance."""

    drive_model = models.ForeignKey("catalog.DriveModel", on_delete=models.CASCADE, related_name="charts")
    provenance = models.CharField(max_length=16, choices=Provenance)
    kind = models.CharField(max_length=32)
    chart_id = models.CharField(max_length=64)
    position = models.PositiveSmallIntegerField(help_text="The chart's place among its kind's.")
    run = models.ForeignKey(
        "measurements.Run", on_delete=models.CASCADE, related_name="+", help_text="The median unit's."
    )
    units = models.PositiveIntegerField(help_text="Drives that are drawn, the median one among them.")
    data = models.BinaryField(help_text="JSON, packed by zlib.")
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["kind", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["drive_model", "provenance", "kind", "chart_id"], name="chart_once_per_model"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind}/{self.chart_id}"
