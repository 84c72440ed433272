"""`manage.py backup --every`: the first process of a container, to which a signal without a handler says
nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection

from tools.repository_rules import ROOT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]
PATIENCE_S = 120


def test_it_ends_when_told_to(tmp_path: Path) -> None:
    there = connection.settings_dict
    address = f"postgresql://{there['USER']}:{there['PASSWORD']}@/{there['NAME']}"
    child = subprocess.Popen(
        [sys.executable, "manage.py", "backup", str(tmp_path / "backups"), "--every", "24"],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": f"{address}?host={quote(str(there['HOST']), safe='')}",
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "DATA_DIR": str(tmp_path),
            "PYTHONUNBUFFERED": "1",
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    said = next((line for line in child.stdout if line.startswith("Backup ")), "")
    child.terminate()
    assert said and child.wait(PATIENCE_S) == 0
