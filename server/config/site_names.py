"""How a site names itself where nobody says otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SiteNames:
    """What follows from the domain of a public site, which stands behind a proxy with TLS; without one the
    site is this machine's own."""

    domain: str

    @property
    def public(self) -> bool:
        """Whether there is a domain, and so TLS and a proxy."""
        return bool(self.domain)

    @property
    def hosts(self) -> list[str]:
        """Names that the site answers to."""
        return [self.domain] if self.public else ["localhost", "127.0.0.1", "[::1]"]

    @property
    def url(self) -> str:
        """What mails link to."""
        return f"https://{self.domain}" if self.public else "http://localhost:8000"

    @property
    def origins(self) -> list[str]:
        """Origins, beside the site's own address, that forms may come from."""
        return [self.url] if self.public else []

    @property
    def log_origin(self) -> str:
        """Name of the publication log."""
        return f"{self.domain}/log" if self.public else "localhost/diskatlas-log"

    @property
    def mail_from(self) -> str:
        """Sender of mails."""
        return f"DiskAtlas <diskatlas@{self.domain or 'localhost'}>"
