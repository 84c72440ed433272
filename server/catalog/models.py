"""What is known of drive models before anyone measures one: names, published values, vendors' claims."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models


class Vendor(models.Model):
    """Who made a drive."""

    name = models.CharField(max_length=256)
    slug = models.SlugField(max_length=100, unique=True)
    normalized = models.CharField(max_length=512, unique=True)

    class Meta:
        ordering = ["name"]

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


class DriveModel(models.Model):
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
    simulated = models.BooleanField(default=False, help_text="A model that exists only in a simulator.")
    notes = models.TextField(blank=True)
    search_text = models.TextField(editable=False, help_text="Names and aliases, and their normalised forms.")
    search = models.GeneratedField(
        expression=SearchVector("search_text", config="simple"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

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
                condition=models.Q(capacity_tolerance__gte=0, capacity_tolerance__lte=1),
                name="drivemodel_tolerance_is_fraction",
            ),
        ]
        indexes = [
            GinIndex(fields=["search"], name="drivemodel_search"),
            models.Index(OpClass("normalized", name="varchar_pattern_ops"), name="drivemodel_prefix"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        """Vendor, number and, where there is one, the name people use."""
        name = f" “{self.name}”" if self.name else ""
        return f"{self.vendor.name} {self.number}{name}"


class DriveAlias(models.Model):
    """Another string by which devices or people name a model; one string names one model only."""

    drive_model = models.ForeignKey(DriveModel, on_delete=models.CASCADE, related_name="aliases")
    text = models.CharField(max_length=512)
    normalized = models.CharField(max_length=512, unique=True)

    class Meta:
        verbose_name_plural = "drive aliases"

    def __str__(self) -> str:
        return self.text


class Citation(models.Model):
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


class LiteratureValue(models.Model):
    """A number that a document states for a model. Provenance `literature`: never part of an aggregate."""

    drive_model = models.ForeignKey(DriveModel, on_delete=models.CASCADE, related_name="literature_values")
    citation = models.ForeignKey(Citation, on_delete=models.PROTECT, related_name="values")
    locator = models.CharField(max_length=100, help_text="Where in the document, for example Table 3.")
    metric = models.CharField(max_length=64)
    scope = models.CharField(max_length=64, blank=True)
    value = models.FloatField()
    unit = models.CharField(max_length=16)
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["metric", "scope"]
        constraints = [
            models.UniqueConstraint(
                fields=["drive_model", "citation", "locator", "metric", "scope"],
                name="literaturevalue_stated_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.value} {self.unit}"


class Claim(models.Model):
    """What the vendor states for a metric of a model, with the document that states it."""

    class Form(models.TextChoices):
        TYPICAL = "typical"
        MINIMUM = "minimum"
        MAXIMUM = "maximum"
        RANGE = "range"

    drive_model = models.ForeignKey(DriveModel, on_delete=models.CASCADE, related_name="claims")
    citation = models.ForeignKey(Citation, on_delete=models.PROTECT, related_name="claims")
    locator = models.CharField(max_length=100, blank=True)
    metric = models.CharField(max_length=64)
    scope = models.CharField(max_length=64, blank=True)
    form = models.CharField(max_length=16, choices=Form)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    unit = models.CharField(max_length=16)

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
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.form}"
