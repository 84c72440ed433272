"""Sample cases for moderators, and who decides on them."""

from __future__ import annotations

from django.contrib.auth.models import Group

from server.accounts.models import User
from server.core.lifecycle import State
from server.measurements.models import Run
from server.plausibility.models import CheckResult
from server.submissions.apps import moderators_group_make
from server.submissions.models import Submission
from tests.support.sample_archive import SampleRun, sample_run


def moderator(name: str = "sample-moderator") -> User:
    moderators_group_make()  # The rows of migrations go with each test that commits.
    user = User.objects.create_user(name)
    user.groups.add(Group.objects.get(name="moderators"))
    return user


def quarantined(run: Run | None = None) -> Submission:
    """The submission of a run that a check holds: of one without numbers, or of the one that is given."""
    run = run or sample_run(SampleRun(state=State.QUARANTINED, reason="Sample reason."))
    Submission.objects.filter(pk=run.submission_id).update(state=State.QUARANTINED)
    CheckResult.objects.create(
        run=run,
        check_key="rotation_rate",
        position=0,
        outcome=CheckResult.Outcome.QUARANTINED,
        words="Sample words: 7200 rpm, rated 5400.",
        figures={"rated_rpm": 5400},
        at=run.submission.received_at,
    )
    return Submission.objects.get(pk=run.submission_id)
