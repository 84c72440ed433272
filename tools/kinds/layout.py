"""Where a kind stands: two folders, and one line in each side's registry."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROBE_KINDS = Path("client/probe/src/kinds")
ARCHIVE_KINDS = Path("server/benchmarks")
PROBE_REGISTRY = PROBE_KINDS / "mod.rs"
ARCHIVE_REGISTRY = ARCHIVE_KINDS / "registry.py"
