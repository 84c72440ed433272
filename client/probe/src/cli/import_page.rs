//! `diskatlas import-page`: what an archive's page for importing calls. It reads files of strangers from standard input and writes one
//! document without a signature, or why there is none, to standard output. Before the first byte is read it gives up what it has no
//! need of: it can then open no file, make no connection and start no process, and its memory and time are bounded.

use std::io::{self, Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::Deserialize;
use serde_json::json;

use super::Status;
use super::import::check;
use crate::import::{self, ImportError, ImportOptions, Input, Tool};
use crate::report::document::RunDocument;

#[derive(Debug, clap::Args)]
pub struct Args {}

/// What one may use: descriptors 0 to 2 are open already, so that a limit of 3 leaves none to open.
const LIMITS: [(Resource, u64); 6] = [
    (Resource::Nofile, 3),
    (Resource::Fsize, 0),
    (Resource::Core, 0),
    (Resource::Nproc, 0),
    (Resource::Cpu, 15),
    (Resource::As, 1 << 30),
];
/// As base64 in JSON; the page takes less.
const LARGEST_REQUEST_BYTES: u64 = 64 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    files: Vec<File>,
    model: Option<String>,
    capacity_bytes: Option<u64>,
    block_bytes: Option<u32>,
    rotational: Option<bool>,
    device: Option<String>,
    offset_gib: Option<u64>,
    source: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    base64: String,
}

pub fn execute(stdout: &mut dyn Write) -> anyhow::Result<Status> {
    for (resource, most) in LIMITS {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    let mut text = Vec::new();
    io::stdin().lock().take(LARGEST_REQUEST_BYTES).read_to_end(&mut text)?;
    let answer = match read(serde_json::from_slice(&text)?)? {
        Ok(document) => json!({"document": document}),
        Err(ImportError { file, why }) => json!({"refused": {"file": file, "why": why}}),
    };
    serde_json::to_writer(stdout, &answer)?;
    Ok(Status::Done)
}

fn read(request: Request) -> anyhow::Result<Result<RunDocument, ImportError>> {
    let decoded = |file: File| anyhow::Ok(Input { name: file.name, bytes: STANDARD.decode(file.base64)? });
    let files = request.files.into_iter().map(decoded).collect::<anyhow::Result<Vec<_>>>()?;
    let asked = ImportOptions {
        offset_gib: request.offset_gib,
        device: request.device,
        model: request.model,
        capacity_bytes: request.capacity_bytes,
        block_bytes: request.block_bytes,
        rotational: request.rotational,
        source: request.source,
        ..ImportOptions::default()
    };
    let made = import::split(files).and_then(|(outputs, identity)| {
        let tool = Tool::of_all(&outputs)?;
        import::document(tool, &outputs, identity.as_ref(), &asked)
    });
    let Ok(mut document) = made else { return Ok(made) };
    if let Some(imported) = &mut document.imported {
        imported.in_browser = true;
    }
    check(&document)?;
    Ok(Ok(document))
}
