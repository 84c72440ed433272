//! Files as a person drops them all at once: what a tool measured and, among them, what says which drive it was.

use super::{ImportError, Input, Tool, smartctl, smartctl_text, text_of};

/// The tool's outputs, and the file that says which drive it was, where there is one.
/// Errors: several files say which drive it was.
pub fn split(inputs: Vec<Input>) -> Result<(Vec<Input>, Option<Input>), ImportError> {
    let (mut identities, outputs): (Vec<Input>, Vec<Input>) = inputs.into_iter().partition(is_identity);
    if identities.len() > 1 {
        let why = format!("this file and {} both say which drive it was; leave one out", identities[0].name);
        return Err(ImportError::new(&identities[1], why));
    }
    let identity = identities.pop();
    match identity {
        Some(identity) if outputs.is_empty() => {
            let why = "this says which drive it is, and nothing was measured here; add what a tool measured on it";
            Err(ImportError::new(&identity, why))
        }
        identity => Ok((outputs, identity)),
    }
}

/// A damaged one counts too, so that what is wrong with it is said.
fn is_identity(input: &Input) -> bool {
    let text = text_of(&input.bytes);
    Tool::of(input).is_none()
        && (smartctl_text::is_text(&text) || text.contains("\"smartctl\"") || smartctl::facts(input).is_ok())
}
