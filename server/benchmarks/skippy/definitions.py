"""The metrics of SKIPPY, as the metric registry shows them."""

from __future__ import annotations

from server.benchmarks.contract import Direction, FingerprintFeature, ListColumn, Measurand, Measures, Metric

REGIONS = (("outer", "at the outer edge"), ("middle", "in the middle"), ("inner", "at the inner edge"))

ROTATION_TIME = Metric(
    key="skippy.rotation_time",
    title="Rotation time",
    unit="ms",
    direction=Direction.NEITHER,
    definition="Time of one full turn of the platters.",
    method=(
        "Height of the sawtooth's edge: accesses before and behind it lie on two lines one turn apart. The "
        "slope is found as a tone among the angles of the completions; turn, slope and gaps are then fitted "
        "together to the accesses that the track model explains, and anew to the platter's phase at the "
        "completions of whole series, hundreds of turns long. Regions and variants are averaged by their "
        "errors; what they differ by beyond these widens the interval. Where no track model holds, the edge "
        "alone gives one of fair quality. The probe's own test, which asks for one block again and again, "
        "has a say: within a fiftieth of the turn it widens the interval, lowers the quality or, where it "
        "contradicts the models, gives the word to the edge."
    ),
    source="Skippy 4.1.2",
    headline=True,
    nominal=True,
    angular=True,
    measures=(Measures(Measurand.ROTATION_TIME),),
    # Spindle control keeps half a per cent.
    fingerprint=(FingerprintFeature("rotation", "rotation", 0.01),),
)
ROTATION_RATE = Metric(
    key="skippy.rotation_rate",
    title="Rotation rate",
    unit="rpm",
    direction=Direction.NEITHER,
    definition="Turns per minute: 60000 ms over the rotation time.",
    method="From the measured rotation time; the drive's own statement is not used.",
    source="Skippy 4.1.2",
    headline=True,
    nominal=True,
    measures=(Measures(Measurand.ROTATION_RATE),),
    columns=(ListColumn("rotation", "Measured rotation", 60),),
)
MTM = Metric(
    key="skippy.mtm",
    title="Minimum time to media",
    unit="ms",
    direction=Direction.LOWER,
    definition=(
        "Shortest latency of a one-block access without seek and without rotational wait, the transfer of "
        "that block included: the y of point (3) of the paper's Figure 3, its MTM + TransferTime."
    ),
    method=(
        "Where on the angle the sawtooth falls, counted from when the request was handed over: a posterior "
        "over the threshold between the last access that needed another turn and the first that did not, in "
        "which as many accesses go astray as miss with time to spare. Regions of one variant are "
        "intersected; where they contradict each other the interval reaches over all. Writes whose cache was "
        "on, and writes sooner than reads, are believed only where reads have the same edge."
    ),
    source="Skippy 4.1.1 and 4.1.2",
    headline=True,
    measures=(Measures(Measurand.MTM),),
    columns=(ListColumn("mtm", "Minimum time to media", 90),),
)
STM = Metric(
    key="skippy.stm",
    title="Sectors to media",
    unit="blocks",
    direction=Direction.LOWER,
    definition="The step at which the sawtooth falls: blocks that pass by in the minimum time to media.",
    method="The threshold of the minimum time to media over the slope, as a loop index.",
    source="Skippy 4.1.1, equation 1",
)
TRANSFER_TIME = Metric(
    key="skippy.transfer_time",
    title="Transfer time of one block",
    unit="ms",
    direction=Direction.LOWER,
    definition="Time in which one block passes under the head, in the outermost region measured.",
    method="Slope of the sawtooth's lines.",
    source="Skippy 4.1.2",
    angular=True,
    measures=(Measures(Measurand.BLOCK_TRANSFER_TIME),),
)
SECTORS_PER_TRACK = Metric(
    key="skippy.sectors_per_track",
    title="Blocks per track",
    unit="blocks",
    direction=Direction.HIGHER,
    definition=(
        "Addressable blocks of one track in that region, in blocks as measured; spare sectors do not count."
    ),
    method=(
        "The one whole number at which every spike's interval of addresses contains a track boundary and no "
        "other interval does; the slope (rotation time over transfer time) must not be below it."
    ),
    source="Skippy 4.1.2, by position instead of slope; 4.2 in each zone",
    headline=True,
    nominal=True,
    measures=(Measures(Measurand.SECTORS_PER_TRACK),),
    columns=(ListColumn("track", "Sectors per track, outer", 70, "outer"),),
    # Drives are formatted by what their heads can do: tracks of one model differ by some per cent.
    fingerprint=tuple(
        FingerprintFeature(f"track {place}", "tracks", 0.05, scope=region) for region, place in REGIONS
    ),
)
HEAD_GAP = Metric(
    key="skippy.head_switch_gap",
    title="Head switch gap",
    unit="ms",
    direction=Direction.LOWER,
    definition=(
        "Angle by which a track is displaced against the one before it in the same cylinder, as time: skew "
        "and spares. The paper calls it HeadSwitchTime; the mechanical switch may take far less."
    ),
    method="Offset of line L3 against L2 (Figure 3), fitted over all accesses that cross a head boundary.",
    source="Skippy 4.1.2",
    headline=True,
    angular=True,
    measures=(Measures(Measurand.HEAD_SWITCH_GAP),),
    # Skew is laid out in whole sectors.
    fingerprint=tuple(
        FingerprintFeature(f"head switch {place}", "gaps", 0.1, 0.08, region) for region, place in REGIONS
    ),
)
CYLINDER_GAP = Metric(
    key="skippy.cylinder_switch_gap",
    title="Cylinder switch gap",
    unit="ms",
    direction=Direction.LOWER,
    definition=(
        "Angle by which the first track of a cylinder is displaced against the last track of the one before, "
        "as time: skew and spares. The paper calls it CylinderSwitchTime; the mechanical switch may take "
        "far less."
    ),
    method=(
        "Offset of line L4 against L2; told from head gaps by how often it comes, not by its size, and only "
        "where the fit of all accesses leaves the two apart."
    ),
    source="Skippy 4.1.2",
    headline=True,
    angular=True,
    measures=(Measures(Measurand.CYLINDER_SWITCH_GAP),),
    fingerprint=tuple(
        FingerprintFeature(f"cylinder switch {place}", "gaps", 0.1, 0.08, region) for region, place in REGIONS
    ),
)
SURFACES = Metric(
    key="skippy.surfaces",
    title="Recording surfaces",
    unit="1",
    direction=Direction.NEITHER,
    definition=(
        "Tracks between two cylinder boundaries, which is the number of recording surfaces: of the drive, "
        "and as each zone between the three regions counts it."
    ),
    method=(
        "After how many boundaries a gap of another size comes again, in all pieces of a series. No number "
        "where the fit of all accesses leaves both gaps equal, or where boundaries in between show the "
        "rarer gap too: the count would be a multiple of the true one. No more than fair where a zone counts "
        "another number."
    ),
    source="Skippy 4.1.2",
    headline=True,
    nominal=True,
    measures=(Measures(Measurand.SURFACES),),
    columns=(ListColumn("surfaces", "Surfaces", 80),),
    fingerprint=(FingerprintFeature("surfaces", "surfaces", 0.0, 0.5),),
)
LAYOUT = Metric(
    key="skippy.layout",
    title="Layout",
    unit="1",
    direction=Direction.NEITHER,
    definition="How addresses run over the surfaces: cylinder by cylinder, or in a serpentine by surface.",
    method="Whether boundaries come at equal distances with one sort of gap in every so many.",
    source="Skippy 4.1.1; layouts newer than the paper are told apart by this project",
)

MTM_READINGS = ("point_3", "point_3_less_transfer", "point_2_less_point_1")
MTM_READING = Metric(
    key="skippy.mtm_reading",
    title="Minimum time to media, as the paper reads it",
    unit="ms",
    direction=Direction.LOWER,
    definition=(
        "Three readings of Figure 3: the latency at point (3), right behind the edge; the same less the "
        "transfer of the block; and by how much point (2), right before the edge, lies above point (1), at "
        "step 0."
    ),
    method=(
        "From accesses on one track of the outermost series that shows the edge, writes first; those within "
        "three steps of a point are moved to it along the lines and their median is taken."
    ),
    source="Skippy 4.1.2 and 4.1.3",
)
ROTATION_READINGS = ("point_1", "edge_height")
ROTATION_READING = Metric(
    key="skippy.rotation_reading",
    title="Rotation time, as the paper reads it",
    unit="ms",
    direction=Direction.NEITHER,
    definition=(
        "Two readings of Figure 3: the latency at step 0, point (1), which holds a block's transfer and "
        "lacks the time between requests; and the height of the sawtooth at the edge."
    ),
    method="The points as for the minimum time to media; the height is taken between the lines at one step.",
    source="Skippy 4.1.2 and 4.1.3",
)
POSITIONINGS = ("head/write", "head/read", "cylinder/write", "cylinder/read")
HEAD_POSITIONING = Metric(
    key="skippy.head_positioning",
    title="Head positioning time",
    unit="ms",
    direction=Direction.LOWER,
    definition=(
        "What going to the next head, or to the next cylinder, adds to the shortest latency: the time of the "
        "mechanism, where the gap is that of the layout."
    ),
    method=(
        "The threshold of accesses across one boundary, in the region where the samples bracket it best, "
        "less that of accesses on one track: with the skew behind it an access before the edge may be "
        "served in the same turn, the paper's downward spikes."
    ),
    source="Skippy 4.1.4",
    angular=True,
)

METRICS = (
    ROTATION_TIME,
    ROTATION_RATE,
    MTM,
    STM,
    TRANSFER_TIME,
    SECTORS_PER_TRACK,
    HEAD_GAP,
    CYLINDER_GAP,
    SURFACES,
    LAYOUT,
    MTM_READING,
    ROTATION_READING,
    HEAD_POSITIONING,
)
