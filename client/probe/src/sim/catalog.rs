//! The named drives, and what a person types after `sim:`.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::drive::SimulatedDrive;
use super::file::DriveFile;
use super::model::Model;
use super::noise::NoiseLevel;
use super::validate::model_from;
use crate::terminal::text;

/// One line per drive, in the order of Skippy's Table 2, then the later ones and Figure 3's.
const DRIVES: &[(&str, &str)] = &[
    ("seagate-hawk", include_str!("drives/seagate-hawk.toml")),
    ("seagate-barracuda", include_str!("drives/seagate-barracuda.toml")),
    ("micropolis-3391", include_str!("drives/micropolis-3391.toml")),
    ("ibm-ultrastar-xp", include_str!("drives/ibm-ultrastar-xp.toml")),
    ("ibm-9zx", include_str!("drives/ibm-9zx.toml")),
    ("quantum-fireball", include_str!("drives/quantum-fireball.toml")),
    ("ibm-dtta", include_str!("drives/ibm-dtta.toml")),
    ("hp-97560", include_str!("drives/hp-97560.toml")),
    ("dec-rz26", include_str!("drives/dec-rz26.toml")),
    ("samsung-hd103sj", include_str!("drives/samsung-hd103sj.toml")),
    ("seagate-st2000nm0001", include_str!("drives/seagate-st2000nm0001.toml")),
    ("modern-20tb", include_str!("drives/modern-20tb.toml")),
    ("mock-disk", include_str!("drives/mock-disk.toml")),
];

/// Why there is no simulated drive. Every message names the file and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    #[error(
        "no simulated drive is called '{name}'{}; there are {}, or give the path of a .toml file",
        meant(name),
        names().join(", ")
    )]
    UnknownName { name: String },
    #[error("'{option}' is not an option of a simulated drive; use noise=off, noise=default, noise=heavy or seed=N")]
    Option { option: String },
    #[error("can't read the drive file {}: {source}; check the path", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{file} is not a drive file: {message}; compare it with a file in client/probe/src/sim/drives")]
    Parse { file: String, message: String },
    #[error("{file}: {key}: {message}")]
    Invalid { file: String, key: String, message: String },
}

/// The names that `open` knows.
pub fn names() -> Vec<&'static str> {
    DRIVES.iter().map(|(name, _)| *name).collect()
}

/// The drive that was probably meant, as the middle of a sentence.
fn meant(name: &str) -> String {
    text::nearest(name, names()).map(|near| format!("; did you mean sim:{near}?")).unwrap_or_default()
}

/// Opens `NAME[,noise=off|default|heavy][,seed=N]` or `path/to/file.toml[,...]`, as it stands after `sim:`.
///
/// Noise is `default` and the seed 1 where they are left out.
/// Errors: [`SimError`] on an unknown name or option, and on a file that can't be read, parsed or believed.
pub fn open(spec: &str) -> Result<SimulatedDrive, SimError> {
    let (name, options) = spec.split_once(',').map_or((spec, None), |(name, options)| (name, Some(options)));
    let mut model = load(name)?;
    let (level, seed) = parse_options(options)?;
    if let Some(spindle) = &mut model.spindle {
        spindle.seed = seed;
    }
    Ok(SimulatedDrive::new(Arc::new(model), level, seed))
}

/// The seed of a drive as `open` takes it.
/// Errors: as `open` on an unknown option; whether there is such a drive is not looked at.
pub fn seed(spec: &str) -> Result<u64, SimError> {
    parse_options(spec.split_once(',').map(|(_, options)| options)).map(|(_, seed)| seed)
}

fn parse_options(options: Option<&str>) -> Result<(NoiseLevel, u64), SimError> {
    let (mut level, mut seed) = (NoiseLevel::Default, 1);
    for option in options.into_iter().flat_map(|options| options.split(',')) {
        let unknown = || SimError::Option { option: option.to_owned() };
        match option.split_once('=').ok_or_else(unknown)? {
            ("noise", "off") => level = NoiseLevel::Off,
            ("noise", "default") => level = NoiseLevel::Default,
            ("noise", "heavy") => level = NoiseLevel::Heavy,
            ("seed", number) => seed = number.parse().map_err(|_| unknown())?,
            _ => return Err(unknown()),
        }
    }
    Ok((level, seed))
}

fn load(name: &str) -> Result<Model, SimError> {
    if let Some((name, content)) = DRIVES.iter().find(|(known, _)| *known == name) {
        return parse(&format!("{name}.toml"), name, content);
    }
    let path = PathBuf::from(name);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(SimError::UnknownName { name: name.to_owned() });
    }
    let text = fs::read_to_string(&path).map_err(|source| SimError::Read { path: path.clone(), source })?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    parse(name, &stem, &text)
}

/// Reads the text of a drive file; `file` is what messages call it.
pub(super) fn parse(file: &str, name: &str, text: &str) -> Result<Model, SimError> {
    let drive: DriveFile = toml::from_str(text).map_err(|error| SimError::Parse {
        file: file.to_owned(),
        message: error.to_string().trim_end().replace('\n', "\n  "),
    })?;
    model_from(name, &drive).map_err(|problem| SimError::Invalid {
        file: file.to_owned(),
        key: problem.key,
        message: problem.message,
    })
}

#[cfg(test)]
mod tests;
