//! Whether a job did what a kind measures. Options that change nothing of it are known by name; any other one declines the job, since
//! a number under a wrong name is worse than none.

use super::super::node::whole_drive;
use super::job::{Job, QUEUED};

const SYNCHRONOUS: [&str; 5] = ["psync", "sync", "pvsync", "pvsync2", "vsync"];

/// Options that leave what was measured as it is, or that are looked at below. Those of the page cache and of how files are laid out
/// do nothing to direct requests to a device.
const KNOWN: &str = "\
    allow_file_create allow_mounted_write allrandrepeat blocksize bs buffer_compress_percentage \
    buffer_pattern bwavgtime clat_percentiles clocksource continue_on_error cpus_allowed \
    cpus_allowed_policy create_on_open create_serialize description direct directory \
    disable_bw disable_clat disable_lat disable_slat disk_util eta exitall exitall_on_error exit_what fadvise_hint fallocate \
    filename fixedbufs group_reporting gtod_cpu gtod_reduce invalidate io_limit io_size iodepth ioengine iomem iomem_align \
    iopsavgtime ioscheduler lat_percentiles log_avg_msec log_compression log_entries log_hist_coarseness log_hist_msec log_issue_time log_max_value log_offset log_prio \
    log_store_compressed log_unix_epoch log_alternate_epoch log_alternate_epoch_clock_id log_window_value loops mem mem_align minimal name new_group nice nonvectored norandommap nrfiles numa_cpu_nodes numa_mem_policy number_ios numjobs openfiles output \
    output-format overwrite per_job_logs percentile_list prio prioclass ramp_time randrepeat randseed \
    random_generator readonly refill_buffers registerfiles runtime rw readwrite rwmixread rwmixwrite scramble_buffers \
    significant_figures size slat_percentiles startdelay steadystate steadystate_duration steadystate_ramp_time ss ss_dur ss_ramp stonewall thread time_based timeout unit_base \
    unlink unlink_each_loop verify_fatal verify_state_save wait_for_previous write_bw_log write_hist_log write_iops_log write_lat_log";

/// Options of what is written and of when it is made permanent: they do nothing to a job that only reads.
const OF_WRITES: &str = "\
    buffer_compress_chunk dedupe_percentage end_fsync fdatasync fsync fsync_on_close sync sync_file_range \
    write_barrier zero_buffers";

/// Options that do nothing where they have one of these values.
const OFF: [(&str, &[&str]); 26] = [
    ("buffered", &["0"]),
    ("do_verify", &["0", "1"]),
    ("end_fsync", &["0"]),
    ("fdatasync", &["0"]),
    ("file_service_type", &["roundrobin"]),
    ("fsync", &["0"]),
    ("fsync_on_close", &["0"]),
    ("hipri", &["0"]),
    ("latency_target", &["0"]),
    ("offset", &["0"]),
    ("offset_increment", &["0"]),
    ("percentage_random", &["100"]),
    ("pre_read", &["0"]),
    ("random_distribution", &["random"]),
    ("rate", &["0"]),
    ("rate_iops", &["0"]),
    ("start_delay", &["0"]),
    ("sync", &["0", "none"]),
    ("thinktime", &["0"]),
    ("unified_rw_reporting", &["0", "none"]),
    ("verify", &["0", "none"]),
    ("verify_pattern", &[]),
    ("zero_buffers", &["0"]),
    ("zonemode", &["none"]),
    ("zonesize", &["0"]),
    ("zoneskip", &["0"]),
];

#[derive(Debug)]
pub struct Shape {
    pub variant: &'static str,
    pub pattern: &'static str,
    pub sequential: bool,
    pub concurrency: u64,
    pub request_bytes: u64,
}

/// Errors: why the job stands for no kind, as the rest of a sentence.
pub fn shape(job: &Job, capacity_bytes: u64) -> Result<Shape, String> {
    if job.failed {
        return Err("fio says that it failed".to_owned());
    }
    whole_device(job, capacity_bytes)?;
    let (variant, sequential) = match job.option(&["rw", "readwrite"]).unwrap_or("read") {
        "randread" => ("read", false),
        "randwrite" => ("write", false),
        "randrw" => ("mixed", false),
        "write" => ("write", true),
        other => return Err(format!("rw={other} is what no kind measures; randread, randwrite, randrw and write are")),
    };
    let half = |name: &str| job.options.get(name).is_none_or(|share| share == "50");
    if variant == "mixed" && !(half("rwmixread") && half("rwmixwrite")) {
        return Err("its reads and writes are not half and half".to_owned());
    }
    if let Some((name, value)) = job.options.iter().find(|(name, value)| !is_neutral(name, value, variant)) {
        let given = if value.is_empty() { name.clone() } else { format!("{name}={value}") };
        return Err(format!("its option {given:?} may change what was measured"));
    }
    let (pattern, concurrency) = under_way(job)?;
    if sequential && concurrency != 1 {
        return Err("successive writes are of one job with one request under way".to_owned());
    }
    let size = job.option(&["bs", "blocksize"]).unwrap_or("4k");
    let request_bytes = bytes(size).filter(|bytes| *bytes > 0).ok_or_else(|| format!("bs={size} is not one size"))?;
    Ok(Shape { variant, pattern, sequential, concurrency, request_bytes })
}

fn is_neutral(name: &str, value: &str, variant: &str) -> bool {
    let is_in = |list: &str| list.split(' ').any(|known| known == name);
    is_in(KNOWN)
        || (variant == "read" && is_in(OF_WRITES))
        || OFF.iter().any(|(known, values)| *known == name && values.contains(&value))
}

/// The device of a job: its `filename`, or its own name where that is one (fio(1), `filename`).
pub fn device_name(job: &Job) -> &str {
    let named = job.name.strip_prefix("job-").unwrap_or(&job.name);
    job.option(&["filename"]).unwrap_or_else(|| if named.starts_with("/dev/") { named } else { "" })
}

fn whole_device(job: &Job, capacity_bytes: u64) -> Result<(), String> {
    let name = device_name(job);
    let one_of_several = |name: &str| !name.starts_with('\\') && name.contains(':');
    if name.is_empty() || job.options.contains_key("directory") {
        return Err(
            "it ran on files of a file system, not on a device as a whole; give --filename=/dev/DISK".to_owned()
        );
    }
    if one_of_several(name) {
        return Err(format!("it ran on several devices at once ({name}); a run is of one drive"));
    }
    whole_drive(name)?;
    if !matches!(job.option(&["direct"]), Some("1" | "true" | "")) {
        return Err("without direct=1 it measured the page cache too".to_owned());
    }
    let Some(size) = job.option(&["size"]) else { return Ok(()) };
    let enough = match size.strip_suffix('%') {
        Some(share) => share.parse::<u64>().is_ok_and(|share| share >= 95),
        None => bytes(size).is_some_and(|bytes| bytes >= capacity_bytes / 20 * 19),
    };
    if enough {
        Ok(())
    } else {
        Err(format!("with size={size} its requests stayed in a part of the device, where seeks are shorter"))
    }
}

fn under_way(job: &Job) -> Result<(&'static str, u64), String> {
    let number = |name: &str| {
        job.option(&[name]).map_or(Ok(1), |text| text.parse::<u64>().map_err(|_| format!("{name}={text} is no number")))
    };
    let (depth, jobs) = (number("iodepth")?, number("numjobs")?);
    if jobs > 1 && job.clones != 1 && job.clones != jobs {
        return Err(format!("only {} of its {jobs} clones stand in the JSON", job.clones));
    }
    if jobs == 1 && job.clones > 1 {
        return Err("several jobs of its name ran at once".to_owned());
    }
    let engine = job.option(&["ioengine"]).unwrap_or("psync");
    // A synchronous engine has one request under way, whatever iodepth says.
    let depth = match engine {
        _ if SYNCHRONOUS.contains(&engine) => 1,
        _ if QUEUED.contains(&engine) => depth,
        _ => return Err(format!("what ioengine={engine} times is not known here")),
    };
    match (depth, jobs) {
        (1, 1..=64) => Ok(("processes", jobs)),
        (1..=64, 1) => Ok(("queue", depth)),
        _ => Err(format!(
            "{jobs} jobs with {depth} requests under way each are what no kind measures: either is 1, the other at most 64"
        )),
    }
}

/// `4k`, `1m`, `512`: binary multiples, as fio takes them unless told otherwise.
pub fn bytes(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let plain = lower.trim_end_matches('b').trim_end_matches('i');
    let (digits, shift) = match plain.as_bytes().last()? {
        b'k' => (&plain[..plain.len() - 1], 10),
        b'm' => (&plain[..plain.len() - 1], 20),
        b'g' => (&plain[..plain.len() - 1], 30),
        b't' => (&plain[..plain.len() - 1], 40),
        _ => (plain, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}
