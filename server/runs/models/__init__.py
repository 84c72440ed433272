"""Submissions, the runs inside them, and the numbers extracted from those."""

from server.runs.models.chart import DriveChart, StoredChart
from server.runs.models.measurement import Aggregate, AggregateCost, AggregateDue, Measurement
from server.runs.models.plausibility import CheckResult, Decision, SampleTrace
from server.runs.models.publication_log import LogKey, LogLeaf, LogNode, Withdrawal
from server.runs.models.run import Batch, Benchmark, Run, Unit, batch_text
from server.runs.models.submission import Provenance, State, Submission, SubmissionEvent

__all__ = [
    "Aggregate",
    "AggregateCost",
    "AggregateDue",
    "Batch",
    "Benchmark",
    "CheckResult",
    "Decision",
    "DriveChart",
    "LogKey",
    "LogLeaf",
    "LogNode",
    "Measurement",
    "Provenance",
    "Run",
    "SampleTrace",
    "State",
    "StoredChart",
    "Submission",
    "SubmissionEvent",
    "Unit",
    "Withdrawal",
    "batch_text",
]
