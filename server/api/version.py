"""The version of the API's description."""

API_VERSION = "1.11.0"
"""Raised with every change of `docs/reference/openapi.yaml`: the last number where readers need not notice,
the middle one where something is new, the first one only together with a new `/api/v2/`."""
