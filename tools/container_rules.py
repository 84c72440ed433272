"""Rules that the image and `compose.yaml` keep: no root, a health check each, no secret inside.

hadolint looks at the Dockerfile; here stands what it does not know, and what `compose.yaml` keeps, for which
there is no linter that does without a container engine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tools.repository_rules import ROOT

SECRET_NAME = re.compile(r"(PASSWORD|SECRET|TOKEN|KEY)$")
REFERENCE = re.compile(r"\$\{(\w+)(:?[-?][^}]*)?\}")
NEEDED_SERVICES = frozenset({"postgres", "redis", "web", "worker", "beat"})


def check(folder: Path) -> list[str]:
    """Findings on `Dockerfile` and `compose.yaml` in `folder`."""
    findings = list(check_dockerfile((folder / "Dockerfile").read_text(encoding="utf-8")))
    compose = yaml.safe_load((folder / "compose.yaml").read_text(encoding="utf-8"))
    findings += check_compose(compose)
    example = (folder / "env.example").read_text(encoding="utf-8")
    findings += check_variables(compose, example)
    return findings


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their arguments; continued lines are joined, comments left out."""
    lines = [line for line in dockerfile.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\s*\n", " ", "\n".join(lines))
    pairs = (line.strip().partition(" ") for line in joined.splitlines())
    return [(word.upper(), rest.strip()) for word, _, rest in pairs]


def check_dockerfile(text: str) -> Iterator[str]:
    """Findings on the image: its last stage names an account and has a health check."""
    steps = instructions(text)
    last = max((index for index, (word, _) in enumerate(steps) if word == "FROM"), default=0)
    words = {word for word, _ in steps[last:]}
    if "USER" not in words:
        yield "Dockerfile: the last stage runs as root; end it with USER and an unprivileged account"
    if "HEALTHCHECK" not in words:
        yield "Dockerfile: the last stage has no HEALTHCHECK"


def check_compose(compose: Mapping[str, Any]) -> Iterator[str]:
    """Findings on the services: health, privileges, restart, and what they depend on."""
    services: Mapping[str, Any] = compose.get("services", {})
    volumes = set(compose.get("volumes") or {})
    for name in sorted(NEEDED_SERVICES):
        if name not in services:
            yield f"compose.yaml: service {name} is missing"
    for name, service in services.items():
        where = f"compose.yaml: service {name}"
        one_off = service.get("restart") == "no"
        if not one_off and "healthcheck" not in service:
            yield f"{where} has no healthcheck"
        if service.get("privileged") or service.get("user") in {"root", "0"}:
            yield f"{where} asks for root"
        if "no-new-privileges:true" not in service.get("security_opt", []):
            yield f"{where} may gain privileges; set security_opt: [no-new-privileges:true]"
        if "mem_limit" not in service:
            yield f"{where} may take all memory of the machine; set mem_limit"
        if "restart" not in service:
            yield f"{where} does not say when to restart"
        for needed, how in dict(service.get("depends_on", {})).items():
            if needed not in services:
                yield f"{where} depends on {needed}, which does not exist"
            elif how.get("condition") not in {"service_healthy", "service_completed_successfully"}:
                yield f"{where} does not wait until {needed} is ready"
        for volume in service.get("volumes", []):
            source = str(volume).split(":")[0]
            if re.fullmatch(r"[\w-]+", source) and source not in volumes:
                yield f"{where} mounts volume {source}, which is not declared"
        yield from _secrets(where, service.get("environment", {}))


def _secrets(where: str, environment: Mapping[str, Any]) -> Iterator[str]:
    for key, value in environment.items():
        if SECRET_NAME.search(key) and not REFERENCE.search(str(value)) and not key.endswith("_FILE"):
            yield f"{where} holds {key} in clear; take it from the environment"


def check_variables(compose: Mapping[str, Any], example: str) -> Iterator[str]:
    """Every variable that `compose.yaml` reads stands in `env.example`, and there no secret has a value."""
    named = dict(re.findall(r"^#?\s*([A-Z][A-Z0-9_]*)=(.*)$", example, flags=re.MULTILINE))
    for name in sorted({match[1] for match in REFERENCE.finditer(yaml.safe_dump(compose, width=10_000))}):
        if name not in named:
            yield f"env.example: does not name {name}, which compose.yaml reads"
    for name, value in named.items():
        if SECRET_NAME.search(name) and value.strip():
            yield f"env.example: {name} has a value; leave secrets empty"


if __name__ == "__main__":
    sys.exit("\n".join(check(ROOT / "docker")) or 0)
