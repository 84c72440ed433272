"""Programs that nobody here wrote, as people who build on the archive use them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import *  # noqa: F403 -- the fixtures that publish
from tests.server.subscriptions.conftest import *  # noqa: F403 -- a webhook and its receiver

FOLDER = Path(__file__).parent
QUIET = {
    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
    "REDOCLY_TELEMETRY": "off",
    "SCARF_ANALYTICS": "false",
}
"""The linters call nobody."""
Node = Callable[..., Any]


@pytest.fixture
def node() -> Node:
    """Run a program of this folder with JSON on its input; return the JSON that it prints."""
    if shutil.which("node") is None or not (FOLDER / "node_modules").is_dir():
        pytest.skip("the packages of tests/integrations are not installed: call `make node-tests`")

    def run(*command: str, given: Any = None) -> Any:
        environment = {**os.environ, **QUIET, "PATH": f"{FOLDER / 'node_modules/.bin'}:{os.environ['PATH']}"}
        done = subprocess.run(
            command,
            cwd=FOLDER,
            env=environment,
            input=json.dumps(given),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.stdout, done.stderr
        # Spectral adds words to an empty list.
        return json.JSONDecoder().raw_decode(done.stdout.lstrip())[0]

    return run
