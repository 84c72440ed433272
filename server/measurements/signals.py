"""What the archive tells whoever keeps rows of their own about a drive model.

`runs` knows nobody above it; they connect in their app's `ready`.
"""

from __future__ import annotations

from django.dispatch import Signal

aggregates_updated = Signal()
"""Sent with `drive_model_id` after a model's aggregates were computed, within the same transaction: a
receiver that fails takes the aggregates back with it, and the model stays due for another try. Sent too
after a change of the catalogue. A receiver does the same when it is called twice."""

run_published = Signal()
"""Sent with `run` within the transaction that publishes it: a receiver that fails takes the publication
back, and the submission is tried again. A receiver does the same when it is called twice."""
