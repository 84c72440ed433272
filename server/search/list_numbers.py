"""The numbers that the database orders lists of models by, written with each summary: sorting summaries
themselves would read all of them for each page.
"""

from __future__ import annotations

from server.search.models import DriveSummary, ListNumber
from server.search.sort_index import NUMBERED, SORTS, order_values


def list_numbers_update(summary: DriveSummary) -> None:
    """Write a model's numbers after its summary; rows that say the same already are left alone."""
    facts = {sort: getattr(summary, SORTS[sort]) for sort in NUMBERED}
    wanted = dict(order_values(facts, summary.headline))
    rows = ListNumber.objects.filter(drive_model=summary.drive_model_id)
    held = {order: (number, name) for order, number, name in rows.values_list("order", "rising", "by_name")}
    name = summary.sort_name
    if held.keys() - wanted.keys():
        rows.exclude(order__in=wanted).delete()
    ListNumber.objects.bulk_create(
        [
            ListNumber(
                drive_model_id=summary.drive_model_id,
                order=order,
                rising=number,
                falling=-number,
                by_name=name,
            )
            for order, number in wanted.items()
            if held.get(order) != (number, name)
        ],
        update_conflicts=True,
        unique_fields=["drive_model", "order"],
        update_fields=["rising", "falling", "by_name"],
    )
