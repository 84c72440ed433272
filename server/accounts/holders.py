"""Who holds a key: keys that followed each other by rotation are one holder's, known by the first of them.

Queries start at a submission: `path` is the way to it, such as `submission` from a run. `HOLDER_ID_SQL` and
`NOT_REVOKED_SQL` say the same of `accounts_probekey k` and `submissions_submission s`.
"""

from __future__ import annotations

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from server.accounts.models import ProbeKey

HOLDER_ID_SQL = "coalesce(k.holder_key_id, k.id)"
NOT_REVOKED_SQL = "(k.revoked_from IS NULL OR s.received_at < k.revoked_from)"


def holder_keys(key: ProbeKey) -> QuerySet[ProbeKey]:
    """Return all keys of a key's holder, the first one first."""
    return ProbeKey.objects.filter(Q(pk=key.holder_id) | Q(holder_key=key.holder_id)).order_by("pk")


def holder_id_at(path: str) -> Coalesce:
    """Return the row's number of the first key of the holder who signed the submission at `path`."""
    return Coalesce(f"{path}__probe_key__holder_key_id", f"{path}__probe_key_id")


def holder_keyid_at(path: str) -> Coalesce:
    """Return the keyid of the first key of the holder who signed the submission at `path`."""
    return Coalesce(f"{path}__probe_key__holder_key__keyid", f"{path}__probe_key__keyid")


def not_revoked_at(path: str) -> Q:
    """Return what holds of submissions that came in while their key was in its holder's hands: what came in
    when it may have been in others' counts in no number."""
    revoked_from = f"{path}__probe_key__revoked_from"
    return Q(**{revoked_from: None}) | Q(**{f"{path}__received_at__lt": F(revoked_from)})
