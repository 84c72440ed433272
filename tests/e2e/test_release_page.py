"""The contribute page with signed binaries, whose digests and commands are wide, on a phone and on a desk."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import LazySettings
from playwright.sync_api import Browser

from tests.e2e.audit import audit
from tools.release import manifest
from tools.release.sign import sign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_signed_binaries_and_the_commands_that_check_them_fit_every_screen(
    browser: Browser,
    empty_site: str,
    settings: LazySettings,
    tmp_path: Path,
    screenshots: Path,
    width: int,
    theme: str,
) -> None:
    settings.DOWNLOADS_DIR = tmp_path
    for target in ("aarch64-unknown-linux-musl", "x86_64-unknown-linux-musl"):
        (tmp_path / f"diskatlas-{target}").write_bytes(b"sample")
    (tmp_path / "diskatlas.1").write_text("a sample page")
    manifest.write(tmp_path)
    sign(tmp_path, Ed25519PrivateKey.generate(), allow_changed=True)
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{empty_site}/contribute/", wait_until="networkidle")
    page.get_by_role("heading", name="Check who made it").wait_for()
    assert audit(page) == []
    page.screenshot(path=screenshots / f"release-{width}-{theme}.png", full_page=True)
    context.close()
