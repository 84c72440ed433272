"""People, and the keys their probes sign with."""

from __future__ import annotations

from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models


class User(AbstractUser):
    """An account. Nothing but signing in needs one: a run may be submitted with an unclaimed key."""

    class Meta:
        db_table = "accounts_user"


class Profile(models.Model):
    """What an account shows of itself to everybody. There is one only where its holder wants it."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="profile")
    name = models.CharField(max_length=80, help_text="As it is cited.")
    orcid = models.CharField(max_length=19, blank=True, help_text="An ORCID iD, such as 0000-0002-1825-0097.")

    def __str__(self) -> str:
        return self.name


class ProbeKey(models.Model):
    """A public key that signed a submission. Who holds it is known only once an account has claimed it."""

    class Status(models.TextChoices):
        UNCLAIMED = "unclaimed"
        CLAIMED = "claimed"
        REVOKED = "revoked"

    keyid = models.CharField(
        max_length=64, unique=True, help_text="Lower-case hex SHA-256 of the raw public key."
    )
    algorithm = models.CharField(max_length=16, default="ed25519")
    public_key = models.BinaryField(help_text="The raw public key, 32 bytes.")
    status = models.CharField(max_length=16, choices=Status, default=Status.UNCLAIMED)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="probe_keys"
    )
    name = models.CharField(
        max_length=60, blank=True, default="", db_default="", help_text="What its owner calls it."
    )
    first_seen_at = models.DateTimeField(auto_now_add=True)
    holder_key = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text="The holder's first key, which this one followed by rotation; empty for a first key.",
    )
    revoked_from = models.DateTimeField(
        null=True, blank=True, help_text="Runs that came in from then on are marked as of nobody."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(revoked_from__isnull=True) | models.Q(status="revoked"),
                name="probekey_from_when_revoked",
            ),
            models.CheckConstraint(
                condition=models.Q(keyid__regex=r"^[0-9a-f]{64}$"), name="probekey_keyid_is_hex"
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["unclaimed", "claimed", "revoked"]),
                name="probekey_status_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="claimed") | models.Q(owner__isnull=False),
                name="probekey_claimed_has_owner",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.algorithm}:{self.keyid[:16]}"

    @property
    def holder(self) -> ProbeKey:
        """The holder's first key, by which the holder is known: this one unless it followed another."""
        return self.holder_key or self

    @property
    def holder_id(self) -> int:
        """The number of the holder's first key; asks the database nothing."""
        return self.holder_key_id or self.pk


class KeyLogin(models.Model):
    """A key that asks to be an account's, until somebody who is signed in types its code."""

    class State(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        DENIED = "denied"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    key = models.ForeignKey(ProbeKey, on_delete=models.CASCADE, related_name="logins")
    name = models.CharField(max_length=60, blank=True)
    user_code = models.CharField(max_length=8, unique=True)
    state = models.CharField(max_length=16, choices=State, default=State.PENDING)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["pending", "approved", "denied"]), name="keylogin_state_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.state} for {self.key_id}"


class KeyCommand(models.Model):
    """A signed request of a key's holder that was carried out: what nobody can send again, and the proof of
    what the holder wanted. Only reads are forgotten."""

    nonce_digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the nonce.")
    key = models.ForeignKey(ProbeKey, on_delete=models.PROTECT, related_name="commands")
    action = models.CharField(max_length=16)
    envelope = models.BinaryField(help_text="The signed bytes, as they came.")
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["at"], condition=models.Q(action="runs"), name="keycommand_forgettable")
        ]

    def __str__(self) -> str:
        return f"{self.action} by {self.key_id} at {self.at}"


class Scope(models.TextChoices):
    """What an API token may be used for."""

    READ = "read", "read the archive more often"
    SUBMIT = "submit", "send runs, counted apart from the address they come from"
    MANAGE = "manage", "see and change what belongs to the account, such as its webhooks"


def scopes_usual() -> list[str]:
    """Return what a token may do where nobody says: what every token could before there were scopes."""
    return [Scope.READ.value, Scope.MANAGE.value]


class ApiToken(models.Model):
    """A secret by which a program acts for an account. Only its digest is kept."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100, help_text="What it is for, in the owner's words.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=16, editable=False, help_text="How the secret begins.")
    scopes = ArrayField(
        models.CharField(max_length=16, choices=Scope),
        default=scopes_usual,
        db_default=scopes_usual(),
        blank=True,
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    seen_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When it was used last, to the hour."
    )

    class Meta:
        verbose_name = "API token"
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["read", "submit", "manage"], scopes__len__gt=0),
                name="apitoken_scopes_known",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"
