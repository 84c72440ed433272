//! The contributor's consent: under which licence a result is given away. Without it nothing is sent.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use super::{UsageError, load_or_create_key};
use crate::report::content::Content;
use crate::report::document::PAYLOAD_TYPE;
use crate::report::envelope::{Verified, seal};
use crate::report::save;
use crate::terminal::say;

/// SPDX identifiers that an archive takes, and what they mean.
pub const LICENSES: [(&str, &str); 2] = [
    ("CC0-1.0", "anyone may use it for anything"),
    ("CC-BY-4.0", "anyone may use it for anything, and names your key as its source"),
];

/// How a document says that no licence was given; this is how the probe writes it.
const NO_LICENSE: &[u8] = br#""license":null"#;

/// For a run that is to be sent: asked before hours of measuring, so that nobody has to be there at their end. Where nobody can
/// be asked it is measured all the same, and not sent.
/// Errors: [`UsageError`] where the person gives nothing away.
pub fn ask_before_run(given: Option<String>) -> Result<Option<String>, UsageError> {
    if given.is_some() || !io::stdin().is_terminal() {
        return Ok(given);
    }
    let refused = || UsageError("nothing is sent without a licence: choose one, or leave --submit out".to_owned());
    ask().map(Some).ok_or_else(refused)
}

/// What a person answers to the question, or `None` where nobody can be asked or nothing is given away.
pub fn ask() -> Option<String> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return None;
    }
    say!("An archive publishes what it is sent. Under which licence do you give this result away?");
    for (number, (license, meaning)) in (1..).zip(LICENSES) {
        say!("  {number}  {license:<10} {meaning}");
    }
    say!("Type 1 or 2; anything else sends nothing:");
    let mut line = String::new();
    stdin.lock().read_line(&mut line).ok()?;
    answer(&line)
}

/// A number of the list, or the identifier itself.
fn answer(line: &str) -> Option<String> {
    let line = line.trim();
    let chosen = |(number, (license, _)): &(usize, (&str, &str))| {
        line == number.to_string() || line.eq_ignore_ascii_case(license)
    };
    (1..).zip(LICENSES).find(chosen).map(|(_, (license, _))| license.to_owned())
}

/// The envelope as it may be sent. One without a licence gets the one that is given or asked for: it is signed again with
/// the same key and takes the file's place.
/// Errors: [`UsageError`] where there is no consent, or another licence stands in the document already.
pub fn ensure_license(
    file: &Path,
    envelope: Vec<u8>,
    verified: &Verified,
    given: Option<&str>,
) -> anyhow::Result<Vec<u8>> {
    let Some(place) = find(verified.payload(), NO_LICENSE) else {
        return refuse_another(verified, given).map(|()| envelope);
    };
    let Some(license) = given.map(str::to_owned).or_else(ask) else {
        let file = file.display();
        return Err(UsageError(format!(
            "{file} was not sent: no licence is given for it. Choose one: diskatlas submit {file} --server URL --license CC0-1.0 (or CC-BY-4.0)"
        ))
        .into());
    };
    if file == Path::new("-") {
        let words = "a licence can't be put into standard input, as the file has to stay what is sent; name the file";
        return Err(UsageError(words.to_owned()).into());
    }
    let key = load_or_create_key()?;
    if key.keyid() != verified.keyid {
        return Err(UsageError(format!(
            "{} was signed with the key {}, and only that key can give it away; yours is {}. Submit as the user who measured (sudo has a key of its own), or name that key's file in DISKATLAS_KEY",
            file.display(),
            verified.keyid,
            key.keyid()
        ))
        .into());
    }
    drop(envelope);
    let payload = WithLicense { payload: verified.payload(), place, license: &license };
    let sealed = seal(PAYLOAD_TYPE, payload, &key)?;
    let saved = save::save(file, &sealed)?;
    if let Some(why) = saved.instead_because {
        say!("warning: {why}; what is sent lies in {} instead", saved.path.display());
    }
    say!("given away under {license}, and signed again");
    Ok(sealed.to_vec()?)
}

/// A document's licence is said once.
fn refuse_another(verified: &Verified, given: Option<&str>) -> anyhow::Result<()> {
    #[derive(Default, serde::Deserialize)]
    struct Stated {
        license: Option<String>,
    }
    let document: Stated = serde_json::from_slice(verified.payload()).unwrap_or_default();
    match (document.license.as_deref(), given) {
        (Some(stated), Some(given)) if stated != given => Err(UsageError(format!(
            "the document is signed with the licence {stated} already, and that stays; leave --license out"
        ))
        .into()),
        _ => Ok(()),
    }
}

/// A payload with a licence where it said that there is none. Everything else stays as it was signed, byte for byte.
struct WithLicense<'a> {
    payload: &'a [u8],
    place: usize,
    license: &'a str,
}

impl Content for WithLicense<'_> {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.payload[..self.place])?;
        write!(out, "\"license\":\"{}\"", self.license)?;
        out.write_all(&self.payload[self.place + NO_LICENSE.len()..])
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_licence_that_was_offered_is_an_answer() {
        for (line, license) in [("1\n", "CC0-1.0"), (" 2 \n", "CC-BY-4.0"), ("cc0-1.0\n", "CC0-1.0")] {
            assert_eq!(answer(line).as_deref(), Some(license), "{line}");
        }
        for line in ["", "\n", "y\n", "3\n", "0\n", "CC"] {
            assert_eq!(answer(line), None, "{line}");
        }
    }

    #[test]
    fn a_licence_changes_nothing_else_of_what_was_signed() {
        let payload = br#"{"schema":"run/v1","license":null,"device":{"model":"\"license\":null"}}"#;
        let place = find(payload, NO_LICENSE).expect("the place");
        let changed = WithLicense { payload, place, license: "CC0-1.0" }.to_vec().expect("bytes");
        let expected = br#"{"schema":"run/v1","license":"CC0-1.0","device":{"model":"\"license\":null"}}"#;
        assert_eq!(changed, expected);
    }
}
