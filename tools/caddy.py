"""Caddy with docker/Caddyfile on a machine of tests: with certificates that it signs itself, and without the
words that Debian's version does not know."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from tools.embedded.binaries import PROJECT

CADDYFILE = PROJECT / "docker" / "Caddyfile"


def caddyfile() -> str:
    """Return docker/Caddyfile in words that the installed Caddy knows."""
    text = CADDYFILE.read_text(encoding="utf-8")
    version = subprocess.run(["caddy", "version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, version.lstrip("v").split(".")[:2])) < (2, 7):
        # Debian's: it knows buffers by other words.
        text = "".join(line for line in text.splitlines(keepends=True) if "_buffers " not in line)
    return text


def caddy_start(
    folder: Path, domain: str, upstreams: str, command: Callable[..., list[str]]
) -> subprocess.Popen[bytes]:
    """Start Caddy where `command` has programs run; whoever calls ends it. It logs below `folder`."""
    text = caddyfile().replace("\n{\n", "\n{\n\tlocal_certs\n\tskip_install_trust\n", 1)
    (folder / "Caddyfile").write_text(text, encoding="utf-8")
    given = {"SITE_DOMAIN": domain, "WEB_UPSTREAMS": upstreams}
    environment = {**os.environ, **given, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    call = command("caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile")
    with (folder / "caddy.log").open("wb") as log:
        return subprocess.Popen(call, env=environment, stdout=log, stderr=log)
