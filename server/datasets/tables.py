"""The tables of a release. `release_run` and `release_metric` are made by `snapshot.py`."""

from __future__ import annotations

from server.datasets.columns import Column, Table
from server.datasets.detail_tables import details_tables
from server.datasets.snapshot import STRATUM

_RUN = (
    Column("run_id", "string", "rr.run_id::text", "The run's identity."),
    Column("vendor_slug", "string", "rr.vendor", "Vendor, as in addresses."),
    Column("drive_model", "string", "rr.drive_model", "Drive model, as in addresses."),
    Column(
        "unit_digest",
        "string",
        "rr.unit",
        "Digest of the unit's serial number; empty where the run has none.",
    ),
)
_LICENSE = Column("license", "string", "rr.license", "Licence of the row: its contributor's consent (SPDX).")
_OF_KIND = "FROM release_run rr JOIN measurements_benchmark b ON b.run_id = rr.run_id AND b.kind = {kind}"
_CATALOGUE_LICENSE = Column("license", "string", "'CC0-1.0'", "Licence of the row (SPDX).")
_METRIC = Column("metric", "string", "x.metric", "Key of the metric, as its method's page has it.")
_SCOPE = Column(
    "scope", "string", "x.scope", "Where on the drive, or under which condition; empty: all of it."
)
_MODEL = "JOIN catalog_drivemodel m ON m.id = x.drive_model_id JOIN catalog_vendor v ON v.id = m.vendor_id"
_STATED = (
    Column("vendor_slug", "string", "v.slug", "Vendor, as in addresses."),
    Column("drive_model", "string", "m.slug", "Drive model, as in addresses."),
    _METRIC,
    _SCOPE,
)
_SOURCE = (
    Column("unit_of_measure", "string", "x.unit", "Unit of the numbers."),
    Column("printed", "string", "x.printed", "As the document prints it."),
    Column("conditions", "string", "x.conditions", "Under which conditions."),
    Column("note", "string", "x.note", "What a reader should know."),
    Column("citation", "string", "c.key", "Key of the document."),
    Column("authors", "string", "c.authors", "Its authors."),
    Column("title", "string", "c.title", "Its title."),
    Column("year", "integer", "c.year", "Its year."),
    Column("url", "string", "c.url", "Its address."),
    Column("locator", "string", "x.locator", "Where in the document."),
)

RUNS = Table(
    "runs",
    "Runs",
    "One row for each published run that was measured on a real drive.",
    (
        *_RUN,
        Column("leaf", "integer", "rr.leaf", "Number of the leaf in the publication log."),
        Column("digest", "string", "rr.digest", "SHA-256 of the signed envelope."),
        Column("published_at", "datetime", "rr.published_at", "When the archive published it."),
        Column("created_at", "datetime", "r.created_at", "When the probe says that it measured."),
        Column("keyid", "string", "k.keyid", "SHA-256 of the key that signed."),
        Column("batch_year", "integer", "ba.year", "Year of manufacture."),
        Column("batch_week", "integer", "ba.week", "ISO week of manufacture."),
        Column("batch_label", "string", "ba.label", "What the contributor calls the batch."),
        Column("firmware", "string", "r.firmware", "Firmware revision."),
        Column("capacity_bytes", "integer", "r.capacity_bytes", "Capacity."),
        Column("block_bytes", "integer", "r.block_bytes", "Bytes of a block; samples count in blocks."),
        Column("document", "json", "r.summary", "The run document without its samples (run/v1)."),
        _LICENSE,
        Column("standing", "string", "r.standing", "signed, plausible or corroborated."),
        Column(
            "after_revocation",
            "boolean",
            "rr.after_revocation",
            "Whether it came in when its key may have been in other hands; it counts in no aggregate.",
        ),
        Column(
            "beyond_share",
            "boolean",
            "rr.beyond_share",
            "Whether it is of a unit beyond its holder's third of the model; it counts in no aggregate.",
        ),
    ),
    "FROM release_run rr JOIN measurements_run r ON r.run_id = rr.run_id "
    "JOIN submissions_submission s ON s.id = r.submission_id "
    "JOIN accounts_probekey k ON k.id = s.probe_key_id "
    "LEFT JOIN measurements_batch ba ON ba.id = r.batch_id",
    "rr.vendor, rr.leaf",
    ("run_id",),
    by_vendor=True,
)
BENCHMARKS = Table(
    "benchmarks",
    "Benchmarks",
    "One row for each kind in each run, the skipped and failed ones too.",
    (
        *_RUN,
        Column("kind", "string", "b.kind", "The benchmark's kind."),
        Column("state", "string", "b.state", "extracted, failed or skipped."),
        Column("reason", "string", "b.reason", "Why it was skipped or failed."),
        Column("schema_version", "integer", "b.version", "Version of the kind's schema."),
        Column("elapsed_ns", "integer", "b.elapsed_ns", "How long it measured."),
        Column("medium_errors", "integer", "b.medium_errors", "Requests that the medium failed."),
        Column("extractor_version", "string", "b.extractor_version", "Version of the extraction."),
        Column("extracted_at", "datetime", "b.extracted_at", "When the numbers were extracted."),
        _LICENSE,
    ),
    _OF_KIND,
    "rr.vendor, rr.leaf",
    ("run_id", "kind"),
    by_kind=True,
    by_vendor=True,
)
MEASUREMENTS = Table(
    "measurements",
    "Measurements",
    "One row for each number extracted from a run, or for the reason why there is none.",
    (
        *_RUN,
        Column("kind", "string", "b.kind", "The benchmark's kind."),
        _METRIC,
        _SCOPE,
        Column("value", "number", "x.value", "The number; empty where the samples do not carry it."),
        Column("unit_of_measure", "string", "me.unit", "Unit of the numbers."),
        Column("low", "number", "x.low", "Lower bound of the confidence interval."),
        Column("high", "number", "x.high", "Upper bound of the confidence interval."),
        Column("level", "number", "x.level", "Confidence level of the interval."),
        Column("count", "integer", "x.count", "Samples behind the number."),
        Column("quality", "string", "x.quality", "good, fair, poor or none."),
        Column("reason", "string", "x.reason", "Why there is no number, or why it is not good."),
        Column("extractor_version", "string", "x.extractor_version", "Version of the extraction."),
        _LICENSE,
    ),
    f"{_OF_KIND} JOIN measurements_measurement x ON x.benchmark_id = b.id "
    "AND x.extractor_version = b.extractor_version LEFT JOIN release_metric me ON me.metric = x.metric",
    'rr.vendor, rr.leaf, x.metric COLLATE "C", x.scope COLLATE "C"',
    ("run_id", "metric", "scope"),
    by_kind=True,
    by_vendor=True,
)
_USABLE = "FILTER (WHERE x.quality IN ('good', 'fair'))"
_PLACE = "vendor, drive_model, metric, scope"
_OF_UNIT = (
    f"SELECT rr.vendor, rr.drive_model, x.metric, x.scope, {STRATUM} AS stratum, rr.unit_name, "
    f"min(me.unit) AS unit, count(*) {_USABLE} AS n, "
    "count(*) FILTER (WHERE x.quality NOT IN ('good', 'fair')) AS poor, "
    f"avg(x.value ORDER BY rr.leaf) {_USABLE} AS mean, "
    f"coalesce(bool_or(rr.license <> 'CC0-1.0') {_USABLE}, false) AS attributed "
    "FROM release_run rr JOIN measurements_benchmark b ON b.run_id = rr.run_id "
    "JOIN measurements_measurement x ON x.benchmark_id = b.id AND x.extractor_version = b.extractor_version "
    "AND x.value IS NOT NULL LEFT JOIN release_metric me ON me.metric = x.metric "
    "WHERE NOT rr.after_revocation AND NOT rr.beyond_share GROUP BY 1, 2, 3, 4, 5, 6"
)
_OF_STRATUM = (
    f"SELECT {_PLACE}, stratum, min(unit) AS unit, sum(n)::bigint AS n, sum(poor)::bigint AS poor, "
    "count(mean) AS units, avg(mean ORDER BY unit_name) AS mean, "
    "stddev_samp(mean ORDER BY unit_name) AS stdev, "
    "percentile_cont(ARRAY[0.25, 0.5, 0.75]::float8[]) WITHIN GROUP (ORDER BY mean) AS quartiles, "
    "min(mean) AS minimum, max(mean) AS maximum, bool_or(attributed) AS attributed "
    f"FROM ({_OF_UNIT}) u GROUP BY {_PLACE}, stratum"
)
_LEADING = (
    f"SELECT *, row_number() OVER (PARTITION BY {_PLACE} ORDER BY units DESC, n DESC, "
    'stratum COLLATE "C") AS place, '
    f"(sum(poor) OVER (PARTITION BY {_PLACE}))::bigint AS excluded, "
    f"(sum(n) OVER (PARTITION BY {_PLACE}) - n)::bigint AS elsewhere FROM ({_OF_STRATUM}) s"
)
AGGREGATES = Table(
    "aggregates",
    "Aggregates",
    "Statistics of each metric over the units of a model in this release, computed for it. A unit counts "
    "once, by the mean of its runs; all were measured under one set of conditions, those of most units. "
    "Values of poor quality are left out and counted as excluded.",
    (
        Column("vendor_slug", "string", "g.vendor", "Vendor, as in addresses."),
        Column("drive_model", "string", "g.drive_model", "Drive model, as in addresses."),
        Column("metric", "string", "g.metric", "Key of the metric."),
        Column("scope", "string", "g.scope", "Where on the drive, or under which condition."),
        Column("unit_of_measure", "string", "g.unit", "Unit of the numbers."),
        Column("way", "string", "split_part(g.stratum, '/', 1)", "direct, bridged, or empty if not told."),
        Column("write_cache", "string", "split_part(g.stratum, '/', 2)", "on, off, or empty if not told."),
        Column("look_ahead", "string", "split_part(g.stratum, '/', 3)", "on, off, or empty if not told."),
        Column("n", "integer", "g.n", "Runs behind the statistics."),
        Column("units", "integer", "g.units", "Units behind them; runs without a digest are one of a key."),
        Column("excluded", "integer", "g.excluded", "Runs whose value was too poor to count."),
        Column("elsewhere", "integer", "g.elsewhere", "Runs under other conditions, which do not count."),
        Column("mean", "number", "g.mean", "Mean of the units."),
        Column("median", "number", "g.quartiles[2]", "Median of the units."),
        Column("stdev", "number", "g.stdev", "Sample standard deviation; empty for a single unit."),
        Column("q1", "number", "g.quartiles[1]", "First quartile, interpolated linearly."),
        Column("q3", "number", "g.quartiles[3]", "Third quartile."),
        Column("minimum", "number", "g.minimum", "Least."),
        Column("maximum", "number", "g.maximum", "Greatest."),
        Column(
            "license",
            "string",
            "CASE WHEN g.attributed THEN 'CC-BY-4.0' ELSE 'CC0-1.0' END",
            "The strictest licence among the runs behind it (SPDX).",
        ),
    ),
    f"FROM ({_LEADING}) g WHERE g.place = 1 AND g.n > 0",
    'g.vendor, g.drive_model, g.metric COLLATE "C", g.scope COLLATE "C"',
    ("drive_model", "metric", "scope"),
)
DRIVE_MODELS = Table(
    "drive_models",
    "Drive models",
    "What is known of drive models beside runs. Models that exist only in a simulator are left out.",
    (
        Column("vendor_slug", "string", "v.slug", "Vendor, as in addresses."),
        Column("vendor_name", "string", "v.name", "Vendor's name."),
        Column("drive_model", "string", "m.slug", "Drive model, as in addresses."),
        Column("number", "string", "m.number", "Model number."),
        Column("name", "string", "m.name", "What people call it."),
        Column(
            "aliases",
            "strings",
            '(SELECT array_agg(a.text ORDER BY a.text COLLATE "C") FROM catalog_drivealias a '
            "WHERE a.drive_model_id = m.id)",
            "Other strings by which devices or people name it.",
        ),
        Column("curated", "boolean", "m.curated", "Whether a person has checked the entry."),
        Column("year", "integer", "m.year", "Year of introduction."),
        Column("interface", "string", "m.interface", "Interface."),
        Column("form_factor", "string", "m.form_factor", "Form factor."),
        Column("capacity_bytes", "integer", "m.capacity_bytes", "Capacity."),
        Column("rated_rpm", "number", "m.rated_rpm", "Rotation rate that the vendor states."),
        Column("rated_surfaces", "integer", "m.rated_surfaces", "Surfaces that the vendor states."),
        _CATALOGUE_LICENSE,
    ),
    "FROM catalog_drivemodel m JOIN catalog_vendor v ON v.id = m.vendor_id WHERE NOT m.simulated",
    "v.slug, m.slug",
    ("drive_model",),
)
CLAIMS = Table(
    "claims",
    "Claims",
    "What vendors claim, with what came of it by measured runs and, apart from that, by published values.",
    (
        Column("claim_id", "integer", "x.id", "The claim's number, as in the API; it stays."),
        *_STATED,
        Column("form", "string", "x.form", "typical, minimum, maximum or range."),
        Column("quantity", "string", "x.quantity", "same: what the metric measures; otherwise what else."),
        Column("low", "number", "x.low", "Lower number of the claim."),
        Column("high", "number", "x.high", "Upper number of the claim."),
        Column("tolerance", "number", "x.tolerance", "How far off it may be, as a fraction."),
        Column("write_cache", "string", "x.write_cache", "State of the write cache that it is made for."),
        Column("stated_on", "string", "x.stated_on", "When the vendor stated it, as far as known."),
        *_SOURCE,
        Column("verdict", "string", "d.outcome", "By measured runs; empty where nothing was judged yet."),
        Column("verdict_words", "string", "d.words", "The verdict in words."),
        Column("by_percent", "number", "d.by_percent", "How far off, in per cent of the claim."),
        Column("measured_value", "number", "d.value", "What was measured, over units."),
        Column("measured_low", "number", "d.low", "Lower bound of its interval."),
        Column("measured_high", "number", "d.high", "Upper bound of its interval."),
        Column("measured_units", "integer", "d.units", "Units behind it."),
        Column("measured_runs", "integer", "d.runs", "Runs behind it."),
        Column("published_verdict", "string", "d.published_outcome", "By published values."),
        Column("published_words", "string", "d.published_words", "The same in words."),
        Column("judged_at", "datetime", "d.judged_at", "When the verdicts were computed."),
        _CATALOGUE_LICENSE,
    ),
    f"FROM catalog_claim x {_MODEL} JOIN catalog_citation c ON c.id = x.citation_id "
    "LEFT JOIN claims_claimverdict d ON d.claim_id = x.id WHERE NOT x.hidden AND NOT m.simulated",
    'v.slug, m.slug, x.metric COLLATE "C", x.scope COLLATE "C", x.id',
    ("claim_id",),
)
LITERATURE = Table(
    "literature",
    "Literature",
    "Numbers that documents state. They are in no aggregate and in no table beside this one.",
    (
        Column("literature_id", "integer", "x.id", "The value's number, as in the API; it stays."),
        *_STATED,
        Column("relation", "string", "x.relation", "=, ~ (about), < or >."),
        Column("value", "number", "x.value", "The number; the mean, where the document gives samples."),
        Column("deviation", "number", "x.deviation", "Standard deviation that the document states."),
        Column("samples", "numbers", "x.samples", "Every sample that the document prints."),
        Column("count", "integer", "x.count", "Samples behind the value."),
        Column("units", "integer", "x.units", "Units behind the value."),
        Column("basis", "string", "x.basis", "What the number rests on."),
        *_SOURCE,
        _CATALOGUE_LICENSE,
    ),
    f"FROM catalog_literaturevalue x {_MODEL} JOIN catalog_citation c ON c.id = x.citation_id "
    "WHERE NOT x.hidden",
    'v.slug, m.slug, x.metric COLLATE "C", x.scope COLLATE "C", c.key, x.locator',
    ("literature_id",),
)
METRICS = Table(
    "metrics",
    "Metrics",
    "What each number is: the metrics of all kinds, and what is only published.",
    (
        Column("metric", "string", "me.metric", "Key of the metric."),
        Column("kind", "string", "me.kind", "The benchmark that measures it; empty where none does."),
        Column("title", "string", "me.title", "What it is called."),
        Column("unit_of_measure", "string", "me.unit", "Unit of its numbers; 1: a plain number."),
        Column("direction", "string", "me.direction", "Which way it improves; empty where none is told."),
        Column("definition", "string", "me.definition", "What the number is."),
        Column("method", "string", "me.method", "How it is measured."),
        Column("source", "string", "me.source", "Document and section that the method comes from."),
        _CATALOGUE_LICENSE,
    ),
    "FROM release_metric me",
    'me.metric COLLATE "C"',
    ("metric",),
)
TOMBSTONES = Table(
    "tombstones",
    "Tombstones",
    "Runs that were withdrawn. Their data are in no table of this release.",
    (
        Column("run_id", "string", "l.run_id::text", "The run's identity."),
        Column("digest", "string", "l.digest", "SHA-256 of the signed envelope."),
        Column("leaf", "integer", "l.index", "Number of the withdrawal's leaf in the publication log."),
        Column("withdrawn_at", "datetime", "l.at", "When."),
        Column("reason", "string", "w.reason", "Why."),
        _CATALOGUE_LICENSE,
        Column("erased", "boolean", "w.erased", "Whether every word that came with it was taken down too."),
    ),
    "FROM transparency_withdrawal w JOIN transparency_logleaf l ON l.index = w.leaf_id "
    "JOIN measurements_run r ON r.run_id = l.run_id WHERE r.provenance = 'probe'",
    "l.index",
    ("run_id",),
)
CHANGES = Table(
    "changes",
    "Changes",
    "Runs that are different from the release before: added, withdrawn, or extracted anew.",
    (
        Column("run_id", "string", "ch.run_id::text", "The run's identity."),
        Column("change", "string", "ch.change", "added, withdrawn or reextracted."),
        Column("kind", "string", "ch.kind", "The benchmark extracted anew; empty otherwise."),
        Column("extractor_version", "string", "ch.extractor_version", "The version of its numbers now."),
        Column("leaf", "integer", "ch.leaf", "Leaf of the publication, or of the withdrawal."),
        _CATALOGUE_LICENSE,
    ),
    "FROM release_change ch",
    'ch.leaf, ch.change, ch.kind COLLATE "C"',
    ("run_id", "change", "kind"),
)

DETAILS = details_tables(Table("", "", "", (*_RUN, _LICENSE), "", "", ()))
"""Zones, points of seek curves, tracks: what kinds keep in their details."""

TABLES = (
    RUNS,
    BENCHMARKS,
    MEASUREMENTS,
    *DETAILS,
    AGGREGATES,
    DRIVE_MODELS,
    CLAIMS,
    LITERATURE,
    METRICS,
    TOMBSTONES,
    CHANGES,
)
CATALOGUE = {table.name for table in (DRIVE_MODELS, CLAIMS, LITERATURE, METRICS, TOMBSTONES, CHANGES)}
"""Small tables that people edit: a resumed build writes them anew, so that they are of one moment."""
