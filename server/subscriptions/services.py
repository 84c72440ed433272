"""Beginning, confirming, resuming, ending and reading subscriptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower

from server.accounts.models import User
from server.catalog.models import DriveModel
from server.core import clock
from server.core.locks import transaction_lock
from server.core.rate_limit import mail_allowed
from server.subscriptions.delivery import delivery_enqueue
from server.subscriptions.events import events_list
from server.subscriptions.messages import body_text, events_text
from server.subscriptions.models import Delivery, Subscription
from server.subscriptions.outbox import model_notifications_batch
from server.subscriptions.webhooks import secret_new, target_read

MOST_WEBHOOKS = 100
"""Webhooks of one account."""
MOST_UNCONFIRMED = 5
"""Confirmations that wait at one address: nobody fills a stranger's mailbox from here."""
ASK_AGAIN_AFTER = timedelta(hours=1)
LATEST = 20
"""Deliveries that are shown of a webhook."""


class BadMail(ValueError):
    """What was given is no mail address."""


class TooMany(Exception):
    """An account has as many webhooks as it may."""


@transaction.atomic
def follow_by_mail(*, model: DriveModel, mail: str, simulated: bool = False) -> None:
    """Ask an address whether it wants to follow a model; raises BadMail.

    What happens is not told: whether an address follows a drive already is nobody else's business.
    """
    mail = mail_read(mail)
    now = clock.now()
    transaction_lock("follow-mail", mail.lower())
    follow = Subscription.objects.filter(drive_model=model, mail__iexact=mail).first()
    if follow is None:
        waiting = Subscription.objects.filter(mail__iexact=mail, state=Subscription.State.UNCONFIRMED)
        if waiting.count() >= MOST_UNCONFIRMED:
            return
        follow = Subscription(
            drive_model=model,
            channel=Subscription.Channel.MAIL,
            mail=mail,
            simulated=simulated,
            created_at=now,
        )
    elif follow.state == Subscription.State.ACTIVE or _asked_lately(follow):
        return
    if not mail_allowed(mail):
        return
    follow.asked_at = now
    follow.simulated = simulated
    follow.save()
    _deliver(follow, Delivery.Kind.CONFIRMATION)


@transaction.atomic
def follow_confirm(*, follow_id: UUID) -> Subscription | None:
    """Begin a follow by mail; None where it was ended or has expired. Confirming twice changes nothing."""
    follow = (
        Subscription.objects.select_for_update(of=("self",))
        .select_related("drive_model__vendor")
        .filter(pk=follow_id, channel=Subscription.Channel.MAIL)
        .first()
    )
    if follow is None or follow.state == Subscription.State.ACTIVE:
        return follow
    _activate(follow)
    return follow


@transaction.atomic
def follow_stop(*, follow_id: UUID, all_of_address: bool = False) -> int:
    """End a follow, or all of its mail address, and keep nothing of it; return how many ended."""
    follow = Subscription.objects.filter(pk=follow_id).first()
    if follow is None:
        return 0
    ended = Subscription.objects.filter(pk=follow_id)
    if all_of_address and follow.mail:
        ended = Subscription.objects.filter(mail__iexact=follow.mail)
    count = ended.count()
    ended.delete()
    return count


@transaction.atomic
def webhook_create(
    *,
    owner: User,
    model: DriveModel | None,
    url: str,
    simulated: bool = False,
    events: Sequence[str] = (),
) -> tuple[Subscription, bool]:
    """Follow a model, or with None the whole archive, at a webhook; return the follow and whether it is new.
    `events` are the kinds of events that are told of the archive; none means all. Raises BadTarget, TooMany.

    The row holds the secret, which is to be shown this once.
    """
    target_read(url)
    transaction_lock("follow-owner", str(owner.pk))
    known = Subscription.objects.filter(owner=owner, drive_model=model, url=url).first()
    if known is not None:
        return known, False
    if Subscription.objects.filter(owner=owner).count() >= MOST_WEBHOOKS:
        raise TooMany(
            f"The account has {MOST_WEBHOOKS} webhooks, which is the most. Delete one that is not needed."
        )
    now = clock.now()
    follow = Subscription.objects.create(
        told_to=_last_number(model.pk if model else None),
        events=list(events),
        drive_model=model,
        channel=Subscription.Channel.WEBHOOK,
        url=url,
        owner=owner,
        secret=secret_new(),
        simulated=simulated,
        state=Subscription.State.ACTIVE,
        created_at=now,
        active_since=now,
    )
    return follow, True


@transaction.atomic
def webhook_test(*, follow: Subscription) -> Delivery:
    """Have a test message sent to a webhook; one that waits already is the one."""
    waiting = follow.deliveries.filter(kind=Delivery.Kind.TEST, state=Delivery.State.WAITING).first()
    return waiting or _deliver(follow, Delivery.Kind.TEST)


@transaction.atomic
def webhook_resume(*, follow: Subscription) -> Subscription:
    """Go on with a paused webhook, with what is published from now on; an active one stays as it is."""
    locked = Subscription.objects.select_for_update().get(pk=follow.pk)
    if locked.state == Subscription.State.PAUSED:
        _activate(locked)
    return locked


def mail_read(text: str) -> str:
    """Return a mail address without what does not count; raises BadMail."""
    mail = text.strip()
    try:
        if len(mail) > 254:
            raise ValidationError("too long")
        validate_email(mail)
    except ValidationError:
        raise BadMail(f"{mail[:80]!r} is no mail address. Write it as name@example.org.") from None
    name, _, domain = mail.rpartition("@")
    return f"{name}@{domain.lower()}"


def expired_remove() -> int:
    """Delete mail addresses that nobody confirmed or that take no mail, and what was delivered long ago;
    return how many follows."""
    now = clock.now()
    late = now - timedelta(hours=settings.FOLLOW_CONFIRM_HOURS)
    old = now - timedelta(days=settings.FOLLOW_KEEP_DAYS)
    mails = Subscription.objects.filter(channel=Subscription.Channel.MAIL)
    useless = mails.filter(state=Subscription.State.UNCONFIRMED, asked_at__lt=late) | mails.filter(
        state=Subscription.State.PAUSED, paused_at__lt=old
    )
    count = useless.count()
    useless.delete()
    Delivery.objects.filter(ended_at__lt=old).delete()
    return count


def _asked_lately(follow: Subscription) -> bool:
    return follow.asked_at is not None and clock.now() - follow.asked_at < ASK_AGAIN_AFTER


def _activate(follow: Subscription) -> None:
    follow.told_to = _last_number(follow.drive_model_id)
    follow.state, follow.reason, follow.paused_at = Subscription.State.ACTIVE, "", None
    follow.active_since = clock.now()
    follow.save(update_fields=["state", "reason", "paused_at", "active_since", "told_to"])


def _last_number(drive_model_id: int | None) -> int:
    """Return up to which event whoever begins now has nothing to be told, and tell the others of the model's
    runs that were published before."""
    if drive_model_id is None:
        return events_list()
    model_notifications_batch(drive_model_id=drive_model_id)
    return 0


def _deliver(follow: Subscription, kind: Delivery.Kind) -> Delivery:
    now = clock.now()
    if follow.drive_model is None:
        body = events_text([], count=0, after=follow.told_to, at=now, kind=kind)
    else:
        body = body_text(kind=kind, model=follow.drive_model, runs=[], at=now)
    made = Delivery.objects.create(follow=follow, kind=kind, body=body, created_at=now, next_try_at=now)
    delivery_enqueue(made.pk)
    return made


# ---- Reading. None of these gives a mail address.


def webhooks_of(owner: User) -> QuerySet[Subscription]:
    """Return an account's webhooks, the oldest first."""
    return (
        Subscription.objects.filter(owner=owner, channel=Subscription.Channel.WEBHOOK)
        .select_related("drive_model__vendor")
        .order_by("created_at", "id")
    )


def mail_follows_of(addresses: Iterable[str]) -> QuerySet[Subscription]:
    """Return what is followed at addresses that somebody has proved to be theirs."""
    wanted = [address.lower() for address in addresses]
    by_mail = Subscription.objects.filter(channel=Subscription.Channel.MAIL)
    return by_mail.alias(folded=Lower("mail")).filter(folded__in=wanted)


def webhook_get(*, owner: User, follow_id: UUID) -> Subscription:
    """Return one of an account's webhooks; raises Follow.DoesNotExist for those of others too."""
    return webhooks_of(owner).get(pk=follow_id)


def deliveries_latest(follow: Subscription) -> list[Delivery]:
    """Return the last messages to a follower, the latest first."""
    return list(follow.deliveries.order_by("-created_at", "-id")[:LATEST])


def follow_find(*, follow_id: UUID) -> Subscription | None:
    """Return a follow with its model; None where it was ended."""
    return Subscription.objects.select_related("drive_model__vendor").filter(pk=follow_id).first()
