//! The rooms of the crate use each other in one direction only.

use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up: each room uses only those before it.
const ROOMS: [&str; 14] = [
    "report",
    "stats",
    "terminal",
    "identify",
    "device",
    "sim",
    "safety",
    "session",
    "kinds",
    "run",
    "import",
    "submit",
    "transparency",
    "cli",
];

/// Belongs to no room: what ties them together, and the development tool.
const OUTSIDE: [&str; 3] = ["lib.rs", "main.rs", "bin"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The rooms that a text names behind `crate::`, comments and the tests at its end left out.
fn used(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = code.split("#[cfg(test)]\npub(crate) mod tests {").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let behind = lines.flat_map(|line| line.split("crate::").skip(1).map(str::to_owned).collect::<Vec<_>>());
    behind
        .map(|rest| rest.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next().unwrap().to_owned())
        .collect()
}

/// What breaks the order in one file, as sentences.
fn broken(room: &str, file: &str, text: &str) -> Vec<String> {
    let at = |name: &str| ROOMS.iter().position(|room| *room == name);
    // `crate::{a, b}` names none: each room is to stand behind a `crate::` of its own.
    let later = |name: &String| name.is_empty() || at(name).is_some_and(|used| Some(used) > at(room));
    used(text)
        .into_iter()
        .filter(later)
        .map(|name| format!("{file} uses crate::{name}, which stands above {room}"))
        .collect()
}

#[test]
fn every_room_uses_only_those_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut problems = Vec::new();
    for path in files {
        let relative = path.strip_prefix(&root).expect("below src");
        let first = relative.iter().next().expect("a name").to_string_lossy().into_owned();
        let is_test = ["tests.rs", "fake.rs"].iter().any(|name| path.ends_with(name));
        if OUTSIDE.contains(&first.as_str()) || is_test {
            continue;
        }
        let home = first.trim_end_matches(".rs");
        if !ROOMS.contains(&home) {
            problems.push(format!("{home} has no place in the order of rooms"));
        }
        problems.extend(broken(home, &relative.display().to_string(), &fs::read_to_string(&path).expect("a source")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_use_of_a_room_above_is_found_wherever_it_stands() {
    let found = |text: &str| broken("run", "run/x.rs", text).len();
    assert_eq!(found("use crate::cli::say;\nfn a() { crate::cli::b(); }\n"), 2);
    assert_eq!(found("use crate::{kinds, cli};\n"), 1, "braces hide what is used");
    assert_eq!(found("use crate::device::Device; // crate::cli\n"), 0);
    assert_eq!(found("#[cfg(test)]\nmod tests {\n    use crate::cli::say;\n}\n"), 0);
}
