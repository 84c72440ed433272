"""Rules that the image and `compose.yaml` keep: no root, a health check each, no secret inside.

hadolint looks at the Dockerfile, and Docker Compose's loader at the compose files
(`tests/integrations/test_compose_files.py`); here stands what they do not know.
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
    """Findings on the images and the compose files in `folder`."""
    findings: list[str] = []
    for image in ("Dockerfile", "pgbouncer.Dockerfile"):
        findings += check_dockerfile((folder / image).read_text(encoding="utf-8"), image)
    findings += check_compose(compose_read(folder / "compose.yaml"))
    example = (folder / "env.example").read_text(encoding="utf-8")
    for path in sorted(folder.glob("compose*.yaml")):
        findings += check_variables(compose_read(path), example, path.name)
    return findings


class _ComposeLoader(yaml.SafeLoader):
    """Reads the tags by which a compose file replaces what it takes over from another."""


for _tag in ("!override", "!reset"):
    _ComposeLoader.add_multi_constructor(_tag, lambda loader, _suffix, node: _plain(loader, node))


def _plain(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)  # type: ignore[arg-type]


def compose_read(path: Path) -> dict[str, Any]:
    """Return what a compose file holds."""
    found: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=_ComposeLoader)
    return found


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their arguments; continued lines are joined, comments left out."""
    lines = [line for line in dockerfile.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\s*\n", " ", "\n".join(lines))
    pairs = (line.strip().partition(" ") for line in joined.splitlines())
    return [(word.upper(), rest.strip()) for word, _, rest in pairs]


def check_dockerfile(text: str, name: str = "Dockerfile") -> Iterator[str]:
    """Findings on an image: its last stage names an account and has a health check."""
    steps = instructions(text)
    last = max((index for index, (word, _) in enumerate(steps) if word == "FROM"), default=0)
    words = {word for word, _ in steps[last:]}
    if "USER" not in words:
        yield f"{name}: the last stage runs as root; end it with USER and an unprivileged account"
    if "HEALTHCHECK" not in words:
        yield f"{name}: the last stage has no HEALTHCHECK"


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


def check_variables(compose: Mapping[str, Any], example: str, read_by: str = "compose.yaml") -> Iterator[str]:
    """Every variable that a compose file reads stands in `env.example`, and there no secret has a value."""
    named = dict(re.findall(r"^#?\s*([A-Z][A-Z0-9_]*)=(.*)$", example, flags=re.MULTILINE))
    for name in sorted({match[1] for match in REFERENCE.finditer(yaml.safe_dump(compose, width=10_000))}):
        if name not in named:
            yield f"env.example: does not name {name}, which {read_by} reads"
    for name, value in named.items():
        if SECRET_NAME.search(name) and value.strip():
            yield f"env.example: {name} has a value; leave secrets empty"


if __name__ == "__main__":
    sys.exit("\n".join(check(ROOT / "docker")) or 0)
