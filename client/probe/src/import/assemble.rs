//! From files to a document.

use jiff::Timestamp;

use super::smartctl::{self, Told};
use super::{ImportContext, ImportError, Input, Tool, file_of};
use crate::report::document::{
    Benchmark, Conditions, Host, Imported, Manufacture, Probe, Provenance, RunDocument, SCHEMA, timestamp,
};

/// A document has room for so many remarks, and nobody reads more.
const REMARKS_MOST: usize = 256;
const REMARK_CHARACTERS_MOST: usize = 1000;

/// What a person asks for and adds.
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
    let told = Told {
        rotational: asked.rotational,
        manufacture: asked.manufacture.clone(),
        batch_label: asked.batch_label.clone(),
    };
    let device = smartctl::device(identity, &told)?;
    let taken = tool.import(inputs, &ImportContext { device: &device, offset_gib: asked.offset_gib })?;
    let mut files: Vec<_> = inputs.iter().map(|input| file_of(input, tool.format_of(input))).collect();
    files.push(file_of(identity, "smartctl-json"));
    let mut remarks = taken.remarks;
    if let Some(version) = smartctl::version(identity) {
        remarks.push(format!("The drive's identity is that of smartctl {version}; its caches stood as it says when smartctl ran, not while {} measured.", tool.name()));
    }
    Ok(RunDocument {
        schema: SCHEMA.to_owned(),
        run_id: uuid::Uuid::now_v7().to_string(),
        created_at: timestamp(Timestamp::now()),
        provenance: Provenance::Imported,
        license: asked.license.clone(),
        imported: Some(Imported {
            tool: tool.name().to_owned(),
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
    Conditions {
        writes: if writes { "destroy" } else { "none" }.to_owned(),
        write_cache_before: None,
        write_cache_during: None,
        write_cache_after: None,
        look_ahead_before: None,
        look_ahead_during: None,
        look_ahead_after: None,
        foreign_requests: None,
        load_average_1min: None,
        temperature_before_celsius: None,
        temperature_after_celsius: None,
        interrupted: false,
        interruptions: Vec::new(),
        disturbances: Vec::new(),
        cpu_khz: None,
        load_average_most: None,
    }
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
