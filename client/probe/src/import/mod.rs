//! Reads what other tools printed into a run document that says so. Parsers take bytes, never panic, and give nothing that the
//! output does not carry: what is left out stands as a sentence among the remarks.

mod dd;
mod diskinfo;
mod dropped;
mod figures;
mod fio;
mod hdparm;
mod hdparm_identity;
mod hdtune;
mod ioping;
mod node;
mod not_carried;
mod plain;
mod smartctl;
mod smartctl_text;
mod zcav;

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::report::document::{
    Benchmark, Conditions, DeviceReport, Host, Imported, ImportedFile, Interference, Manufacture, Measured, Probe,
    Provenance, RunDocument, SCHEMA, timestamp,
};
use crate::report::json::Json;
use crate::report::keys::hex;

pub use dropped::split;
use plain::{plain_lines, text_of};

/// No file of these tools comes near it; more would not fit into an envelope either.
pub const LARGEST_FILE_BYTES: u64 = 64 << 20;

/// A file as it was read. The name only pairs logs with jobs and stands in messages: no document has it.
pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Whose output; the words of each are those of `--help`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Tool {
    /// JSON of fio 2 and 3, with latency logs, or text with its command
    Fio,
    /// hdparm -t
    Hdparm,
    /// HD Tune's benchmark as text
    #[value(name = "hdtune")]
    HdTune,
    /// zcav of bonnie++
    Zcav,
    /// FreeBSD's diskinfo -t
    Diskinfo,
    /// dd, with its command
    Dd,
    /// ioping of a whole drive
    Ioping,
}

/// What can't be imported: the file, the fact and the remedy as a sentence.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {why}")]
pub struct ImportError {
    pub file: String,
    pub why: String,
}

impl ImportError {
    fn new(input: &Input, why: impl Into<String>) -> Self {
        Self { file: input.name.clone(), why: why.into() }
    }

    fn of(input: &Input) -> impl Fn(String) -> Self {
        |why| Self::new(input, why)
    }
}

#[derive(Default)]
struct ToolOutput {
    tool_version: Option<String>,
    measured_at: Option<String>,
    benchmarks: Vec<Measured>,
    remarks: Vec<String>,
    writes: bool,
}

struct ImportContext<'a> {
    device: &'a DeviceReport,
    asked: &'a ImportOptions,
}

impl ImportContext<'_> {
    const fn block_bytes(&self) -> u64 {
        self.device.block_bytes as u64
    }

    const fn blocks(&self) -> u64 {
        self.device.capacity_bytes / self.block_bytes()
    }
}

impl Tool {
    /// The first of these whose results a file holds is the one that it is taken for.
    const ALL: [Self; 7] = [Self::Fio, Self::Hdparm, Self::HdTune, Self::Zcav, Self::Diskinfo, Self::Ioping, Self::Dd];

    /// Whose output a file is, by what only that tool prints.
    pub fn of(input: &Input) -> Option<Self> {
        let text = text_of(&input.bytes);
        Self::ALL.into_iter().find(|tool| tool.printed(input, &text))
    }

    fn printed(self, input: &Input, text: &str) -> bool {
        match self {
            Self::Fio => text.contains("\"fio version\"") || fio::is_log(input) || fio::is_text(text),
            Self::Hdparm => text.contains("disk reads") && text.contains("Timing "),
            Self::HdTune => text.contains("HD Tune"),
            Self::Zcav => text.contains("#block "),
            Self::Diskinfo => diskinfo::is_output(text),
            Self::Ioping => ioping::is_output(text),
            Self::Dd => dd::is_output(text),
        }
    }

    /// What else a file holds than this tool's output, as a remark for each: none of it is dropped unsaid.
    fn beside(self, input: &Input) -> Vec<String> {
        if fio::is_log(input) {
            return Vec::new();
        }
        let text = text_of(&input.bytes);
        let others = Self::ALL.into_iter().filter(|tool| *tool != self && tool.printed(input, &text));
        others.map(|tool| {
            format!("What {tool} printed in the same file was left out: a run is of one tool. Give it as a file of its own.")
        }).collect()
    }

    /// The one tool whose output all files are.
    /// Errors: a file of no known form, or of another tool than the first.
    pub fn of_all(inputs: &[Input]) -> Result<Self, ImportError> {
        let mut found = None;
        for input in inputs {
            let tool = Self::of(input).ok_or_else(|| ImportError::new(input, not_carried::reason(input)))?;
            if found.is_some_and(|first| first != tool) {
                let words = format!("this is {tool} output beside another tool's; import each tool by itself");
                return Err(ImportError::new(input, words));
            }
            found = Some(tool);
        }
        found.ok_or_else(|| ImportError { file: "import".to_owned(), why: "no file was named".to_owned() })
    }

    /// Whether its output says which drive it was, and of no other one.
    fn identifies(self, input: &Input) -> bool {
        match self {
            Self::Diskinfo => smartctl::facts(input).is_ok(),
            Self::Hdparm => hdparm_identity::is_of_what_was_read(&text_of(&input.bytes)),
            _ => false,
        }
    }

    /// The model alone, where its output names no more. Errors: what the output is instead of a benchmark.
    fn model(self, input: &Input) -> Result<Option<String>, String> {
        if self == Self::HdTune { hdtune::model(&text_of(&input.bytes)) } else { Ok(None) }
    }

    fn format_of(self, input: &Input) -> &'static str {
        match self {
            Self::Fio if fio::is_log(input) => "fio-lat-log",
            Self::Fio if fio::is_text(&text_of(&input.bytes)) => "fio-text",
            Self::Fio => "fio-json",
            Self::Hdparm => "hdparm-text",
            Self::HdTune => "hdtune-text",
            Self::Zcav => "zcav-text",
            Self::Diskinfo => "diskinfo-text",
            Self::Dd => "dd-text",
            Self::Ioping => "ioping-text",
        }
    }

    fn import(self, inputs: &[Input], about: &ImportContext<'_>) -> Result<ToolOutput, ImportError> {
        let single = |read: fn(&Input, &ImportContext<'_>) -> Result<ToolOutput, String>, what: &str| match inputs {
            [input] => read(input, about).map_err(ImportError::of(input)),
            _ => Err(ImportError::new(&inputs[1], format!("one {what} is one run; import each file by itself"))),
        };
        match self {
            Self::Fio => fio::import(inputs, about),
            Self::Hdparm => hdparm::import(inputs, about),
            Self::HdTune => single(hdtune::import, "HD Tune text"),
            Self::Zcav => single(zcav::import, "zcav output"),
            Self::Diskinfo => single(diskinfo::import, "diskinfo output"),
            Self::Dd => single(dd::import, "dd output"),
            Self::Ioping => single(ioping::import, "ioping output"),
        }
    }
}

/// A place belongs to the middle within a twentieth of the capacity, and to the inner end from 95 % on.
const NEAR: f64 = 0.05;

/// Where POSITIONAL has a place.
#[expect(clippy::cast_precision_loss, reason = "sizes of disks")]
fn position_of(offset_bytes: u64, capacity_bytes: u64) -> Option<&'static str> {
    let share = offset_bytes as f64 / capacity_bytes as f64;
    if offset_bytes == 0 {
        Some("outer")
    } else if (share - 0.5).abs() <= NEAR {
        Some("middle")
    } else if share >= 1.0 - NEAR {
        Some("inner")
    } else {
        None
    }
}

/// Whether two spellings may be of one model: programs cut its name short, or put more before it.
fn same_model(one: &str, two: &str) -> bool {
    let letters =
        |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase();
    let (one, two) = (letters(one), letters(two));
    one.len().min(two.len()) >= 4 && (one.contains(&two) || two.contains(&one))
}

fn file_of(input: &Input, format: &str) -> ImportedFile {
    ImportedFile {
        format: format.to_owned(),
        sha256: hex(&Sha256::digest(&input.bytes)),
        size_bytes: input.bytes.len() as u64,
    }
}

/// An entry of `benchmarks[]`; nobody watched, so nothing is known of interference.
fn entry(kind: &str, params: Value, series: Vec<Value>, elapsed_ns: u64) -> Measured {
    let samples =
        Json::Object([("series".to_owned(), Json::List(series.into_iter().map(Json::from).collect()))].into());
    Measured {
        kind: kind.to_owned(),
        version: 1,
        params,
        samples,
        elapsed_ns,
        caches: None,
        interference: Interference::default(),
        errors: Vec::new(),
    }
}

/// A document has room for so many remarks, and nobody reads more.
const REMARKS_MOST: usize = 256;
const REMARK_CHARACTERS_MOST: usize = 1000;

#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// For tools whose output does not say where they read.
    pub offset_gib: Option<u64>,
    /// Which of several devices in one output is meant.
    pub device: Option<String>,
    /// What whoever imports knows of the drive, where nothing else says it.
    pub model: Option<String>,
    pub capacity_bytes: Option<u64>,
    pub block_bytes: Option<u32>,
    pub rotational: Option<bool>,
    pub manufacture: Option<Manufacture>,
    pub batch_label: Option<String>,
    /// Where the files come from, where that is somebody else.
    pub source: Option<String>,
    pub license: Option<String>,
}

/// Which drive it was: as a file says, as the output itself does, or as whoever imports does.
fn identity_of(
    tool: Tool,
    inputs: &[Input],
    identity: Option<&Input>,
    asked: &ImportOptions,
) -> Result<(Value, DeviceReport), ImportError> {
    if let Some(input) = identity.or_else(|| inputs.first().filter(|input| tool.identifies(input))) {
        let value = smartctl::facts(input)?;
        let device = smartctl::device(&value, asked).map_err(ImportError::of(input))?;
        return Ok((value, device));
    }
    let lacks = |why: &str| Err(ImportError::new(&inputs[0], why));
    let model = match &asked.model {
        Some(model) => Some(model.clone()),
        None => tool.model(&inputs[0]).map_err(ImportError::of(&inputs[0]))?,
    };
    let known = ImportOptions { model, block_bytes: asked.block_bytes.or(Some(512)), ..asked.clone() };
    match (&known.model, known.capacity_bytes) {
        (Some(_), Some(_)) => {}
        (Some(model), None) if asked.model.is_none() => {
            return lacks(&format!(
                "it names the model {model:?} and no capacity: add --capacity, or --identity with what smartctl --json -x /dev/DISK printed"
            ));
        }
        _ => {
            return lacks(
                "nothing says which drive it was: give --identity with what smartctl --json -x /dev/DISK printed, or --model and --capacity",
            );
        }
    }
    let device = smartctl::device(&Value::Null, &known).map_err(ImportError::of(&inputs[0]))?;
    Ok((Value::Null, device))
}

/// What is no drive's is refused for that first: telling which drive it was, or whether it turns, would not help. `None` where the
/// files may be of some drive.
fn no_drives(tool: Tool, inputs: &[Input], identity: Option<&Input>, asked: &ImportOptions) -> Option<ImportError> {
    let turning = ImportOptions { rotational: Some(true), ..asked.clone() };
    if let Ok((_, device)) = identity_of(tool, inputs, identity, &turning) {
        return tool.import(inputs, &ImportContext { device: &device, asked }).err();
    }
    // Any drive will do: only what its device's name says counts.
    let any = ImportOptions {
        model: Some("any".to_owned()),
        capacity_bytes: Some(1 << 50),
        block_bytes: Some(512),
        ..turning
    };
    let device = smartctl::device(&Value::Null, &any).ok()?;
    let error = tool.import(inputs, &ImportContext { device: &device, asked }).err()?;
    node::decides(&error.why).then_some(error)
}

/// The document of one tool's files, and of the drive that `identity` (what smartctl or diskinfo printed) or `asked` describes.
/// Errors: [`ImportError`] names the file, what is wrong with it, and what to do.
pub fn document(
    tool: Tool,
    inputs: &[Input],
    identity: Option<&Input>,
    asked: &ImportOptions,
) -> Result<RunDocument, ImportError> {
    let (facts, device) = match identity_of(tool, inputs, identity, asked) {
        Ok(found) => found,
        Err(lack) => return Err(no_drives(tool, inputs, identity, asked).unwrap_or(lack)),
    };
    let mut taken = tool.import(inputs, &ImportContext { device: &device, asked })?;
    taken.remarks.extend(inputs.iter().flat_map(|input| tool.beside(input)));
    let mut files: Vec<_> = inputs.iter().map(|input| file_of(input, tool.format_of(input))).collect();
    files.extend(identity.map(|input| file_of(input, smartctl::format_of(input))));
    let mut remarks = taken.remarks;
    remarks.extend(smartctl::remarks(&facts, &device, &tool.to_string(), asked.model.is_none()));
    Ok(RunDocument {
        challenge: None,
        schema: SCHEMA.to_owned(),
        run_id: uuid::Uuid::now_v7().to_string(),
        created_at: timestamp(Timestamp::now()),
        provenance: Provenance::Imported,
        license: asked.license.clone(),
        imported: Some(Imported {
            tool: tool.to_string(),
            tool_version: taken.tool_version.map(|version| printable(&version, 256)),
            measured_at: taken.measured_at,
            source: asked.source.as_deref().map(|source| printable(source, 256)).filter(|source| !source.is_empty()),
            files,
            remarks: printable_once(&remarks),
            in_browser: false,
        }),
        probe: Probe::this(),
        host: Host::default(),
        device,
        conditions: conditions(taken.writes),
        benchmarks: taken.benchmarks.into_iter().map(Benchmark::Measured).collect(),
    })
}

/// Nothing is known of how it was, but for whether the tool wrote.
fn conditions(writes: bool) -> Conditions {
    Conditions { writes: if writes { "destroy" } else { "none" }.to_owned(), ..Conditions::default() }
}

fn printable(text: &str, most: usize) -> String {
    text.chars().filter(|character| !character.is_control()).take(most).collect()
}

fn printable_once(remarks: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for remark in remarks.iter().map(|remark| printable(remark, REMARK_CHARACTERS_MOST)) {
        if !kept.contains(&remark) && kept.len() < REMARKS_MOST {
            kept.push(remark);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
