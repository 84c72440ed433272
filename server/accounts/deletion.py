"""Deleting an account: what is its alone goes, what it published stays, of nobody."""

from __future__ import annotations

import secrets

from django.db import models, transaction
from django.db.models.deletion import ProtectedError

from server.accounts.key_logins import key_release
from server.accounts.models import User
from server.accounts.second_factor import other_sessions_end, second_factor_needed


class HasRights(Exception):
    """The account may moderate or administer."""


@transaction.atomic
def account_delete(*, user: User) -> None:
    """Delete an account with its addresses, tokens, subscriptions and sessions, and let its keys go; raises
    HasRights. The runs that the keys signed stay under their licences.

    Decisions of a former moderator stay, by an account that says nothing of who it was.
    """
    if second_factor_needed(user):
        raise HasRights(
            "An account that moderates or administers is not deleted by itself. Ask an administrator of this "
            "archive to take its rights first."
        )
    for key in user.probe_keys.all():
        key_release(key=key)
    other_sessions_end(user=user, session_key=None)
    try:
        with transaction.atomic():
            user.delete()
    except ProtectedError:
        _blank(user)


def _blank(user: User) -> None:
    """Leave a row that other rows need, and nothing of whose it was."""
    for relation in User._meta.related_objects:
        assert isinstance(relation, models.ForeignObjectRel)
        if relation.on_delete is models.CASCADE:
            relation.related_model._default_manager.filter(**{relation.field.name: user}).delete()
    user.username, user.email, user.is_active = f"former-{secrets.token_hex(6)}", "", False
    user.first_name = user.last_name = ""
    user.set_unusable_password()
    user.save()
