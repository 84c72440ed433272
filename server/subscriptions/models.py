"""What changed in the archive, who wants to know of it or of a drive model's new runs, and what became of the
messages."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower

from server.core.ids import uuid7


class ArchiveEvent(models.Model):
    """A change of what the archive shows to everyone; rows are neither changed nor removed (migration
    `archive_events`).

    A row is written in the transaction of the change, and gets its number once that has ended: whoever reads
    by numbers misses none. It names its subject and tells nothing of what a run held.
    """

    class Kind(models.TextChoices):
        RUN_PUBLISHED = "run.published", "a run was published"
        RUN_WITHDRAWN = "run.withdrawn", "a run was withdrawn"
        RUN_REEXTRACTED = "run.reextracted", "numbers of a run were extracted anew"
        VERDICT_CHANGED = "verdict.changed", "a claim has another verdict"
        RELEASE_PUBLISHED = "release.published", "a dataset release was published"

    number = models.BigIntegerField(
        null=True, unique=True, help_text="Its place in their order, from 1; empty until it is listed."
    )
    kind = models.CharField(max_length=20, choices=Kind)
    run = models.ForeignKey(
        "measurements.Run",
        on_delete=models.DO_NOTHING,
        null=True,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    claim = models.ForeignKey(
        "catalog.Claim",
        on_delete=models.DO_NOTHING,
        null=True,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    release = models.PositiveIntegerField(null=True, help_text="Number of a dataset release.")
    details = models.JSONField(
        default=dict, help_text="Kind, version and number of changes, or verdicts before and after."
    )
    at = models.DateTimeField(help_text="When it happened.")
    listed_at = models.DateTimeField(null=True, help_text="When it got its number.")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__startswith="run.", run__isnull=False, claim=None, release=None)
                | models.Q(kind="verdict.changed", run=None, claim__isnull=False, release=None)
                | models.Q(kind="release.published", run=None, claim=None, release__isnull=False),
                name="archiveevent_has_its_subject",
            ),
            models.CheckConstraint(
                condition=models.Q(number=None, listed_at=None)
                | models.Q(number__isnull=False, listed_at__isnull=False),
                name="archiveevent_listed_has_time",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=models.Q(number=None), name="archiveevent_unlisted"),
            models.Index(fields=["kind", "number"], name="archiveevent_of_kind"),
            models.Index(fields=["listed_at", "number"], name="archiveevent_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.kind}"


class Subscription(models.Model):
    """One drive model, or the whole archive, followed at a mail address or at a webhook.

    A model's followers are told of its new runs, those of the archive of its events.

    Ending a follow deletes its row: of a mail address nothing is kept.
    """

    class Channel(models.TextChoices):
        MAIL = "mail"
        WEBHOOK = "webhook"

    class State(models.TextChoices):
        UNCONFIRMED = "unconfirmed"
        ACTIVE = "active"
        PAUSED = "paused"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    drive_model = models.ForeignKey(
        "catalog.DriveModel",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="follows",
        help_text="Empty where it is the whole archive.",
    )
    events = models.JSONField(
        default=list, db_default=[], blank=True, help_text="Kinds of events that are told; none means all."
    )
    told_to = models.BigIntegerField(
        default=0, db_default=0, help_text="Number of the last event that was told, or passed over."
    )
    channel = models.CharField(max_length=8, choices=Channel)
    mail = models.CharField(max_length=254, blank=True)
    url = models.CharField(max_length=500, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="follows"
    )
    secret = models.CharField(
        max_length=80, blank=True, help_text="Signs the webhook's messages. Shown once, when it is made."
    )
    simulated = models.BooleanField(default=False, help_text="Whether runs of simulated drives count too.")
    state = models.CharField(max_length=12, choices=State, default=State.UNCONFIRMED)
    reason = models.CharField(max_length=300, blank=True, help_text="Why it is paused.")
    created_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True, blank=True, help_text="When a confirmation was sent last.")
    paused_at = models.DateTimeField(null=True, blank=True)
    active_since = models.DateTimeField(null=True, blank=True, help_text="Runs published before are no news.")

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                "drive_model", Lower("mail"), condition=models.Q(channel="mail"), name="follow_mail_once"
            ),
            models.UniqueConstraint(
                fields=["drive_model", "owner", "url"],
                condition=models.Q(channel="webhook"),
                name="follow_webhook_once",
            ),
            models.UniqueConstraint(
                fields=["owner", "url"], condition=models.Q(drive_model=None), name="follow_archive_once"
            ),
            models.CheckConstraint(
                condition=models.Q(channel="webhook") | models.Q(drive_model__isnull=False),
                name="follow_by_mail_has_a_model",
            ),
            models.CheckConstraint(
                condition=(
                    models.Q(channel="mail", url="", secret="", owner__isnull=True) & ~models.Q(mail="")
                )
                | (
                    models.Q(channel="webhook", mail="", owner__isnull=False)
                    & ~models.Q(url="")
                    & ~models.Q(secret="")
                ),
                name="follow_says_where",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="active") | models.Q(active_since__isnull=False),
                name="follow_active_has_time",
            ),
        ]
        indexes = [
            models.Index(fields=["drive_model"], condition=models.Q(state="active"), name="follow_of_model"),
            models.Index(
                fields=["created_at"], condition=models.Q(state="unconfirmed"), name="follow_unconfirmed"
            ),
            models.Index(fields=["owner", "created_at", "id"], name="follow_of_owner"),
        ]

    def __str__(self) -> str:
        return f"{self.channel} {self.id}"


class PendingNotification(models.Model):
    """A published run that nobody was told of yet, written in the transaction that published it."""

    run = models.OneToOneField(
        "measurements.Run", on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    drive_model = models.ForeignKey("catalog.DriveModel", on_delete=models.CASCADE, related_name="+")
    noted_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["noted_at"], name="pendingnotification_in_order")]

    def __str__(self) -> str:
        return str(self.run_id)


class Delivery(models.Model):
    """One message to one follower. Its body never changes, so that a repeated one is the same message."""

    class Kind(models.TextChoices):
        RUNS = "runs"
        EVENTS = "events"
        CONFIRMATION = "confirmation"
        TEST = "test"

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GIVEN_UP = "given_up"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    follow = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=12, choices=Kind)
    body = models.TextField(help_text="The message as JSON: what a webhook gets, and what a mail is made of.")
    runs = models.PositiveIntegerField(default=0, help_text="Runs that it tells of.")
    events = models.PositiveIntegerField(default=0, db_default=0, help_text="Events that it tells of.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    created_at = models.DateTimeField()
    next_try_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The last HTTP status.")
    error = models.CharField(max_length=300, blank=True, help_text="What went wrong at the last try.")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state="waiting") | models.Q(ended_at__isnull=False),
                name="delivery_ended_has_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_try_at"], condition=models.Q(state="waiting"), name="delivery_waiting"
            ),
            models.Index(fields=["follow", "-created_at", "-id"], name="delivery_of_follow"),
            models.Index(fields=["ended_at"], name="delivery_ended"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id} ({self.state})"
