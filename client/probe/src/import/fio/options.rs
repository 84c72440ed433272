//! Whether a job did what a kind measures. Options that change nothing of it are known by name; any other one declines the job, since
//! a number under a wrong name is worse than none.

use super::job::{Job, QUEUED};

const SYNCHRONOUS: [&str; 5] = ["psync", "sync", "pvsync", "pvsync2", "vsync"];

/// Options that leave what was measured as it is, or that are looked at below.
const KNOWN: &str = "\
    allow_file_create allow_mounted_write allrandrepeat blocksize bs buffer_compress_percentage \
    buffer_pattern bwavgtime clat_percentiles cpus_allowed description direct directory eta exitall \
    filename group_reporting gtod_reduce io_limit io_size iodepth ioengine iopsavgtime lat_percentiles \
    log_avg_msec log_offset log_prio log_unix_epoch loops name norandommap number_ios numjobs output \
    output-format per_job_logs percentile_list prio prioclass randrepeat randseed random_generator \
    readonly refill_buffers runtime rw readwrite rwmixread rwmixwrite significant_figures size \
    slat_percentiles startdelay stonewall thread time_based timeout wait_for_previous write_bw_log \
    write_iops_log write_lat_log";

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
    let strange = |name: &&String| !KNOWN.split(' ').any(|known| known == *name);
    if let Some(name) = job.options.keys().find(strange) {
        return Err(format!("its option {name:?} may change what was measured, and is not known here"));
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
    let (pattern, concurrency) = under_way(job)?;
    if sequential && concurrency != 1 {
        return Err("successive writes are of one job with one request under way".to_owned());
    }
    let size = job.option(&["bs", "blocksize"]).unwrap_or("4k");
    let request_bytes = bytes(size).filter(|bytes| *bytes > 0).ok_or_else(|| format!("bs={size} is not one size"))?;
    Ok(Shape { variant, pattern, sequential, concurrency, request_bytes })
}

fn whole_device(job: &Job, capacity_bytes: u64) -> Result<(), String> {
    if !matches!(job.option(&["direct"]), Some("1" | "true" | "")) {
        return Err("without direct=1 it measured the page cache too".to_owned());
    }
    let name = job.option(&["filename"]).unwrap_or_default();
    let device =
        name.starts_with("/dev/") || name.starts_with(r"\\.\PhysicalDrive") || name.starts_with(r"\\.\\PhysicalDrive");
    if !device || name.contains(':') || job.options.contains_key("directory") {
        return Err("it ran on a file or on several devices, not on one device as a whole".to_owned());
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
