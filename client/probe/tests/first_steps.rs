//! What someone sees who types something for the first time, or types it wrongly.

mod support;

use support::{Home, outcome};

#[test]
fn the_bare_command_says_what_to_do_next() {
    let home = Home::new();
    let (code, stdout, stderr) = outcome(&mut home.probe(&[]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    for words in ["diskatlas list", "diskatlas run /dev/sdX", "diskatlas show", "diskatlas submit", "sim:"] {
        assert!(stdout.contains(words), "{words} is not in\n{stdout}");
    }
}

/// What is said on standard error about a call that can't be carried out as it was typed.
fn complaint(arguments: &[&str]) -> String {
    let home = Home::new();
    let (code, stdout, stderr) = outcome(&mut home.probe(arguments));
    assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
    stderr
}

#[test]
fn a_misspelt_simulated_drive_is_answered_with_the_right_one() {
    assert!(complaint(&["run", "sim:segate-hawk"]).contains("did you mean sim:seagate-hawk?"));
    assert!(complaint(&["run", "seagate-hawk"]).contains("did you mean sim:seagate-hawk?"));
}

#[test]
fn a_device_that_is_like_nothing_here_is_answered_with_where_to_look() {
    let stderr = complaint(&["run", "/dev/no-disk-is-called-that"]);
    assert!(stderr.contains("there is no device") && stderr.contains("diskatlas list"), "{stderr}");
}

#[test]
fn a_misspelt_kind_is_answered_with_the_right_one() {
    let stderr = complaint(&["run", "sim:hp-97560", "--only", "skipy"]);
    assert!(stderr.contains("'skipy'") && stderr.contains("a similar value exists: 'skippy'"), "{stderr}");
}

#[test]
fn a_misspelt_command_and_a_misspelt_option_are_answered_with_the_right_ones() {
    assert!(complaint(&["lst"]).contains("'list'"));
    assert!(complaint(&["run", "sim:hp-97560", "--write", "none"]).contains("'--writes'"));
}

#[test]
fn the_version_names_version_target_and_commit() {
    let home = Home::new();
    let (code, stdout, _) = outcome(&mut home.probe(&["--version"]));
    let target = stdout.split_once(" (").and_then(|(_, rest)| rest.split_once(", commit "));
    let (target, commit) = target.expect("target and commit stand in brackets");
    let commit = commit.trim_end().trim_end_matches(')');
    assert_eq!(code, 0);
    assert!(stdout.starts_with(concat!("diskatlas ", env!("CARGO_PKG_VERSION"), " (")), "{stdout}");
    assert!(target.contains("-linux-") && target.split('-').count() == 4, "{target}");
    assert!(commit == "unknown" || commit.len() == 40 && commit.chars().all(|one| one.is_ascii_hexdigit()), "{commit}");
}

#[test]
fn completions_and_the_manual_go_to_standard_output() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        let (code, stdout, stderr) = outcome(&mut home.probe(&["completions", shell]));
        assert_eq!((code, stderr.as_str()), (0, ""));
        assert!(stdout.contains("diskatlas") && stdout.lines().count() > 50, "{shell}");
    }
    let (code, stdout, stderr) = outcome(&mut home.probe(&["man"]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains(".TH diskatlas 1"), "{stdout}");
}
