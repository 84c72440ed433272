"""What the catalogue tells whoever keeps rows of their own about its drive models."""

from __future__ import annotations

from django.dispatch import Signal

catalogue_changed = Signal()
"""Sent in the transaction of a change, with `drive_model_ids` (ids of the models that changed, or whose
claims, published values or names did) and `at_once` (whether the caller, a command, waits until all
follows; otherwise a worker sees to it)."""
