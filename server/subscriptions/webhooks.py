"""Where a webhook may point: addresses of the public internet over HTTPS, and nothing else.

The name is looked up once and the connection goes to the address that was checked, so that a name whose
answer changes in between leads nowhere else.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings

MOST_LETTERS = 500
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_TRANSLATED = (
    ipaddress.ip_network("64:ff9b::/96"),  # RFC 6052: IPv4 addresses behind a translator
    ipaddress.ip_network("64:ff9b:1::/48"),  # RFC 8215: the same, for local use
)


class BadTarget(ValueError):
    """An address that no webhook is sent to; its words say why and what would do."""


@dataclass(frozen=True, slots=True)
class Target:
    """A webhook's address, taken apart."""

    url: str
    scheme: str
    host: str
    port: int
    path: str
    """Path and query."""


def target_read(url: str) -> Target:
    """Take an address apart; raises BadTarget. Nothing is looked up yet."""
    if (
        len(url) > MOST_LETTERS
        or not url.isascii()
        or any(letter <= " " or letter == "\x7f" for letter in url)
    ):
        raise BadTarget(
            f"The address is not plain text of {MOST_LETTERS} characters at most. Percent-encode it."
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadTarget("The address can't be read. Write for example https://example.org/hook.") from None
    if parts.username is not None or parts.password is not None:
        raise BadTarget("The address holds a name or password. Messages are signed: leave both out.")
    if not host or parts.fragment:
        raise BadTarget("The address names no host, or a place in a page. Write https://example.org/hook.")
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    literal = _literal(host)
    if usual is None or (parts.scheme == "http" and not (literal is not None and _loopback_allowed(literal))):
        raise BadTarget(f"The address begins with {parts.scheme[:20] or 'nothing'}:. Only https: is taken.")
    if literal is not None:
        _check(literal)
    elif "." not in host.strip("."):
        raise BadTarget(f"{host[:80]!r} is a name of a local network. Give a name that the internet knows.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(url, parts.scheme, host, port or usual, path)


def addresses_of(target: Target) -> list[str]:
    """Look the name up; return its addresses, all of them public; raises BadTarget and OSError."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise BadTarget(f"{target.host[:80]!r} is no name of a host. Check its spelling.") from None
    texts = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for text in texts:
        _check(ipaddress.ip_address(text.partition("%")[0]))
    return texts


def public(address: Address) -> bool:
    """Return whether an address is one of the public internet's machines."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped
        if inner is not None:
            return public(inner)
        if address.sixtofour is not None or address.teredo is not None:
            return False
        if any(address in network for network in _TRANSLATED) or address.is_site_local:
            return False
    refused = (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    )
    return address.is_global and not refused


def _check(address: Address) -> None:
    if not public(address) and not _loopback_allowed(address):
        raise BadTarget(
            f"{address} is not an address of the public internet. Messages go to public addresses only."
        )


def _loopback_allowed(address: Address) -> bool:
    return bool(settings.FOLLOW_ALLOW_LOOPBACK) and address.is_loopback


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


# ---- Secrets and signatures of webhooks as Standard Webhooks has them (its specification, section on the
# signature scheme): HMAC-SHA256 over `id.timestamp.body`, in base64 behind `v1,`.

PREFIX = "whsec_"
_SECRET_BYTES = 32
"""The specification asks for 24 to 64."""


def secret_new() -> str:
    """Return a new secret: `whsec_` and the base64 of random bytes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def message_id(delivery_id: UUID) -> str:
    """Return a message's id, by which a receiver knows a repeated one."""
    return f"msg_{delivery_id.hex}"


def signature(*, secret: str, message: str, timestamp_s: int, body: bytes) -> str:
    """Return the value of `webhook-signature`."""
    signed = f"{message}.{timestamp_s}.".encode() + body
    mac = hmac.new(base64.b64decode(secret.removeprefix(PREFIX)), signed, hashlib.sha256)
    return f"v1,{base64.b64encode(mac.digest()).decode()}"


def headers(*, secret: str, message: str, timestamp_s: int, body: bytes) -> dict[str, str]:
    """Return the three headers that a signed message carries."""
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": signature(secret=secret, message=message, timestamp_s=timestamp_s, body=body),
    }
