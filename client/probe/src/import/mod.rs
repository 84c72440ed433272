//! Reads what other tools printed into a run document that says so. Parsers take bytes, never panic, and give nothing that the
//! output does not carry: what is left out stands as a sentence among the remarks.

mod figures;
mod fio;
mod hdparm;
mod hdtune;
mod smartctl;
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
    /// JSON (json or json+), with latency logs
    Fio,
    /// hdparm -t
    Hdparm,
    /// HD Tune's benchmark as text
    #[value(name = "hdtune")]
    HdTune,
    /// zcav of bonnie++
    Zcav,
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
    /// For tools whose output does not say where they read.
    offset_gib: Option<u64>,
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
    /// Whose output a file is, by what only that tool prints.
    pub fn of(input: &Input) -> Option<Self> {
        let text = String::from_utf8_lossy(&input.bytes);
        if text.contains("\"fio version\"") || fio::is_log(input) {
            Some(Self::Fio)
        } else if text.contains("disk reads") && text.contains("Timing ") {
            Some(Self::Hdparm)
        } else if text.contains("HD Tune") || text.contains("Transfer Rate Average") {
            Some(Self::HdTune)
        } else if text.contains("#block ") {
            Some(Self::Zcav)
        } else {
            None
        }
    }

    /// The one tool whose output all files are.
    /// Errors: a file of no known form, or of another tool than the first.
    pub fn of_all(inputs: &[Input]) -> Result<Self, ImportError> {
        let mut found = None;
        for input in inputs {
            let tool = Self::of(input).ok_or_else(|| {
                ImportError::new(
                    input,
                    "this is no output of fio (JSON), hdparm -t, HD Tune (text) or zcav as far as it can be told; name the tool with --from, or give the whole output",
                )
            })?;
            if found.is_some_and(|first| first != tool) {
                let words = format!("this is {tool} output beside another tool's; import each tool by itself");
                return Err(ImportError::new(input, words));
            }
            found = Some(tool);
        }
        found.ok_or_else(|| ImportError { file: "import".to_owned(), why: "no file was named".to_owned() })
    }

    fn format_of(self, input: &Input) -> &'static str {
        match self {
            Self::Fio if fio::is_log(input) => "fio-lat-log",
            Self::Fio => "fio-json",
            Self::Hdparm => "hdparm-text",
            Self::HdTune => "hdtune-text",
            Self::Zcav => "zcav-text",
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
        }
    }
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
    pub offset_gib: Option<u64>,
    pub rotational: Option<bool>,
    pub manufacture: Option<Manufacture>,
    pub batch_label: Option<String>,
    pub license: Option<String>,
}

/// The document of one tool's files, and of the drive that `identity` (smartctl's JSON) describes.
/// Errors: [`ImportError`] names the file, what is wrong with it, and what to do.
pub fn document(
    tool: Tool,
    inputs: &[Input],
    identity: &Input,
    asked: &ImportOptions,
) -> Result<RunDocument, ImportError> {
    let device = smartctl::device(identity, asked)?;
    let taken = tool.import(inputs, &ImportContext { device: &device, offset_gib: asked.offset_gib })?;
    let mut files: Vec<_> = inputs.iter().map(|input| file_of(input, tool.format_of(input))).collect();
    files.push(file_of(identity, "smartctl-json"));
    let mut remarks = taken.remarks;
    if let Some(version) = smartctl::version(identity) {
        remarks.push(format!("The drive's identity is that of smartctl {version}; its caches stood as it says when smartctl ran, not while {tool} measured."));
    }
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
            files,
            remarks: printable_once(&remarks),
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
