"""The version of the API's description."""

from server.benchmarks.registry import KINDS

API_VERSION = f"1.37.{len(KINDS)}"
"""Raised with every change of `docs/reference/openapi.yaml`: the middle number where something is new, the
first one only together with a new `/api/v2/`. The last one follows by itself where all that is new is a
kind."""
