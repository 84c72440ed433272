"""How a run stands among the other drives of its model, as its page says it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from server.api.framework.openapi import described
from server.api.framework.tables import TableView, fields_of
from server.api.resources.shared import run_missing
from server.measurements.listings import runs_all
from server.plausibility.peer_rank import run_peer_rank


class NumberAmongSerializer(serializers.Serializer[Any]):
    """One headline number of a run among those of the model's other drives, one value each."""

    metric = serializers.CharField()
    scope = serializers.CharField()
    unit = serializers.CharField()
    value = serializers.FloatField()
    low = serializers.FloatField(allow_null=True, help_text="Lower bound of the confidence interval.")
    high = serializers.FloatField(allow_null=True)
    others = serializers.IntegerField(help_text="Other units that have the number.")
    below = serializers.IntegerField(help_text="How many of them are lower.")
    median = serializers.FloatField(help_text="Of the others.")
    minimum = serializers.FloatField()
    maximum = serializers.FloatField()
    percent_off = serializers.FloatField(
        allow_null=True, help_text="Distance from the others' median in per cent; null where that is nought."
    )


class RunStandingSerializer(serializers.Serializer[Any]):
    """A run beside the other drives of its model, measured under comparable conditions, as it is now."""

    run = serializers.UUIDField()
    confirming_keys = serializers.IntegerField(
        source="confirming", help_text="Other keys that signed a run of another unit with the same numbers."
    )
    other_keys = serializers.IntegerField(help_text="Other keys that measured other units of the model.")
    other_units = serializers.IntegerField()
    unlike_units = serializers.IntegerField(
        help_text="Other units measured under conditions that do not compare."
    )
    numbers = NumberAmongSerializer(many=True)


@described(
    "run_standing",
    "By how many keys a run is confirmed, and the place of each headline number",
    "runs",
    RunStandingSerializer,
    codes=(410,),
    description="Runs agree where four fifths of the headline numbers that both have lie within 15 %.",
)
class RunStandingView(TableView):
    """A run's place among its model's drives."""

    tables = {"numbers": ("headline number", ("run", *fields_of(NumberAmongSerializer)))}
    file_name = "standing"

    def get(self, request: Request, run_id: UUID, format: str | None = None) -> HttpResponseBase:
        """Return the standing."""
        run = runs_all().filter(pk=run_id).first()
        rank = run_peer_rank(run=run) if run else None
        if rank is None:
            raise run_missing(run_id)
        names = ("confirming", "other_keys", "other_units", "unlike_units", "numbers")
        body = {"run": run_id, **{name: getattr(rank, name) for name in names}}
        shown = RunStandingSerializer(body).data
        rows = [{"run": shown["run"], **number} for number in shown["numbers"]]
        return self.answer(request, shown, {"numbers": rows})
