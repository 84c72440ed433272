"""What the page for contributors says of who made the binaries. The files are samples, no programs."""

from __future__ import annotations

import hashlib
import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import LazySettings
from django.test import Client

from tools.release import manifest
from tools.release.sign import sign

NAMES = ("diskatlas-aarch64-unknown-linux-musl", "diskatlas-x86_64-unknown-linux-musl")


@pytest.fixture
def downloads(settings: LazySettings, tmp_path: Path) -> Iterator[Path]:
    """A download folder with two binaries and their unsigned list."""
    settings.DOWNLOADS_DIR = tmp_path
    for name in NAMES:
        (tmp_path / name).write_bytes(b"sample " + name.encode())
    (tmp_path / "diskatlas.1").write_text("a sample page")
    manifest.write(tmp_path)
    yield tmp_path


def signed(folder: Path) -> str:
    """Sign what lies there with a new key; return the key's id."""
    key = Ed25519PrivateKey.generate()
    sign(folder, key, allow_changed=True)
    return hashlib.sha256(key.public_key().public_bytes_raw()).hexdigest()


def page(client: Client) -> str:
    response = client.get("/contribute/")
    assert response.status_code == 200
    return html.unescape(response.content.decode())


def test_both_binaries_are_offered_and_the_shell_chooses(client: Client, downloads: Path) -> None:
    text = page(client)
    for name in NAMES:
        assert f'href="/download/{name}"' in text
    assert "probe=diskatlas-$(uname -m)-unknown-linux-musl" in text
    assert "sha256sum --check --ignore-missing SHA256SUMS" in text


def test_unsigned_binaries_are_said_to_be_unsigned(client: Client, downloads: Path) -> None:
    text = page(client)
    assert "<strong>not signed</strong>" in text
    assert "openssl" not in text


def test_signed_binaries_come_with_the_key_and_the_commands_that_check(
    client: Client, downloads: Path
) -> None:
    keyid = signed(downloads)
    text = page(client)
    assert keyid in text
    assert f"diskatlas verify --manifest manifest.json --key {keyid}" in text
    assert "not signed" not in text
    for name in ("SHA256SUMS", "manifest.json", "manifest.json.sig", "release-key.pem", "diskatlas.1"):
        response = client.get(f"/download/{name}")
        assert b"".join(response) == (downloads / name).read_bytes()  # type: ignore[arg-type]


def commands(text: str) -> list[str]:
    """The blocks of commands of the page, those that fetch left out."""
    blocks = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", text, re.DOTALL)
    fetch = re.compile(r"curl -fO|^for file")
    return ["\n".join(line for line in block.splitlines() if not fetch.search(line)) for block in blocks]


def test_the_commands_of_the_page_check_what_they_say_they_check(client: Client, downloads: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    keyid = signed(downloads)
    whole, origin = commands(page(client))[:2]
    script = f"set -e\n{whole.replace('$(uname -m)', 'x86_64')}\n{origin}\n"
    done = subprocess.run(["sh", "-c", script], cwd=downloads, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{NAMES[1]}: OK" in done.stdout
    assert keyid in done.stdout
    assert "Signature Verified Successfully" in done.stdout
    (downloads / NAMES[1]).write_bytes(b"other")
    done = subprocess.run(["sh", "-c", script], cwd=downloads, capture_output=True, check=False)
    assert done.returncode != 0


@pytest.mark.parametrize("damage", ["binary", "manifest", "signature", "key", "missing", "unreadable"])
def test_files_that_are_not_the_signed_ones_are_not_to_be_run(
    client: Client, downloads: Path, damage: str
) -> None:
    signed(downloads)
    path = downloads / manifest.MANIFEST
    match damage:
        case "binary":
            (downloads / NAMES[0]).write_bytes(b"other")
        case "manifest":
            path.write_text(path.read_text().replace('"tree": "', '"tree":  "'))
        case "signature":
            (downloads / manifest.SIGNATURE).write_bytes(bytes(64))
        case "key":
            other = (downloads / manifest.PUBLIC_KEY).read_bytes()
            signed(downloads)
            (downloads / manifest.PUBLIC_KEY).write_bytes(other)
        case "missing":
            (downloads / manifest.SIGNATURE).unlink()
        case "unreadable":
            path.write_text(json.dumps([1]))
    text = page(client)
    assert "Do not run these files" in text
    assert "curl" not in text
    assert "openssl" not in text


def test_a_source_with_changes_of_its_own_is_said_to_have_them(client: Client, downloads: Path) -> None:
    path = downloads / manifest.MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | {"tree": "changed"}))
    assert "with changes that no commit holds" in page(client)
