"""The publication log: what was published and withdrawn, in an order that nobody can change any more.

Triggers of the database refuse to change or remove these rows, and to leave a number out (migration
`publication_log`).
"""

from __future__ import annotations

from django.conf import settings
from django.db import models


class LogLeaf(models.Model):
    """One leaf: a submission was published or withdrawn, or digests of files were released."""

    class Kind(models.TextChoices):
        PUBLISHED = "published"
        WITHDRAWN = "withdrawn"
        RELEASED = "released"

    index = models.BigIntegerField(primary_key=True, help_text="Number of the leaf, from 0, without gaps.")
    kind = models.CharField(max_length=16, choices=Kind)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the envelope, or of the file SHA256SUMS.")
    run_id = models.UUIDField(help_text="All zeros for what is no run.")
    at = models.DateTimeField()

    class Meta:
        ordering = ["index"]
        verbose_name_plural = "log leaves"
        constraints = [
            models.UniqueConstraint(fields=["digest", "kind"], name="logleaf_once_per_kind"),
            models.CheckConstraint(
                condition=models.Q(kind__in=["published", "withdrawn", "released"]), name="logleaf_kind_known"
            ),
            models.CheckConstraint(
                condition=models.Q(digest__regex=r"^[0-9a-f]{64}$"), name="logleaf_digest_is_hex"
            ),
        ]
        indexes = [
            models.Index(fields=["run_id"], name="logleaf_of_run"),
            models.Index(fields=["index"], condition=models.Q(kind="withdrawn"), name="logleaf_withdrawn"),
        ]

    def __str__(self) -> str:
        return f"{self.index}: {self.kind} {self.run_id}"


class LogNode(models.Model):
    """The hash of one complete subtree; level 0 are the leaves' own."""

    position = models.BigIntegerField(primary_key=True, help_text="Level times 2^48, plus index.")
    hash = models.BinaryField(max_length=32)

    class Meta:
        ordering = ["position"]

    def __str__(self) -> str:
        return str(self.position)


class LogKey(models.Model):
    """A key that signed heads of the log."""

    public_key = models.BinaryField(max_length=32, unique=True)
    origin = models.CharField(max_length=200)
    first_used_at = models.DateTimeField()

    class Meta:
        ordering = ["first_used_at", "id"]

    def __str__(self) -> str:
        return f"{self.origin} {bytes(self.public_key).hex()[:12]}"


class Withdrawal(models.Model):
    """The tombstone of a run: that it was here, and why it went. When it went stands in its leaf."""

    class Envelope(models.TextChoices):
        REMOVED = "removed", "its bytes are removed"
        KEPT = "kept", "its bytes are kept, and shown to nobody"

    submission = models.OneToOneField(
        "submissions.Submission", on_delete=models.PROTECT, related_name="withdrawal"
    )
    leaf = models.OneToOneField(LogLeaf, on_delete=models.PROTECT, related_name="withdrawal")
    reason = models.TextField(help_text="Public: it stands on the tombstone.")
    envelope = models.CharField(max_length=8, choices=Envelope)
    erased = models.BooleanField(
        default=False, db_default=False, help_text="Whether every word that it brought was taken down too."
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Who of the archive withdrew it; empty where its contributor did.",
    )

    class Meta:
        ordering = ["leaf"]
        permissions = [("withdraw", "Can withdraw published runs")]
        constraints = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="withdrawal_has_a_reason"),
            models.CheckConstraint(
                condition=models.Q(envelope__in=["removed", "kept"]), name="withdrawal_envelope_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.leaf_id}: {self.reason}"


class WitnessedHead(models.Model):
    """A head of another log that this archive cosigned: it goes on from the one before."""

    server = models.CharField(
        max_length=300, blank=True, help_text="The archive's address; empty for a head that its log sent."
    )
    origin = models.CharField(max_length=200)
    verifier_key = models.CharField(max_length=400)
    size = models.BigIntegerField()
    root = models.BinaryField(max_length=32)
    note = models.TextField(help_text="The signed head with this archive's cosignature.")
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["server", "origin", "size"], name="witnessedhead_once_per_size")
        ]

    def __str__(self) -> str:
        return f"{self.origin}, {self.size} leaves"


class Cosignature(models.Model):
    """The last cosignature of a witness under this log's head."""

    witness = models.CharField(max_length=400, unique=True, help_text="Its verifier key.")
    size = models.BigIntegerField(help_text="Leaves of the head.")
    line = models.TextField(help_text="The line of the signed note.")
    at_s = models.BigIntegerField(help_text="When it was made, as it says, in seconds since 1970.")

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.witness.partition('+')[0]}, {self.size} leaves"
