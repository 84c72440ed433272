"""What is known of drive models before anyone measures one: names, published values, vendors' claims."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import OpClass
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Now

from server.catalog.claim_numbers import claim_number_errors


class Dated(models.Model):
    """A row that tells when it was changed last. A trigger of the database keeps the date, whoever writes."""

    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        abstract = True


class Loaded(Dated):
    """A row that the catalogue's files may have brought."""

    loaded_digest = models.CharField(
        max_length=64,
        blank=True,
        default="",
        editable=False,
        help_text="Digest of what the files said when they were loaded last; empty for a person's own entry.",
    )

    class Meta(Dated.Meta):
        abstract = True


class Vendor(Dated):
    """Who made a drive."""

    name = models.CharField(max_length=256)
    slug = models.SlugField(max_length=100, unique=True)
    normalized = models.CharField(max_length=512, unique=True)

    class Meta:
        ordering = ["name"]
        indexes = [models.Index(fields=["name", "id"], name="vendor_by_name")]

    def __str__(self) -> str:
        return self.name


class VendorAlias(models.Model):
    """Another spelling of a vendor, as interfaces give it (`WDC`, `SEAGATE `)."""

    vendor = models.ForeignKey(Vendor, on_delete=models.CASCADE, related_name="aliases")
    text = models.CharField(max_length=256)
    normalized = models.CharField(max_length=512, unique=True)

    class Meta:
        verbose_name_plural = "vendor aliases"

    def __str__(self) -> str:
        return self.text


class Recording(models.TextChoices):
    """How a drive records, as far as its documents say."""

    LMR = "LMR", "LMR (longitudinal)"
    PMR = "PMR", "PMR (perpendicular)"
    CMR = "CMR", "CMR (conventional tracks)"
    SMR = "SMR", "SMR (shingled tracks)"


class DriveModel(Loaded):
    """Vendor and model number: what runs, claims and published values are about."""

    vendor = models.ForeignKey(Vendor, on_delete=models.PROTECT, related_name="drive_models")
    number = models.CharField(max_length=256, help_text="Model number, for example ST2000NM0001.")
    name = models.CharField(max_length=100, blank=True, help_text="What people call it, for example Hawk.")
    slug = models.SlugField(max_length=200, unique=True)
    normalized = models.CharField(max_length=512)
    curated = models.BooleanField(default=False, help_text="A person has checked the entry.")
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    interface = models.CharField(max_length=32, blank=True)
    form_factor = models.CharField(max_length=64, blank=True)
    capacity_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    capacity_tolerance = models.FloatField(
        default=0.01, help_text="How far a unit's capacity may be from the model's, as a fraction."
    )
    rated_rpm = models.FloatField(null=True, blank=True)
    rated_surfaces = models.PositiveSmallIntegerField(null=True, blank=True)
    family = models.CharField(
        max_length=100, blank=True, help_text="The vendor's product line, for example SpinPoint F3."
    )
    recording = models.CharField(
        max_length=8, choices=Recording, blank=True, help_text="Only where a source states it."
    )
    simulated = models.BooleanField(default=False, help_text="A model that exists only in a simulator.")
    notes = models.TextField(blank=True)
    seen_units = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="Drives of a public collection that are of it."
    )
    seen = models.JSONField(
        default=dict,
        db_default={},
        editable=False,
        help_text="What they said: `variants` and `firmware`, each to drives.",
    )
    search_text = models.TextField(editable=False, help_text="Names and aliases, and their normalised forms.")

    class Meta:
        ordering = ["vendor__name", "number"]
        constraints = [
            models.UniqueConstraint(fields=["vendor", "normalized"], name="drivemodel_unique_per_vendor"),
            models.CheckConstraint(
                condition=models.Q(rated_rpm__isnull=True) | models.Q(rated_rpm__gt=0),
                name="drivemodel_rpm_positive",
            ),
            models.CheckConstraint(
                condition=models.Q(capacity_bytes__isnull=True) | models.Q(capacity_bytes__gt=0),
                name="drivemodel_capacity_positive",
            ),
            models.CheckConstraint(
                condition=models.Q(recording__in=["", "LMR", "PMR", "CMR", "SMR"]),
                name="drivemodel_recording_known",
            ),
            models.CheckConstraint(
                condition=models.Q(capacity_tolerance__gte=0, capacity_tolerance__lte=1),
                name="drivemodel_tolerance_is_fraction",
            ),
        ]
        indexes = [
            # Drives of one class (selectors.py) are looked for on each model's page.
            models.Index(fields=["rated_rpm", "capacity_bytes"], name="drivemodel_class"),
            models.Index(OpClass("normalized", name="varchar_pattern_ops"), name="drivemodel_prefix"),
            models.Index(fields=["updated_at", "id"], name="drivemodel_by_change"),
            models.Index(fields=["capacity_bytes", "id"], name="drivemodel_by_capacity"),
            models.Index(fields=["rated_rpm", "id"], name="drivemodel_by_rotation"),
            models.Index(fields=["year", "id"], name="drivemodel_by_year"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        """Vendor, number and, where there is one, the name people use."""
        return drive_title(self.vendor.name, self.number, self.name)


def drive_title(vendor: str, number: str, name: str) -> str:
    """Return what a model is called: vendor, number and, where there is one, the name people use."""
    return f"{vendor} {number} “{name}”" if name else f"{vendor} {number}"


class DriveAlias(models.Model):
    """Another string by which devices or people name a model; one string names one model only."""

    drive_model = models.ForeignKey(DriveModel, on_delete=models.CASCADE, related_name="aliases")
    text = models.CharField(max_length=512)
    normalized = models.CharField(max_length=512, unique=True)

    class Meta:
        verbose_name_plural = "drive aliases"

    def __str__(self) -> str:
        return self.text


class DriveRedirect(models.Model):
    """Where the runs of a model went that was no model of its own, and what its address leads to now."""

    slug = models.SlugField(max_length=200, unique=True)
    drive_model = models.ForeignKey(DriveModel, on_delete=models.CASCADE, related_name="redirects")
    title = models.CharField(max_length=600, help_text="What it was called.")
    at = models.DateTimeField(db_default=Now())
    reason = models.CharField(max_length=300)
    runs = ArrayField(models.UUIDField(), default=list, help_text="The runs that were moved.")

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return self.title


class Citation(Loaded):
    """A document that values or claims are taken from."""

    key = models.SlugField(max_length=64, unique=True)
    authors = models.CharField(max_length=300)
    title = models.CharField(max_length=300)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    publisher = models.CharField(max_length=200, blank=True)
    url = models.URLField(blank=True)

    class Meta:
        ordering = ["year", "key"]

    def __str__(self) -> str:
        return self.title


class LiteratureValue(Loaded):
    """A number that a document states for a model. Provenance `literature`: never part of an aggregate."""

    class Basis(models.TextChoices):
        """What the number rests on."""

        MEASURED = "measured", "measured on drives"
        DERIVED = "derived", "computed in the document"
        SPECIFICATION = "specification", "the vendor's specification, as the document quotes it"
        STATED = "stated", "as the document says"
        SIMULATED = "simulated", "measured on a simulated drive"

    class Relation(models.TextChoices):
        """How the number is meant."""

        EQUAL = "=", "="
        ABOUT = "~", "about"
        BELOW = "<", "less than"
        ABOVE = ">", "more than"

    drive_model = models.ForeignKey(DriveModel, on_delete=models.CASCADE, related_name="literature_values")
    citation = models.ForeignKey(Citation, on_delete=models.PROTECT, related_name="values")
    locator = models.CharField(max_length=100, help_text="Where in the document, for example Table 3.")
    metric = models.CharField(max_length=64)
    scope = models.CharField(max_length=64, blank=True)
    relation = models.CharField(max_length=1, choices=Relation, default=Relation.EQUAL)
    value = models.FloatField(help_text="The mean, where the document gives samples.")
    unit = models.CharField(max_length=16)
    printed = models.CharField(max_length=64, blank=True, help_text="As the document prints it, if other.")
    basis = models.CharField(max_length=16, choices=Basis, default=Basis.MEASURED)
    deviation = models.FloatField(
        null=True, blank=True, help_text="Standard deviation that the document states with the value."
    )
    samples = ArrayField(
        models.FloatField(), default=list, blank=True, help_text="Every sample that the document prints."
    )
    count = models.PositiveIntegerField(
        null=True, blank=True, help_text="Samples behind the value, where the document says how many."
    )
    units = models.PositiveIntegerField(
        null=True, blank=True, help_text="Different drives behind it, where the document says how many."
    )
    conditions = models.CharField(max_length=300, blank=True)
    note = models.CharField(max_length=600, blank=True)
    hidden = models.BooleanField(
        default=False, help_text="Not shown and not compared. Loading the catalogue leaves it so."
    )

    class Meta:
        ordering = ["metric", "scope"]
        constraints = [
            models.UniqueConstraint(
                fields=["drive_model", "citation", "locator", "metric", "scope"],
                name="literaturevalue_stated_once",
            ),
            models.CheckConstraint(
                condition=models.Q(deviation__isnull=True) | models.Q(deviation__gte=0),
                name="literaturevalue_deviation_not_negative",
            ),
            models.CheckConstraint(
                condition=models.Q(basis__in=["measured", "derived", "specification", "stated", "simulated"]),
                name="literaturevalue_basis_known",
            ),
            models.CheckConstraint(
                condition=models.Q(relation__in=["=", "~", "<", ">"]), name="literaturevalue_relation_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.value} {self.unit}"


class Claim(Loaded):
    """What the vendor states for a metric of a model, with the document that states it."""

    class BoundType(models.TextChoices):
        TYPICAL = "typical"
        MINIMUM = "minimum"
        MAXIMUM = "maximum"
        RANGE = "range"

    class Quantity(models.TextChoices):
        """What kind of quantity the vendor's number is, beside the one the metric measures."""

        SAME = "same", "what the metric measures"
        RAW_MEDIA = "raw_media", "rate at the head, between medium and buffer"
        INTERFACE = "interface", "rate of the interface, a limit of the link"
        OTHER = "other", "something that no benchmark here measures"

    class WriteCache(models.TextChoices):
        """The state of the write cache for which the claim is made."""

        ON = "on"
        OFF = "off"

    drive_model = models.ForeignKey(DriveModel, on_delete=models.CASCADE, related_name="claims")
    citation = models.ForeignKey(Citation, on_delete=models.PROTECT, related_name="claims")
    locator = models.CharField(max_length=100, help_text="Page, table or section of the document.")
    stated_on = models.CharField(
        max_length=10,
        blank=True,
        validators=[
            RegexValidator(r"^\d{4}(-\d{2}(-\d{2})?)?$", "Write the date as 2012, 2012-07 or 2012-07-31.")
        ],
        help_text="When the vendor stated it: year, month or day, as far as it is known.",
    )
    metric = models.CharField(max_length=64)
    scope = models.CharField(
        max_length=64, blank=True, help_text="As in the metric's table; empty: all of the drive."
    )
    form = models.CharField(max_length=16, choices=BoundType)
    quantity = models.CharField(max_length=16, choices=Quantity, default=Quantity.SAME)
    low = models.FloatField(
        null=True, blank=True, help_text="Minimum and range; for a typical value the value."
    )
    high = models.FloatField(
        null=True, blank=True, help_text="Maximum and range; for a typical value the same value."
    )
    unit = models.CharField(max_length=16)
    printed = models.CharField(
        max_length=100, blank=True, help_text="The vendor's words, as the document has them."
    )
    tolerance = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="How far off a typical value may be, as a fraction; empty for the usual one.",
    )
    conditions = models.CharField(max_length=300, blank=True)
    write_cache = models.CharField(max_length=3, choices=WriteCache, blank=True)
    note = models.CharField(max_length=600, blank=True)
    hidden = models.BooleanField(
        default=False, help_text="Not shown and not judged. Loading the catalogue leaves it so."
    )

    class Meta:
        ordering = ["metric", "scope"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(low__isnull=False) | models.Q(high__isnull=False),
                name="claim_states_a_number",
            ),
            models.CheckConstraint(
                condition=models.Q(low__isnull=True)
                | models.Q(high__isnull=True)
                | models.Q(low__lte=models.F("high")),
                name="claim_low_not_above_high",
            ),
            models.CheckConstraint(
                condition=models.Q(form__in=["typical", "minimum", "maximum", "range"]),
                name="claim_form_known",
            ),
            models.CheckConstraint(
                condition=models.Q(form="minimum", low__isnull=False, high__isnull=True)
                | models.Q(form="maximum", low__isnull=True, high__isnull=False)
                | models.Q(form__in=["typical", "range"], low__isnull=False, high__isnull=False),
                name="claim_numbers_fit_form",
            ),
            models.UniqueConstraint(
                fields=[
                    "drive_model",
                    "citation",
                    "locator",
                    "metric",
                    "scope",
                    "form",
                    "quantity",
                    "conditions",
                ],
                name="claim_stated_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.form}"

    def clean(self) -> None:
        """Refuse numbers that do not fit the form; each message says fact, limit and remedy."""
        errors = claim_number_errors(form=self.form, low=self.low, high=self.high)
        if errors:
            raise ValidationError(errors)
