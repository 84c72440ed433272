"""What the archive counts of itself, for Prometheus. Anything may count here; `server/operations` serves it.

Processes of one container share their numbers through files in `PROMETHEUS_MULTIPROC_DIR`, where it is set
before the first import of this module (docker/entrypoint.sh); without it each process counts for itself.
Labels come from the code, never from a request: a stranger must not be able to make series.
"""

from __future__ import annotations

from prometheus_client import Counter, Histogram

_REQUEST_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_TASK_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0, 3600.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

http_requests = Counter(
    "diskatlas_http_requests_total", "Requests by route, method and status.", ["route", "method", "status"]
)
http_seconds = Histogram(
    "diskatlas_http_request_seconds",
    "Seconds until an answer began, by route.",
    ["route"],
    buckets=_REQUEST_S,
)
tasks = Counter("diskatlas_tasks_total", "Tasks that ended, by name and state.", ["task", "state"])
task_seconds = Histogram(
    "diskatlas_task_seconds", "Seconds that a task took, by name.", ["task"], buckets=_TASK_S
)
submissions = Counter(
    "diskatlas_submissions_total", "Uploads that got an answer, by what it was.", ["outcome"]
)
submission_moves = Counter(
    "diskatlas_submission_moves_total", "Submissions that reached a state, by state.", ["state"]
)
extraction_failures = Counter(
    "diskatlas_extraction_failures_total",
    "Benchmarks whose extraction failed, by kind and reason.",
    ["kind", "reason"],
)
storage_operations = Counter(
    "diskatlas_storage_operations_total",
    "Envelopes written and read, by operation and outcome.",
    ["operation", "outcome"],
)
storage_seconds = Histogram(
    "diskatlas_storage_seconds",
    "Seconds that the storage took, by operation.",
    ["operation"],
    buckets=_REQUEST_S,
)
cache_lookups = Counter(
    "diskatlas_cache_lookups_total",
    "Pages and verdicts asked of what is kept, by result.",
    ["cache", "result"],
)
replica_reads = Counter(
    "diskatlas_replica_reads_total",
    "Answers that a replica may give, by who gave them: it, the primary, or the primary after it failed.",
    ["from"],
)


def method_label(method: str | None) -> str:
    """Return a method's label; what no client should send shares one."""
    return method if method in _METHODS else "other"


def lookup_count(cache: str, *, hit: bool) -> None:
    """Count whether something was kept."""
    cache_lookups.labels(cache, "hit" if hit else "miss").inc()
