//! From a drive file to a model: every field is checked here, once, and nothing later has to doubt it.

use super::file::{
    DriveFile, MediaFile, PerHead, QueueFile, ReadCacheFile, SeekFile, TemperatureFile, WriteCacheFile, ZoneFile,
};
use super::layout::{Defects, Layout, Order, Slipping, Zone};
use super::model::Scheduler;
use super::model::SeekCurve;
use super::model::{Command, Identity, Model, Queue, ReadCache, Temperature, WriteCache, WriteCacheState};
use super::variation::{ColdWrites, Spindle, Unsteady};

/// What is wrong with which key: fact, limit, remedy.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    pub key: String,
    pub message: String,
}

fn problem(key: impl Into<String>, message: impl Into<String>) -> Problem {
    Problem { key: key.into(), message: message.into() }
}

fn ensure(holds: bool, key: impl Into<String>, message: impl Into<String>) -> Result<(), Problem> {
    if holds { Ok(()) } else { Err(problem(key, message)) }
}

/// A time in ms, from the lowest to at most ten seconds, as nanoseconds.
fn time_ns(key: &str, ms: f64, lowest_ms: f64) -> Result<f64, Problem> {
    let fits = (lowest_ms..=10_000.0).contains(&ms);
    ensure(fits, key, format!("{ms} ms is outside {lowest_ms} to 10000 ms; give milliseconds"))?;
    Ok(ms * 1e6)
}

fn in_range<T: Copy + PartialOrd + std::fmt::Display>(
    key: &str,
    value: T,
    lowest: T,
    highest: T,
) -> Result<T, Problem> {
    let fits = value >= lowest && value <= highest;
    ensure(fits, key, format!("{value} is outside {lowest} to {highest}; choose a value in between"))?;
    Ok(value)
}

/// Checks the whole file and makes the model that `name` stands for.
pub fn model_from(name: &str, file: &DriveFile) -> Result<Model, Problem> {
    let media = &file.media;
    check_media(media)?;
    let rotation_ns = 60e9 / media.rpm;
    let layout = layout_from(file, rotation_ns)?;
    let capacity_sectors = capacity(media, &layout)?;
    let write_cache = write_cache(&file.write_cache, media.logical_block_bytes)?;
    Ok(Model {
        name: name.to_owned(),
        identity: identity(file)?,
        logical_block_bytes: media.logical_block_bytes,
        physical_block_bytes: media.physical_block_bytes,
        capacity_sectors,
        rotation_ns,
        seek: seek_curve(&file.seek, layout.cylinders())?,
        layout,
        command: command(file)?,
        read_cache: read_cache(&file.read_cache, media.physical_block_bytes)?,
        write_cache,
        queue: queue(file.queue.as_ref())?,
        temperature: file.temperature.as_ref().map(temperature).transpose()?,
        cold_writes: file.cold_writes.as_ref().map(|cold| cold_writes(cold, file.temperature.is_some())).transpose()?,
        unsteady: file.unsteady.as_ref().map(unsteady).transpose()?,
        spindle: file.spindle.as_ref().map(spindle).transpose()?,
    })
}

fn identity(file: &DriveFile) -> Result<Identity, Problem> {
    let told = &file.identity;
    for (key, text) in [("identity.vendor", &told.vendor), ("identity.model", &told.model)] {
        ensure(!text.trim().is_empty() && text.len() <= 64, key, "is empty or longer than 64 bytes; name the drive")?;
    }
    let known = ["ata", "scsi"].contains(&told.interface.as_str());
    ensure(known, "identity.interface", format!("'{}' is unknown; use \"ata\" or \"scsi\"", told.interface))?;
    if let Some(week) = told.manufacture_week {
        in_range("identity.manufacture_week", week, 1, 53)?;
    }
    let enabled = file.write_cache.enabled;
    let changeable = file.write_cache.changeable;
    Ok(Identity {
        vendor: told.vendor.clone(),
        model: told.model.clone(),
        firmware: told.firmware.clone(),
        serial: String::new(),
        interface: told.interface.clone(),
        form_factor: told.form_factor.clone(),
        link_speed_bits_per_s: told.link_bits_per_s,
        rotation_rate_rpm: file.media.rpm.round() as u32,
        manufacture_year: told.manufacture_year,
        manufacture_week: told.manufacture_week,
        write_cache: WriteCacheState { current: enabled, changeable, default: enabled, saved: enabled },
    })
}

fn check_media(media: &MediaFile) -> Result<(), Problem> {
    in_range("media.rpm", media.rpm, 60.0, 60_000.0)?;
    in_range("media.heads", media.heads, 1, 64)?;
    for (key, bytes) in [
        ("media.logical_block_bytes", media.logical_block_bytes),
        ("media.physical_block_bytes", media.physical_block_bytes),
    ] {
        let usual = bytes.is_power_of_two() && (512..=65_536).contains(&bytes);
        ensure(usual, key, format!("{bytes} is not a power of two from 512 to 65536; use 512 or 4096"))?;
    }
    ensure(
        media.physical_block_bytes >= media.logical_block_bytes,
        "media.physical_block_bytes",
        "is smaller than the logical block; make it the same or larger",
    )
}

fn order(media: &MediaFile) -> Result<Order, Problem> {
    let key = "media.serpentine_cylinders";
    match (media.layout.as_str(), media.serpentine_cylinders) {
        ("surface_serpentine", Some(cylinders)) => {
            Ok(Order::SurfaceSerpentine { cylinders: in_range(key, cylinders, 1, 1_000_000)? })
        }
        ("surface_serpentine", None) => {
            Err(problem(key, "is missing; a surface serpentine layout needs the cylinders of one band"))
        }
        (_, Some(_)) => Err(problem(key, "belongs to layout = \"surface_serpentine\" only; remove it")),
        ("cylinder", None) => Ok(Order::Cylinder),
        ("cylinder_serpentine", None) => Ok(Order::CylinderSerpentine),
        (other, None) => {
            let choice = "use \"cylinder\", \"cylinder_serpentine\" or \"surface_serpentine\"";
            Err(problem("media.layout", format!("'{other}' is unknown; {choice}")))
        }
    }
}

fn layout_from(file: &DriveFile, rotation_ns: f64) -> Result<Layout, Problem> {
    ensure(!file.zones.is_empty(), "zones", "there is none; a drive has at least one [[zones]] entry")?;
    let order = order(&file.media)?;
    let zones = file.zones.iter().enumerate();
    let zones = zones.map(|(index, zone)| {
        let key = format!("zones[{index}]");
        let placed = zone_from(&key, zone, file.media.heads, order, rotation_ns)?;
        with_defects(&key, zone, placed, matches!(order, Order::SurfaceSerpentine { .. }), index as u64)
    });
    let zones: Vec<Zone> = zones.collect::<Result<_, _>>()?;
    let cylinders: u64 = zones.iter().map(|zone| u64::from(zone.cylinders)).sum();
    in_range("zones", cylinders, 2, 10_000_000)?;
    Ok(Layout::new(order, zones))
}

fn zone_from(key: &str, file: &ZoneFile, heads: u16, order: Order, rotation_ns: f64) -> Result<Zone, Problem> {
    in_range(&format!("{key}.cylinders"), file.cylinders, 1, 10_000_000)?;
    let slots = match &file.sectors_per_track {
        PerHead::Same(sectors) => vec![*sectors; usize::from(heads)],
        PerHead::Each(sectors) => sectors.clone(),
    };
    let sectors_key = format!("{key}.sectors_per_track");
    let given = slots.len();
    ensure(given == usize::from(heads), &sectors_key, format!("{given} numbers for {heads} heads; give one per head"))?;
    for &sectors in &slots {
        in_range(&sectors_key, sectors, 4, 100_000)?;
    }
    let fewest = slots.iter().copied().min().unwrap_or(0);
    in_range(&format!("{key}.spares_per_track"), file.spares_per_track, 0, fewest - 2)?;
    let left = fewest - file.spares_per_track - 1;
    in_range(&format!("{key}.spares_per_cylinder"), file.spares_per_cylinder, 0, left)?;
    let surface = matches!(order, Order::SurfaceSerpentine { .. });
    ensure(
        !surface || file.spares_per_cylinder == 0,
        format!("{key}.spares_per_cylinder"),
        "has no place in a surface serpentine layout; use spares_per_track",
    )?;
    let equal = slots.iter().all(|&sectors| sectors == fewest).then_some(fewest);
    let skew = |name, sectors, ms| skew_turns(&format!("{key}.{name}"), sectors, ms, equal, rotation_ns);
    let cylinder_skew = skew("cylinder_skew", file.cylinder_skew_sectors, file.cylinder_skew_ms)?;
    let band_skew = match (surface, file.band_skew_ms) {
        (true, None) => cylinder_skew,
        (true, given) => skew("band_skew", None, given)?,
        (false, None) => 0.0,
        (false, Some(_)) => {
            return Err(problem(format!("{key}.band_skew_ms"), "belongs to a surface serpentine layout; remove it"));
        }
    };
    Ok(Zone {
        cylinders: file.cylinders,
        slots,
        spares_per_track: file.spares_per_track,
        spares_per_cylinder: file.spares_per_cylinder,
        spares_at_end: 0,
        defects: Defects::default(),
        track_skew: skew("track_skew", file.track_skew_sectors, file.track_skew_ms)?,
        cylinder_skew,
        band_skew,
    })
}

/// The zone with the spares at its end and the sectors that hold no data.
fn with_defects(key: &str, file: &ZoneFile, zone: Zone, surface: bool, seed: u64) -> Result<Zone, Problem> {
    let spare = u64::from(file.spare_tracks) + u64::from(file.spares_per_zone);
    let (slipped, moved) = (file.slipped_defects, file.remapped_defects);
    if spare == 0 && slipped == 0 && moved == 0 {
        return Ok(zone);
    }
    ensure(
        !surface,
        format!("{key}.spare_tracks"),
        "and defects have no place in a surface serpentine layout; remove them",
    )?;
    let even = zone.slots.iter().all(|slots| *slots == zone.slots[0]);
    ensure(even, format!("{key}.sectors_per_track"), "differ by head, where spares and defects need equal tracks")?;
    let track = u64::from(zone.slots[0] - zone.spares_per_track);
    let spares_at_end = u64::from(file.spare_tracks) * track + u64::from(file.spares_per_zone);
    in_range(&format!("{key}.spare_tracks"), spares_at_end, 0, zone.places() / 2)?;
    let zone = Zone { spares_at_end, ..zone };
    let (group, spares) = match zone.slipping() {
        Slipping::Track => (track, zone.spares_per_track as usize),
        Slipping::Cylinder => (zone.places() / u64::from(zone.cylinders), zone.spares_per_cylinder as usize),
        Slipping::Zone => (u64::MAX, spares_at_end as usize),
    };
    let from_zone = u64::from(moved) + if zone.slipping() == Slipping::Zone { u64::from(slipped) } else { 0 };
    in_range(&format!("{key}.slipped_defects and remapped_defects"), from_zone, 0, spares_at_end)?;
    let defects = Defects::drawn(slipped, moved, zone.sectors(), (group, spares), seed);
    Ok(Zone { defects, ..zone })
}

fn skew_turns(
    key: &str,
    sectors: Option<f64>,
    ms: Option<f64>,
    slots: Option<u32>,
    rotation_ns: f64,
) -> Result<f64, Problem> {
    let turns = match (sectors, ms, slots) {
        (Some(sectors), None, Some(slots)) => sectors / f64::from(slots),
        (Some(_), None, None) => {
            return Err(problem(key, format!("sectors differ by head; give {key}_ms instead of {key}_sectors")));
        }
        (None, Some(ms), _) => ms * 1e6 / rotation_ns,
        (None, None, _) => return Err(problem(key, format!("is missing; give {key}_ms or {key}_sectors"))),
        (Some(_), Some(_), _) => return Err(problem(key, "is given in sectors and in ms; keep one of them")),
    };
    ensure((0.0..1.0).contains(&turns), key, format!("{turns:.3} turns is not below one turn; use a smaller skew"))?;
    Ok(turns)
}

fn capacity(media: &MediaFile, layout: &Layout) -> Result<u64, Problem> {
    let block = u64::from(media.physical_block_bytes);
    let held = layout.sectors() * block;
    let told = media.capacity_bytes.unwrap_or(held);
    let key = "media.capacity_bytes";
    ensure(
        told > 0 && told <= held,
        key,
        format!("{told} is not from 1 to the {held} bytes of all zones; change the zones"),
    )?;
    ensure(
        told.is_multiple_of(block),
        key,
        format!("{told} is not a multiple of the block of {block} bytes; round it"),
    )?;
    Ok(told / block)
}

fn seek_curve(seek: &SeekFile, cylinders: u32) -> Result<SeekCurve, Problem> {
    let knee = in_range("seek.knee_cylinders", seek.knee_cylinders, 2, cylinders.saturating_sub(1).max(2))?;
    let base = time_ns("seek.short_base_ms", seek.short_base_ms, 0.0)?;
    let root = time_ns("seek.short_sqrt_ms", seek.short_sqrt_ms, 0.0)?;
    let one = time_ns("seek.one_cylinder_ms", seek.one_cylinder_ms, 0.0)?;
    let full = time_ns("seek.full_stroke_ms", seek.full_stroke_ms, 0.0)?;
    let at_two = base + root * std::f64::consts::SQRT_2;
    ensure(
        one <= at_two,
        "seek.one_cylinder_ms",
        format!("is longer than two cylinders' {:.3} ms; lower it", at_two / 1e6),
    )?;
    let at_knee = base + root * f64::from(knee).sqrt();
    let long_per_cylinder_ns = (full - at_knee) / f64::from((cylinders - 1).saturating_sub(knee).max(1));
    ensure(
        long_per_cylinder_ns >= 0.0,
        "seek.full_stroke_ms",
        format!("is shorter than the {:.3} ms at the knee; raise it or lower the short seeks", at_knee / 1e6),
    )?;
    Ok(SeekCurve {
        one_cylinder_ns: one,
        short_base_ns: base,
        short_sqrt_ns: root,
        knee_cylinders: knee,
        long_per_cylinder_ns,
        head_switch_ns: time_ns("seek.head_switch_ms", seek.head_switch_ms, 0.0)?,
        write_settle_ns: time_ns("seek.write_settle_ms", seek.write_settle_ms, 0.0)?,
    })
}

fn command(file: &DriveFile) -> Result<Command, Problem> {
    let command = &file.command;
    let speed = in_range("command.bus_bytes_per_s", command.bus_bytes_per_s, 1e4, 1e11)?;
    Ok(Command {
        read_before_ns: time_ns("command.read_before_ms", command.read_before_ms, 0.0)?,
        read_after_ns: time_ns("command.read_after_ms", command.read_after_ms, 0.0)?,
        write_before_ns: time_ns("command.write_before_ms", command.write_before_ms, 0.0)?,
        write_after_ns: time_ns("command.write_after_ms", command.write_after_ms, 0.0)?,
        hit_before_ns: time_ns("command.hit_before_ms", command.hit_before_ms, 0.0)?,
        hit_after_ns: time_ns("command.hit_after_ms", command.hit_after_ms, 0.0)?,
        bus_ns_per_byte: 1e9 / speed,
    })
}

fn read_cache(file: &ReadCacheFile, sector_bytes: u32) -> Result<ReadCache, Problem> {
    in_range("read_cache.segments", file.segments, 0, 4096)?;
    in_range("read_cache.segment_kib", file.segment_kib, 0, 1 << 20)?;
    in_range("read_cache.look_ahead_kib", file.look_ahead_kib, 0, file.segment_kib)?;
    let usable = file.segments == 0 || u64::from(file.segment_kib) * 1024 >= u64::from(sector_bytes);
    ensure(usable, "read_cache.segment_kib", "holds no sector; make it larger or set segments = 0")?;
    let look_ahead_kib = if file.segments == 0 { 0 } else { file.look_ahead_kib };
    let sectors = |kib: u32| u64::from(kib) * 1024 / u64::from(sector_bytes);
    Ok(ReadCache {
        segments: file.segments as usize,
        segment_sectors: sectors(file.segment_kib),
        look_ahead_sectors: sectors(look_ahead_kib),
    })
}

fn write_cache(file: &WriteCacheFile, block_bytes: u32) -> Result<WriteCache, Problem> {
    let needed = u32::from(file.enabled || file.changeable);
    in_range("write_cache.slots", file.slots, needed, 1 << 20)?;
    let destage_ns = time_ns("write_cache.destage_ms", file.destage_ms, 0.0)?;
    let buffer_kib = file.buffer_kib.map(|kib| in_range("write_cache.buffer_kib", kib, 64, 1 << 24)).transpose()?;
    let buffer_blocks = buffer_kib.map_or(u64::MAX, |kib| u64::from(kib) * 1024 / u64::from(block_bytes));
    let (slots, in_one_pass) = (file.slots as usize, file.in_one_pass);
    Ok(WriteCache { enabled: file.enabled, slots, buffer_blocks, destage_ns, in_one_pass })
}

fn queue(file: Option<&QueueFile>) -> Result<Queue, Problem> {
    let Some(file) = file else { return Ok(Queue { depth: 1, scheduler: Scheduler::Fifo }) };
    let scheduler = match file.scheduler.as_str() {
        "fifo" => Scheduler::Fifo,
        "sptf" => Scheduler::Sptf,
        other => return Err(problem("queue.scheduler", format!("'{other}' is unknown; use \"fifo\" or \"sptf\""))),
    };
    Ok(Queue { depth: in_range("queue.depth", file.depth, 1, 256)? as usize, scheduler })
}

fn temperature(file: &TemperatureFile) -> Result<Temperature, Problem> {
    in_range("temperature.time_constant_s", file.time_constant_s, 1.0, 1e6)?;
    Ok(Temperature {
        start_celsius: in_range("temperature.start_celsius", file.start_celsius, -40.0, 100.0)?,
        steady_celsius: in_range("temperature.steady_celsius", file.steady_celsius, -40.0, 100.0)?,
        time_constant_ns: file.time_constant_s * 1e9,
        swing_celsius: in_range("temperature.swing_celsius", file.swing_celsius, 0.0, 60.0)?,
        swing_period_ns: in_range("temperature.swing_period_h", file.swing_period_h, 0.1, 1e4)? * 3600e9,
    })
}

fn cold_writes(file: &ColdWrites, has_sensor: bool) -> Result<ColdWrites, Problem> {
    ensure(has_sensor, "cold_writes", "needs a temperature; add [temperature] or remove it")?;
    in_range("cold_writes.celsius", file.celsius, -40, 100)?;
    in_range("cold_writes.share", file.share, 0.01, 1.0)?;
    Ok(*file)
}

fn unsteady(file: &Unsteady) -> Result<Unsteady, Problem> {
    let percent = |name: &str, value: f64| in_range(&format!("unsteady.{name}"), value, -80.0, 1000.0);
    let seconds = |name: &str, value: f64| in_range(&format!("unsteady.{name}"), value, 0.0, 1e8);
    let period = seconds("wander_period_s", file.wander_period_s)?;
    let told = file.wander_percent == 0.0 || period > 0.0;
    ensure(told, "unsteady.wander_period_s", "is missing; give the seconds of one wave")?;
    in_range("unsteady.jitter_percent", file.jitter_percent, 0.0, 50.0)?;
    percent("wander_percent", file.wander_percent)?;
    percent("drift_percent_per_day", file.drift_percent_per_day)?;
    percent("jump_percent", file.jump_percent)?;
    seconds("jump_after_s", file.jump_after_s)?;
    Ok(*file)
}

fn spindle(file: &Spindle) -> Result<Spindle, Problem> {
    in_range("spindle.wander_percent", file.wander_percent, 0.0, 1.0)?;
    in_range("spindle.wander_period_s", file.wander_period_s, 0.0, 1e6)?;
    let told = file.wander_percent == 0.0 || file.wander_period_s >= 1.0;
    ensure(told, "spindle.wander_period_s", "is missing or below 1; give the seconds of one wave")?;
    in_range("spindle.drift_percent_per_hour", file.drift_percent_per_hour, -1.0, 1.0)?;
    Ok(*file)
}

#[cfg(test)]
mod tests;
