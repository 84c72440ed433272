"""What accounts show of themselves, where they want to."""

from __future__ import annotations

import re

from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from server.accounts.models import Profile, User
from server.core.cache import key_tag, purge_on_commit
from server.core.text import squeeze_spaces

_ORCID = re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])", re.ASCII)


class BadProfile(ValueError):
    """A profile lacks a name, or its ORCID iD is none."""


@transaction.atomic
def profile_save(*, user: User, name: str, orcid: str) -> Profile:
    """Show an account under a name; raises BadProfile."""
    name, orcid = squeeze_spaces(name)[:80], squeeze_spaces(orcid)
    if not name:
        raise BadProfile("A profile needs the name by which you are cited, of up to 80 letters.")
    profile, _made = Profile.objects.update_or_create(
        user=user, defaults={"name": name, "orcid": orcid_read(orcid) if orcid else ""}
    )
    _purge(user)
    return profile


@transaction.atomic
def profile_remove(*, user: User) -> None:
    """Show an account no longer."""
    Profile.objects.filter(user=user).delete()
    _purge(user)


def orcid_read(text: str) -> str:
    """Return an ORCID iD as it is written; raises BadProfile. Its last character checks the others by ISO
    7064, MOD 11-2."""
    found = _ORCID.fullmatch(text.strip().upper().replace("HTTPS://ORCID.ORG/", "https://orcid.org/"))
    if found is None or found[1][-1] != _check_character(found[1].replace("-", "")[:-1]):
        raise BadProfile(
            "This is no ORCID iD: it has four groups of four digits, such as 0000-0002-1825-0097, of which "
            "the last checks the others. Copy it from orcid.org, or leave it out."
        )
    return found[1]


def orcid_confirmed(profile: Profile) -> bool:
    """Return whether ORCID itself said so, by a sign-in."""
    linked = SocialAccount.objects.filter(user=profile.user_id, provider="orcid", uid=profile.orcid)
    return bool(linked.exists())


def _check_character(digits: str) -> str:
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2 % 11
    rest = (12 - total) % 11
    return "X" if rest == 10 else str(rest)


def _purge(user: User) -> None:
    """End the cached pages that name whose key it is."""
    purge_on_commit(*map(key_tag, user.probe_keys.values_list("pk", flat=True)))
