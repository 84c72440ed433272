"""What measurements tell whoever keeps rows of their own about runs."""

from __future__ import annotations

from django.dispatch import Signal

run_reextracted = Signal()
"""Sent in the transaction in which numbers of a published run became other ones, with `run_id`, `kind`,
`extractor_version` and `changes` (how many numbers are other than before)."""
