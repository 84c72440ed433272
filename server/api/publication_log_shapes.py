"""Shapes of what the API says of the publication log."""

from __future__ import annotations

import base64
from typing import Any

from rest_framework import serializers

from server.core.signed_note import verifier_key
from server.transparency.log_entry import VERSION, time_text
from server.transparency.models import LogKey, LogLeaf, Withdrawal

_HASH = "Base64 of the 32 bytes."


class LogKeySerializer(serializers.Serializer[Any]):
    """A key that signed heads."""

    verifier_key = serializers.CharField(help_text="As tools that verify signed notes are given it.")
    public_key = serializers.CharField(help_text="`ed25519:` and the base64 of the raw key.")
    first_used_at = serializers.DateTimeField()


class LogHeadSerializer(serializers.Serializer[Any]):
    """The log at one size."""

    origin = serializers.CharField(help_text="The log's name.")
    size = serializers.IntegerField(help_text="Leaves.")
    root_hash = serializers.CharField(help_text=_HASH)
    checkpoint = serializers.CharField(help_text="The signed head, a note as C2SP tlog-checkpoint has it.")
    verifier_key = serializers.CharField(help_text="The key that signed this head.")
    keys = LogKeySerializer(many=True, help_text="Every key that signed heads, the first one first.")


class LogLeafSerializer(serializers.Serializer[Any]):
    """A submission was published, or withdrawn."""

    index = serializers.IntegerField(help_text="Number of the leaf, from 0.")
    kind = serializers.ChoiceField(choices=LogLeaf.Kind.choices)
    digest = serializers.CharField(help_text="Lower-case hex SHA-256 of the envelope.")
    run_id = serializers.UUIDField()
    at = serializers.CharField(help_text="UTC with six decimals of the second, as the leaf's bytes have it.")
    version = serializers.CharField(help_text="How the leaf's bytes are made.")


class LogLeavesSerializer(serializers.Serializer[Any]):
    """Leaves in their order."""

    results = LogLeafSerializer(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="`start` of the next page; null at the end.")


class InclusionSerializer(serializers.Serializer[Any]):
    """That a leaf is in the log of one size."""

    leaf = LogLeafSerializer()
    leaf_hash = serializers.CharField(help_text=_HASH)
    size = serializers.IntegerField()
    proof = serializers.ListField(child=serializers.CharField(help_text=_HASH))


class ConsistencySerializer(serializers.Serializer[Any]):
    """That the log of one size is the beginning of a later one."""

    first = serializers.IntegerField()
    second = serializers.IntegerField()
    proof = serializers.ListField(child=serializers.CharField(help_text=_HASH))


class TombstoneSerializer(serializers.Serializer[Any]):
    """A run that was here."""

    run_id = serializers.UUIDField()
    digest = serializers.CharField(help_text="Lower-case hex SHA-256 of the envelope.")
    withdrawn_at = serializers.DateTimeField()
    leaf = serializers.IntegerField(help_text="Number of the withdrawal's leaf.")
    reason = serializers.CharField()
    envelope = serializers.ChoiceField(choices=Withdrawal.Envelope.choices)


class TombstonesSerializer(serializers.Serializer[Any]):
    """Tombstones in the order of their leaves."""

    results = TombstoneSerializer(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="`start` of the next page; null at the end.")


def bytes_text(value: bytes) -> str:
    """Return bytes as the API writes them: base64 with padding."""
    return base64.b64encode(value).decode()


def key_data(key: LogKey) -> dict[str, Any]:
    """Return a key's body."""
    public = bytes(key.public_key)
    return {
        "verifier_key": verifier_key(key.origin, public),
        "public_key": f"ed25519:{bytes_text(public)}",
        "first_used_at": key.first_used_at,
    }


def leaf_data(leaf: LogLeaf) -> dict[str, Any]:
    """Return a leaf's body; its bytes can be made from it."""
    return {
        "index": leaf.index,
        "kind": leaf.kind,
        "digest": leaf.digest,
        "run_id": str(leaf.run_id),
        "at": time_text(leaf.at),
        "version": VERSION,
    }


def tombstone_data(tombstone: Withdrawal) -> dict[str, Any]:
    """Return a tombstone's body."""
    return {
        "run_id": str(tombstone.leaf.run_id),
        "digest": tombstone.leaf.digest,
        "withdrawn_at": tombstone.leaf.at,
        "leaf": tombstone.leaf_id,
        "reason": tombstone.reason,
        "envelope": tombstone.envelope,
    }
