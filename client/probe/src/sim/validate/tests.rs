use super::super::catalog::{SimError, open, parse};

const GOOD: &str = include_str!("../drives/ibm-9zx.toml");

fn refused(from: &str, to: &str) -> (String, String) {
    assert!(GOOD.contains(from), "the sample file has no '{from}'");
    match parse("my.toml", "my", &GOOD.replacen(from, to, 1)) {
        Err(SimError::Invalid { file, key, message }) => {
            assert_eq!(file, "my.toml");
            (key, message)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_sample_file_is_good() {
    assert!(parse("my.toml", "my", GOOD).is_ok());
}

#[test]
fn every_bad_value_is_named_with_its_key() {
    let cases = [
        ("rpm = 10020", "rpm = 0", "media.rpm"),
        ("rpm = 10020", "rpm = nan", "media.rpm"),
        ("heads = 12", "heads = 0", "media.heads"),
        ("logical_block_bytes = 512", "logical_block_bytes = 520", "media.logical_block_bytes"),
        ("physical_block_bytes = 512", "physical_block_bytes = 600", "media.physical_block_bytes"),
        ("logical_block_bytes = 512", "logical_block_bytes = 4096", "media.physical_block_bytes"),
        ("heads = 12", "heads = 12\ncapacity_bytes = 99999999999999", "media.capacity_bytes"),
        ("heads = 12", "heads = 12\ncapacity_bytes = 1000", "media.capacity_bytes"),
        ("layout = \"cylinder\"", "layout = \"spiral\"", "media.layout"),
        ("layout = \"cylinder\"", "layout = \"surface_serpentine\"", "media.serpentine_cylinders"),
        ("layout = \"cylinder\"", "layout = \"cylinder\"\nserpentine_cylinders = 5", "media.serpentine_cylinders"),
        ("sectors_per_track = 225", "sectors_per_track = 0", "zones[0].sectors_per_track"),
        ("sectors_per_track = 225", "sectors_per_track = [225, 224]", "zones[0].sectors_per_track"),
        ("track_skew_sectors = 30", "track_skew_sectors = 225", "zones[0].track_skew"),
        ("track_skew_sectors = 30", "track_skew_sectors = 30, track_skew_ms = 0.8", "zones[0].track_skew"),
        ("track_skew_sectors = 30, ", "", "zones[0].track_skew"),
        ("track_skew_sectors = 30", "track_skew_sectors = 30, band_skew_ms = 1", "zones[0].band_skew_ms"),
        ("track_skew_sectors = 30", "track_skew_sectors = 30, spares_per_track = 224", "zones[0].spares_per_track"),
        (
            "track_skew_sectors = 30",
            "track_skew_sectors = 30, spares_per_cylinder = 225",
            "zones[0].spares_per_cylinder",
        ),
        ("track_skew_sectors = 30", "track_skew_sectors = 30, spare_tracks = 9999999", "zones[0].spare_tracks"),
        (
            "track_skew_sectors = 30",
            "track_skew_sectors = 30, spares_per_zone = 9, remapped_defects = 10",
            "zones[0].slipped_defects and remapped_defects",
        ),
        ("[read_cache]", "[spindle]\nwander_percent = 0.02\n[read_cache]", "spindle.wander_period_s"),
        ("[read_cache]", "[spindle]\ndrift_percent_per_hour = 2.0\n[read_cache]", "spindle.drift_percent_per_hour"),
        ("enabled = false", "enabled = false\nbuffer_kib = 1", "write_cache.buffer_kib"),
        ("[read_cache]", "[cold_writes]\ncelsius = 19\nshare = 0.0\n[read_cache]", "cold_writes"),
        ("[read_cache]", "[unsteady]\nwander_percent = 1.0\n[read_cache]", "unsteady.wander_period_s"),
        ("[read_cache]", "[unsteady]\njitter_percent = 99.0\n[read_cache]", "unsteady.jitter_percent"),
        ("head_switch_ms = 0.46", "head_switch_ms = -1", "seek.head_switch_ms"),
        ("one_cylinder_ms = 1.07", "one_cylinder_ms = 7", "seek.one_cylinder_ms"),
        ("full_stroke_ms = 15.87", "full_stroke_ms = 1", "seek.full_stroke_ms"),
        ("knee_cylinders = 775", "knee_cylinders = 1", "seek.knee_cylinders"),
        ("bus_bytes_per_s = 20000000", "bus_bytes_per_s = 0", "command.bus_bytes_per_s"),
        ("read_after_ms = 0.3", "read_after_ms = inf", "command.read_after_ms"),
        ("look_ahead_kib = 64", "look_ahead_kib = 65", "read_cache.look_ahead_kib"),
        ("segment_kib = 64", "segment_kib = 0", "read_cache.look_ahead_kib"),
        ("enabled = false", "enabled = true", "write_cache.slots"),
        ("interface = \"scsi\"", "interface = \"floppy\"", "identity.interface"),
        ("model = \"9ZX\"", "model = \" \"", "identity.model"),
        ("model = \"9ZX\"", "model = \"9ZX\"\nmanufacture_week = 54", "identity.manufacture_week"),
    ];
    for (from, to, expected) in cases {
        let (key, message) = refused(from, to);
        assert_eq!(key, expected, "{to}: {message}");
        assert!(message.len() > 10, "{to}: '{message}' says too little");
    }
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let text = GOOD.replace("[seek]", "[seek]\nhead_swich_ms = 1.0");
    let message = parse("my.toml", "my", &text).unwrap_err().to_string();
    assert!(message.contains("my.toml") && message.contains("head_swich_ms") && message.contains("line"), "{message}");
}

#[test]
fn a_file_of_ones_own_opens_by_its_path_and_a_missing_one_says_which() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, GOOD).unwrap();
    let drive = open(&format!("{},noise=off,seed=9", path.display())).unwrap();
    assert_eq!(drive.identity().serial, "SIM-mine-9");
    let missing = folder.path().join("other.toml");
    let message = open(&missing.display().to_string()).unwrap_err().to_string();
    assert!(message.contains("other.toml") && message.contains("check the path"), "{message}");
}
