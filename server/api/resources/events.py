"""Events: what changed in the archive, in the order in which it can be read."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from server.api.framework.filters import Filters, WholeFilter, words_filter
from server.api.framework.keyset import Ordering
from server.api.framework.openapi import described
from server.api.framework.rows import Derived, RowSerializer
from server.api.framework.views import ListView
from server.subscriptions.events import COLUMNS, event_details, events_listed
from server.subscriptions.models import ArchiveEvent


class ArchiveEventSerializer(RowSerializer):
    """A change of what the archive shows to everyone. Of a run that was withdrawn, and of a claim that is no
    longer shown, nothing is told but its id."""

    id = serializers.IntegerField(source="number", help_text="Rises by one from event to event.")
    type = serializers.ChoiceField(source="kind", choices=ArchiveEvent.Kind.choices)
    at = serializers.DateTimeField(help_text="When it happened.")
    listed_at = serializers.DateTimeField(help_text="When it came into the list: what `since` goes by.")
    run_id = serializers.UUIDField(allow_null=True, help_text="The run, of events of runs.")
    claim_id = serializers.IntegerField(allow_null=True, help_text="The claim whose verdict changed.")
    release = serializers.IntegerField(allow_null=True, help_text="Number of the dataset release.")
    drive_model = Derived(*COLUMNS, help_text="Slug of the drive model; null of a release.")
    kind = Derived(*COLUMNS, help_text="Benchmark kind whose numbers were extracted anew.")
    extractor_version = Derived(*COLUMNS, help_text="Version that extracted them.")
    changes = Derived(*COLUMNS, help_text="How many of them are other than before.")
    verdict_before = Derived(*COLUMNS, help_text="Verdict that the claim had, `untested` for none.")
    verdict_after = Derived(*COLUMNS, help_text="Verdict that it has since.")
    url = Derived("kind", "run_id", "release", *COLUMNS, help_text="Its subject's page; null of none.")

    def get_drive_model(self, *columns: Any) -> str | None:
        return event_details(*columns).drive_model

    def get_kind(self, *columns: Any) -> str | None:
        return event_details(*columns).kind

    def get_extractor_version(self, *columns: Any) -> str | None:
        return event_details(*columns).extractor_version

    def get_changes(self, *columns: Any) -> int | None:
        return event_details(*columns).changes

    def get_verdict_before(self, *columns: Any) -> str | None:
        return event_details(*columns).verdict_before

    def get_verdict_after(self, *columns: Any) -> str | None:
        return event_details(*columns).verdict_after

    def get_url(self, _kind: str, run_id: Any, release: int | None, *columns: Any) -> str | None:
        """Return the address of the run's page or tombstone, of the release, or of the claim's model."""
        model = event_details(*columns).drive_model
        if run_id is not None:
            path = reverse("run-detail", args=[run_id])
        elif release is not None:
            path = reverse("release-detail", args=[release])
        elif model is not None:
            path = reverse("drive-detail", args=[model])
        else:
            return None
        address: str = self.context["request"].build_absolute_uri(path)
        return address


class EventFilters(Filters):
    """Filters of events."""

    type = words_filter(ArchiveEvent.Kind.values, "kind", "type of event")
    after = WholeFilter("number", lookup_expr="gt", label="Only events behind this number.")

    class Meta:
        model = ArchiveEvent
        fields: list[str] = []


@described("events_list", "What changed in the archive", "archive")
class EventsView(ListView):
    """Events, the oldest first; an event is listed within a minute or two."""

    serializer_class = ArchiveEventSerializer
    filterset_class = EventFilters
    file_name = "events"
    orderings = {"id": Ordering(("number",))}
    usual_ordering = "id"
    since_column = "listed_at"
    indexed = ("type", "after")

    rows = staticmethod(events_listed)
