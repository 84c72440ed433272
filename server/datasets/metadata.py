"""What a release says of itself: README, CITATION.cff, Frictionless Data Package and Croissant."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import jinja2
from django.db.models import Func, IntegerField, Sum

from server.core.text import counted
from server.datasets.columns import CROISSANT, LISTS, Column
from server.datasets.deltas import DELTAS
from server.datasets.models import Release, ReleaseFile
from server.datasets.samples import sample_columns
from server.datasets.tables import CHANGES, TABLES, TOMBSTONES

CROISSANT_VERSION = "http://mlcommons.org/croissant/1.0"

_TEMPLATES = Path(__file__).parent / "templates"
_TEXTS = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_TEMPLATES),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    keep_trailing_newline=True,
)
CROISSANT_CONTEXT = json.loads((_TEMPLATES / "croissant-context.json").read_text(encoding="utf-8"))

TITLE = "DiskAtlas: measured characteristics of disks"
LICENSES = {
    "CC0-1.0": ("CC0 1.0 Universal", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "CC-BY-4.0": ("Creative Commons Attribution 4.0", "https://creativecommons.org/licenses/by/4.0/"),
}
MEDIA = {
    "csv": "application/gzip",
    "ndjson": "application/gzip",
    "parquet": "application/x-parquet",
}

SUBJECTS = ("hard disk drives", "storage performance", "disk characterization", "benchmark")
REFERENCES = {"run_id": "runs", "drive_model": "drive_models", "metric": "metrics"}
"""Columns by which tables are joined, to the table whose rows each of them names."""
SAMPLES_KEY = ("run_id", "kind", "series")
MISSING_NAMED = 1000
"""Runs without samples that a release names; it says of how many there are none."""

ALL_TABLES = (*TABLES, *DELTAS)
"""The tables that are made from rows of the database: those of the release, and what is different in it."""


def descriptions_of(release: Release, files: Sequence[ReleaseFile]) -> dict[str, str]:
    """Return the texts that go with a release's data, by path."""
    count, named = missing_count(release) if release.missing else 0, len(release.missing)
    known = {
        "release": release,
        "about": about_of(release),
        "tables": ALL_TABLES,
        "before": f"release {release.previous_id}" if release.previous_id else "nothing: this is the first",
        "changes": ", ".join(f"{runs} {change}" for change, runs in release.changes.items()),
        "missing": f"{count}, the first {named} of them named" if count > named else f"{count}",
        "title": TITLE,
        "licenses": LICENSES,
        "date": _date(release),
        "root": release.checkpoint.splitlines()[2],
    }
    return {
        "README.md": _TEXTS.get_template("README.md.jinja").render(known),
        "CITATION.cff": _TEXTS.get_template("CITATION.cff.jinja").render(known),
        "checkpoint": release.checkpoint,
        "datapackage.json": _json(_package(release, files)),
        "croissant.json": _json(_croissant(release, files)),
        "datacite.json": _json(datacite(release, files)),
    }


def datacite(release: Release, files: Sequence[ReleaseFile]) -> dict[str, Any]:
    """Return what DataCite is told when a DOI is registered (metadata schema 4.5, its JSON)."""
    maker = {"name": "DiskAtlas contributors", "nameType": "Organizational"}
    return {
        **({"doi": release.doi} if release.doi else {}),
        "creators": [maker],
        "titles": [{"title": f"{TITLE}, release {release.number}"}],
        "publisher": {"name": "DiskAtlas"},
        "publicationYear": int(_date(release)[:4]),
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Measurements"},
        "language": "en",
        "version": str(release.number),
        "dates": [{"date": _date(release), "dateType": "Issued"}],
        "subjects": [{"subject": subject} for subject in SUBJECTS],
        "rightsList": [
            {"rights": title, "rightsUri": path, "rightsIdentifier": name, "rightsIdentifierScheme": "SPDX"}
            for name, (title, path) in LICENSES.items()
        ],
        "sizes": [f"{sum(file.size_bytes for file in files)} bytes", f"{len(files)} files"],
        "formats": sorted({MEDIA[file.format] for file in files}),
        "descriptions": [{"description": about_of(release), "descriptionType": "Abstract"}],
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }


def schema_org(release: Release, *, page_url: str, files_url: str) -> dict[str, Any]:
    """Return a release as schema.org's `Dataset`, for the page at `page_url`: search engines for data
    read it. `files_url` is the address of the release's files."""
    found: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": TITLE,
        "description": about_of(release),
        "url": page_url,
        "version": str(release.number),
        "datePublished": _date(release),
        "license": [path for _title, path in LICENSES.values()],
        "isAccessibleForFree": True,
        "keywords": list(SUBJECTS),
        "creator": {"@type": "Organization", "name": "DiskAtlas contributors"},
        "distribution": [
            {
                "@type": "DataDownload",
                "name": name,
                "encodingFormat": "application/json",
                "contentUrl": f"{files_url}{name}",
            }
            for name in ("datapackage.json", "croissant.json")
        ],
    }
    return {**found, "identifier": f"https://doi.org/{release.doi}"} if release.doi else found


def release_bibtex(release: Release, page_url: str) -> str:
    """Return a release as an entry of BibTeX; `page_url` stands for it where it has no DOI."""
    where = f"  doi = {{{release.doi}}},\n" if release.doi else f"  url = {{{page_url}}},\n"
    return (
        f"@misc{{diskatlas-release-{release.number},\n"
        "  author = {{DiskAtlas contributors}},\n"
        f"  title = {{{TITLE}. Release {release.number}}},\n"
        f"  year = {{{_date(release)[:4]}}},\n"
        f"{where}}}\n"
    )


def table_bibtex(words: str, address: str, day: date) -> str:
    """Return a table that grows as an entry of BibTeX, with the day on which it was read."""
    return (
        f"@misc{{diskatlas-{day:%Y%m%d},\n"
        "  author = {{DiskAtlas contributors}},\n"
        f"  title = {{{TITLE}. {words}}},\n"
        f"  year = {{{day.year}}},\n"
        f"  url = {{{address}}},\n"
        f"  note = {{Read on {day.isoformat()}}},\n}}\n"
    )


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def about_of(release: Release) -> str:
    """Return what a release holds, in a few sentences."""
    runs = release.rows["runs"]
    upto = f"up to leaf {release.log_size:,} of the publication log" if release.log_size else ""
    if not runs:
        return (
            f"Release {release.number} of the archive holds no run: none that was measured on a real drive "
            f"had been published {upto or 'when it was made'}. Simulated and imported runs are in no "
            "release. What it has is the catalogue: models, vendors' claims, and numbers from documents."
        )
    lost = missing_count(release) if release.missing else 0
    samples = f"the samples of {runs - lost} of them" if lost else "all samples"
    return (
        f"Release {release.number} of the archive: {counted(runs, 'run')} measured on real drives, with "
        f"{counted(release.rows['measurements'], 'measurement')} and {samples}, {upto}. Simulated and "
        "imported runs are left out; numbers from documents are a table of their own."
    )


def columns_of(table: str, kind: str) -> tuple[Column, ...]:
    if table == "samples":
        return sample_columns(kind)
    return next(one.columns for one in ALL_TABLES if one.name == table)


def _date(release: Release) -> str:
    return f"{release.published_at:%Y-%m-%d}"


def missing_count(release: Release) -> int:
    """Return of how many runs the samples could not be read: a release names `MISSING_NAMED` at most."""
    length = Func("missing", function="jsonb_array_length", output_field=IntegerField())
    return int(release.parts.aggregate(sum=Sum(length))["sum"] or 0)


def _package(release: Release, files: Sequence[ReleaseFile]) -> dict[str, Any]:
    """Return the Data Package descriptor (datapackage.org, version 2)."""
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "diskatlas",
        "title": TITLE,
        "description": about_of(release),
        "version": str(release.number),
        **({"id": f"https://doi.org/{release.doi}"} if release.doi else {}),
        "created": f"{release.published_at:%Y-%m-%dT%H:%M:%SZ}",
        "licenses": [
            {"name": name, "title": title, "path": path} for name, (title, path) in LICENSES.items()
        ],
        "contributors": [{"title": "DiskAtlas contributors", "roles": ["creator"]}],
        "diskatlas:schemaVersion": release.schema_version,
        "diskatlas:logSize": release.log_size,
        "diskatlas:checkpoint": release.checkpoint,
        "diskatlas:extractors": release.extractors,
        "diskatlas:changes": release.changes,
        "diskatlas:rows": release.rows,
        "diskatlas:samplesMissing": release.missing,
        "diskatlas:samplesMissingCount": missing_count(release),
        "resources": [_resource(file) for file in files],
    }


def _resource(file: ReleaseFile) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": _slug(file.path),
        "path": file.path,
        "format": file.format,
        "mediatype": MEDIA[file.format],
        "bytes": file.size_bytes,
        "hash": f"sha256:{file.sha256}",
    }
    if file.format != "csv":
        return found
    table = next(one for one in ALL_TABLES if one.name == file.table)
    schema: dict[str, Any] = {"fields": [column.table_schema() for column in table.columns]}
    if table.key:
        schema["primaryKey"] = list(table.key)
    return {
        **found,
        "type": "table",
        "mediatype": "text/csv",
        "compression": "gz",
        "encoding": "utf-8",
        "title": table.title,
        "description": table.about,
        "schema": {**schema, "missingValues": [""]},
    }


def _croissant(release: Release, files: Sequence[ReleaseFile]) -> dict[str, Any]:
    """Return the Croissant metadata (MLCommons, version 1.0)."""
    parquet = [file for file in files if file.format == "parquet"]
    groups: dict[tuple[str, str], list[ReleaseFile]] = {}
    for file in parquet:
        groups.setdefault((file.table, file.kind), []).append(file)
    sources = {table: _source(table, kind, members) for (table, kind), members in groups.items()}
    return {
        "@context": CROISSANT_CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CROISSANT_VERSION,
        "name": "diskatlas",
        "description": about_of(release),
        "version": f"{release.number}.0.0",
        "datePublished": _date(release),
        "isLiveDataset": False,
        "license": [path for _title, path in LICENSES.values()],
        "creator": {"@type": "sc:Organization", "name": "DiskAtlas contributors"},
        "citeAs": f"DiskAtlas contributors: {TITLE}. Release {release.number}, {_date(release)}.",
        "url": ".",
        **({"sameAs": f"https://doi.org/{release.doi}"} if release.doi else {}),
        "distribution": [
            *(_file_object(file) for file in files),
            *(_file_set(name, members) for name, members in groups.items() if len(members) > 1),
        ],
        "recordSet": [_record_set(*name, members, sources) for name, members in groups.items()],
    }


def _file_object(file: ReleaseFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": _slug(file.path),
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{file.size_bytes} B",
        "encodingFormat": MEDIA[file.format],
        "sha256": file.sha256,
    }


def _file_set(name: tuple[str, str], members: Sequence[ReleaseFile]) -> dict[str, Any]:
    """Return the files that a table is parted into by vendor, as one thing that records come from."""
    folder, _by, _parts = members[0].path.partition("/vendor_slug=")
    return {
        "@type": "cr:FileSet",
        "@id": _set_name(*name),
        "name": _set_name(*name),
        "encodingFormat": MEDIA["parquet"],
        "includes": f"{folder}/*/*.parquet",
    }


def _set_name(table: str, kind: str) -> str:
    return "-".join(filter(None, (table, kind, "parts")))


def _source(table: str, kind: str, members: Sequence[ReleaseFile]) -> dict[str, Any]:
    if len(members) > 1:
        return {"fileSet": {"@id": _set_name(table, kind)}}
    return {"fileObject": {"@id": _slug(members[0].path)}}


def _record_set(
    table: str, kind: str, members: Sequence[ReleaseFile], sources: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return a table as records with their key; `sources` has every table of the release."""
    name = "-".join(filter(None, (table, kind)))
    cut = {folder.partition("=")[0] for folder in members[0].path.split("/") if "=" in folder}
    columns = [column for column in columns_of(table, kind) if column.name not in cut]
    source = _source(table, kind, members)
    named = {column: sources.get(other) for column, other in _references_of(table).items()}
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": [{"@id": f"{name}/{column}"} for column in _key_of(table) if column not in cut],
        "field": [_field(name, column, source, named.get(column.name)) for column in columns],
    }


def _key_of(table: str) -> tuple[str, ...]:
    return SAMPLES_KEY if table == "samples" else next(one.key for one in ALL_TABLES if one.name == table)


def _references_of(table: str) -> dict[str, str]:
    """Return which columns of a table name rows of which other: none where runs may be withdrawn ones, and
    none of the table that has the rows itself."""
    if table in {TOMBSTONES.name, CHANGES.name, *(one.name for one in DELTAS)}:
        return {}
    return {column: other for column, other in REFERENCES.items() if other != table}


def _field(
    record: str, column: Column, source: dict[str, Any], referenced: dict[str, Any] | None
) -> dict[str, Any]:
    """Return a column. What it names is said by the other table's files: mlcroissant can't read a table any
    more once it has read the one whose field it names."""
    found: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{record}/{column.name}",
        "name": column.name,
        "description": column.about,
        "dataType": CROISSANT.get(column.type, "sc:Text"),
        "source": {**source, "extract": {"column": column.name}},
    }
    if referenced:
        found["references"] = {**referenced, "extract": {"column": column.name}}
    return {**found, "repeated": True} if column.type in LISTS else found


def _slug(path: str) -> str:
    return path.lower().replace("/", "-").replace("=", "-").replace(".", "-")
