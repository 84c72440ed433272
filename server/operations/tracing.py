"""OpenTelemetry traces, switched on by the environment alone: `OTEL_EXPORTER_OTLP_ENDPOINT` or
`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` names where spans go; all other `OTEL_` variables mean what the
specification says. Without one of the two nothing of it is imported.

A span's parent goes with a task's message, so that an upload and its processing are one trace. Statements are
shown without their values, requests without their query strings: both may be personal.
"""

from __future__ import annotations

import os
from typing import Any

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
EXPORT_TIMEOUT_S = 5.0


def wanted() -> bool:
    """Return whether the environment asks for traces."""
    off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return not off and any(os.environ.get(name) for name in ENDPOINTS)


def tracing_start(role: str, *, exporter: Any = None) -> bool:
    """Send spans of this process from now on; return whether any are wanted. Call it once in each process,
    after it was forked."""
    if not wanted():
        return False
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.instrumentation.celery import CeleryInstrumentor
    from opentelemetry.instrumentation.django import DjangoInstrumentor
    from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    os.environ.setdefault("OTEL_SERVICE_NAME", f"diskatlas-{role}")
    provider = TracerProvider(resource=Resource.create({"service.namespace": "diskatlas"}))
    provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter(timeout=EXPORT_TIMEOUT_S)))
    trace.set_tracer_provider(provider)
    # Whoever asks is nobody's business: addresses stay out, as they do of the log.
    DjangoInstrumentor().instrument(excluded_urls="healthz,readyz,health/", response_hook=_without_reader)
    CeleryInstrumentor().instrument()  # type: ignore[no-untyped-call]  # opentelemetry's
    PsycopgInstrumentor().instrument(skip_dep_check=True)
    return True


_READER = ("net.peer.ip", "client.address", "net.peer.port", "client.port", "http.user_agent", "url.query")
_ADDRESSES = ("http.url", "http.target", "url.full")


def _without_reader(span: Any, _request: Any, _response: Any) -> None:
    if not span.is_recording():
        return
    for name in _READER:
        if name in (span.attributes or {}):
            span.set_attribute(name, "")
    for name in _ADDRESSES:
        value = (span.attributes or {}).get(name)
        if value is not None:
            span.set_attribute(name, str(value).partition("?")[0])
