"""Writing accounts and keys."""

from __future__ import annotations

from server.accounts.models import ProbeKey
from server.core.envelope import ALGORITHM, Envelope
from server.core.problems import ErrorItem, problem


def probe_key_for(envelope: Envelope) -> bytes:
    """Return the raw public key to check the envelope with; raises Problem where none is known or it is
    revoked."""
    known = ProbeKey.objects.filter(keyid=envelope.keyid).first()
    if known is not None and known.status == ProbeKey.Status.REVOKED:
        raise problem(
            "revoked-key",
            "The key that signed this was revoked by its owner. Make a new one with `diskatlas key "
            "new` and measure again.",
            ErrorItem("/signatures/0/keyid", "is revoked"),
        )
    if envelope.public_key is not None:
        return envelope.public_key
    if known is not None:
        return bytes(known.public_key)
    raise problem(
        "unknown-key",
        "The envelope brings no public key, and the archive does not know its keyid. Add public_key "
        "to the signature, "
        "as the probe does.",
        ErrorItem("/signatures/0", "public_key is needed for a key that is new here"),
    )


def probe_key_register(*, keyid: str, public_key: bytes) -> ProbeKey:
    """Return the row of a key whose signature was found right; a new one is unclaimed."""
    key, _created = ProbeKey.objects.get_or_create(
        keyid=keyid, defaults={"public_key": public_key, "algorithm": ALGORITHM}
    )
    return key
