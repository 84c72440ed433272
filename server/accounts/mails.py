"""What accounts' mails say: fixed subjects, plain text, links under the site's own name. No word of whoever
asked for one stands in it, since anybody may ask in another's name."""

from __future__ import annotations

from dataclasses import dataclass

_FORGOTTEN = (
    "Somebody, most likely you, wants a new password for your account at\n{site}. This link sets one, once:"
    "\n\n    {password_reset_url}\n\nIf that was not you, do nothing: the old one stays.\n"
)
_CONFIRM = (
    "Somebody, most likely you, gave this address for an account at\n{site}. This link confirms it:\n\n"
    "    {activate_url}\n\nIf that was not you, do nothing: nobody gets an account by it.\n"
)
_KNOWN = (
    "Somebody, most likely you, wanted an account with this address at\n{site}. There is one already. Its "
    "password can be set anew:\n\n    {forgotten_url}\n\nIf that was not you, do nothing.\n"
)
_NOTICE = (
    "About your account at {site}:\n\n    {what}\n\nIt was done from the network address {ip}, {at} UTC. If "
    "that was not you,\nset a new password and end all sessions, or write to whoever runs the archive.\n"
)


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail's subject and text, with the names of what is put in."""

    subject: str
    text: str


def _notice(subject: str, what: str) -> Mail:
    return Mail(subject, _NOTICE.replace("{what}", what))


MAILS = {
    "account/email/account_already_exists": Mail("Your account at DiskAtlas", _KNOWN),
    "account/email/email_confirmation": Mail("Confirm your mail address", _CONFIRM),
    "account/email/email_confirmation_signup": Mail("Confirm your mail address", _CONFIRM),
    "account/email/password_reset_key": Mail("A new password for your account", _FORGOTTEN),
    "account/email/email_changed": _notice("Your mail address was changed", "Its main address was changed."),
    "account/email/email_confirm": _notice("A mail address was confirmed", "An address was confirmed."),
    "account/email/email_deleted": _notice("A mail address was removed", "An address was removed."),
    "account/email/password_changed": _notice("Your password was changed", "Its password was changed."),
    "account/email/password_reset": _notice("Your password was changed", "Its password was set anew."),
    "account/email/password_set": _notice("Your password was set", "A password was set."),
    "mfa/email/recovery_codes_generated": _notice(
        "New recovery codes", "New recovery codes were made. The former ones are void."
    ),
    "mfa/email/totp_activated": _notice("A second factor was added", "An authenticator app was added."),
    "mfa/email/totp_deactivated": _notice(
        "A second factor was removed", "The authenticator app was removed."
    ),
    "mfa/email/webauthn_added": _notice("A passkey was added", "A passkey was added."),
    "mfa/email/webauthn_removed": _notice("A passkey was removed", "A passkey was removed."),
    "socialaccount/email/account_connected": _notice(
        "An account elsewhere was linked", "An account at {provider} was linked: it opens this one."
    ),
    "socialaccount/email/account_disconnected": _notice(
        "An account elsewhere was unlinked", "An account at {provider} was unlinked."
    ),
}
"""By the name that allauth has for each. Those of ways to sign in that the settings leave off are missing."""

NOTICES = {
    "token-made": _notice(
        "An API token was made", "An API token was made. Whoever has it acts for the account until it ends."
    ),
    "key-added": _notice("A key was added to your account", "The key of a probe was added to it."),
    "key-revoked": _notice("A key of your account was revoked", "The key of a probe was revoked, for good."),
    "key-released": _notice("A key left your account", "The keys of a probe were let go."),
}
"""What the site tells besides, of changes that outlast the session in which they are made."""
