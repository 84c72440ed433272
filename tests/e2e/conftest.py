"""Fixtures of the tests that need a browser: Debian's Chromium on a sample archive that Django serves."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from server.catalog.models import DriveModel
from server.web.assets import built_assets
from tests.support.sample_archive import sample_archive
from tests.support.sample_registry import sample_kinds_registered

SCREENSHOTS = Path(__file__).resolve().parents[2] / ".build" / "screenshots"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

# Playwright keeps an event loop in the test's thread, which Django takes for asynchronous code.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Start the machine's Chromium; Playwright's own build is not downloaded."""
    if shutil.which(CHROMIUM) is None:
        pytest.skip(f"{CHROMIUM} is not there: install chromium, or set CHROMIUM to the program")
    return {
        **browser_type_launch_args,
        "executable_path": CHROMIUM,
        "args": ["--no-sandbox", "--disable-gpu", "--force-device-scale-factor=1"],
    }


@pytest.fixture
def built_front_end() -> None:
    if not built_assets().script:
        pytest.skip("the front end is not built: call `npm run build` in frontend/")


@pytest.fixture
def empty_site(live_server: LiveServer, built_front_end: None) -> Iterator[str]:
    """The address of a site with sample kinds and no rows."""
    with sample_kinds_registered():
        yield live_server.url


@pytest.fixture
def sample_model(empty_site: str) -> DriveModel:
    """The model of the sample archive, whose rows are made here."""
    return sample_archive()


@pytest.fixture
def screenshots() -> Path:
    """The folder for pictures of pages; git ignores it."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS
