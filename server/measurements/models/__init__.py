"""The runs inside submissions, the numbers extracted from them, and their statistics over a model's runs."""

from server.measurements.models.chart import DriveChart, StoredChart
from server.measurements.models.measurement import Aggregate, AggregateCost, AggregateDue, Measurement
from server.measurements.models.run import Batch, Benchmark, Run, Unit, batch_text

__all__ = [
    "Aggregate",
    "AggregateCost",
    "AggregateDue",
    "Batch",
    "Benchmark",
    "DriveChart",
    "Measurement",
    "Run",
    "StoredChart",
    "Unit",
    "batch_text",
]
