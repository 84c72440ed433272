"""Records the golden runs anew: `make golden`, or `make golden KINDS="one two"` for some alone.

Look at the difference before committing it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from server.benchmarks.registry import KINDS
from tests.contract.golden import comparable, golden_of, write_document
from tests.support.probe import Probe, probe_path


def main(slugs: list[str]) -> int:
    path = probe_path()
    if path is None:
        print("The probe is not built. Call `make probe`.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        probe = Probe(path, Path(folder))
        if (made := probe.call("key", "new")).returncode:
            print(made.stderr, file=sys.stderr)
            return 1
        for kind in (kind for kind in KINDS if kind.slug in slugs or not slugs):
            golden = golden_of(kind.slug)
            output = Path(folder) / f"{kind.slug}.run.json"
            document = probe.run(golden.device, output, "--only", kind.slug, *golden.options)
            # The machine on which a golden run was recorded is nobody's business.
            document["host"] = dict.fromkeys(document["host"])
            document["probe"]["commit"] = None
            if golden.path.exists() and comparable(golden.document()) == comparable(document):
                print(f"{kind.slug}: unchanged")
                continue
            write_document(document, golden.path)
            print(f"{kind.slug}: recorded, {golden.path.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
