"""Binding a key to an account by a short code, as RFC 8628 has it: the probe asks, a browser approves.

No token comes of it, since the key itself is what the account gets; the probe only hears how it ended.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from server.accounts.holders import holder_keys
from server.accounts.models import KeyLogin, ProbeKey, User
from server.core import clock
from server.core.rate_limit import rate_limit_hit

LIFETIME = timedelta(minutes=15)
INTERVAL_S = 5
"""How often the probe asks how it ended."""
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""RFC 8628, section 6.1: no vowels, so that no words come of it, and nothing that looks like a digit."""
_LENGTH = 8
_TRIES, _TRIES_S = 10, 600


class Taken(Exception):
    """The key is another account's."""


class TooManyCodes(Exception):
    """The account tried too many codes."""


def login_begin(*, key: ProbeKey, name: str) -> KeyLogin:
    """Have a key wait for an account; what it waited for before is over."""
    KeyLogin.objects.filter(key=key, state=KeyLogin.State.PENDING).delete()
    now = clock.now()
    code = "".join(secrets.choice(LETTERS) for _ in range(_LENGTH))
    return KeyLogin.objects.create(key=key, name=name, user_code=code, at=now, expires_at=now + LIFETIME)


def login_state(*, login_id: UUID) -> str | None:
    """Return how a request stands, `expired` where nobody decided in time; None where there is none."""
    login = KeyLogin.objects.filter(pk=login_id).first()
    if login is None:
        return None
    over = login.state == KeyLogin.State.PENDING and login.expires_at <= clock.now()
    return "expired" if over else str(login.state)


def login_find(*, code: str, by: User) -> KeyLogin | None:
    """Return what waits under a code that somebody typed; raises TooManyCodes. Each look counts: a code is
    worth guessing."""
    tried = rate_limit_hit(policy="key-code", client=str(by.pk), quota=_TRIES, window_s=_TRIES_S)
    if tried.exceeded:
        raise TooManyCodes(f"Too many codes were tried. Try again in {tried.reset_s // 60 + 1} minutes.")
    return _waiting().filter(user_code=code_read(code)).select_related("key").first()


def code_read(text: str) -> str:
    """Return a code as it is kept, of whatever a person typed."""
    return "".join(letter for letter in text.upper() if letter in LETTERS)[: _LENGTH + 1]


@transaction.atomic
def login_decide(*, login_id: UUID, by: User, approve: bool) -> KeyLogin | None:
    """Give the key and those that it followed to an account, or refuse; None where nothing waits any more.
    Raises Taken."""
    key = ProbeKey.objects.filter(logins=login_id).first()
    if key is not None:
        # Keys first, as revoking does: what waits while its key is locked is asked for by a key that holds.
        list(holder_keys(key).select_for_update())
    login = _waiting().select_for_update(of=("self",)).select_related("key").filter(pk=login_id).first()
    if login is None:
        return None
    login.state = KeyLogin.State.APPROVED if approve else KeyLogin.State.DENIED
    login.by = by
    login.save(update_fields=["state", "by"])
    if approve:
        key_claim(key=login.key, owner=by, name=login.name)
    return login


def key_claim(*, key: ProbeKey, owner: User, name: str) -> None:
    """Give a key, and all of the same holder, to an account; raises Taken."""
    keys = list(holder_keys(key).select_for_update())
    if any(one.owner_id not in (None, owner.pk) for one in keys):
        raise Taken("The key belongs to another account already, whose page of keys can let it go.")
    for one in keys:
        one.owner = owner
        if one.status == ProbeKey.Status.UNCLAIMED:
            one.status = ProbeKey.Status.CLAIMED
        if one.pk == key.pk and name:
            one.name = name
        one.save(update_fields=["owner", "status", "name"])


@transaction.atomic
def key_release(*, key: ProbeKey) -> None:
    """Let a key, and all of the same holder, go: they are nobody's until an account takes them. Those that
    another account took since the key was read stay there."""
    for one in holder_keys(key).select_for_update():
        if one.owner_id != key.owner_id:
            continue
        one.owner, one.name = None, ""
        if one.status == ProbeKey.Status.CLAIMED:
            one.status = ProbeKey.Status.UNCLAIMED
        one.save(update_fields=["owner", "status", "name"])


def logins_forget() -> int:
    """Forget requests that ended long ago; return how many."""
    return KeyLogin.objects.filter(expires_at__lt=clock.now() - timedelta(days=1)).delete()[0]


def _waiting() -> QuerySet[KeyLogin]:
    return KeyLogin.objects.filter(state=KeyLogin.State.PENDING, expires_at__gt=clock.now())
