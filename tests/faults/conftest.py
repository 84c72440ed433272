"""Which faults `make test` comes to: those of a whole archive take minutes, longer on a busy machine."""

from __future__ import annotations

import os

collect_ignore = [] if os.environ.get("FAULTS_ROUNDS") else ["field"]
"""`make test-faults` sets it."""
