use super::*;
use crate::device::Device;

#[test]
fn every_named_drive_opens() {
    assert_eq!(names().len(), 13);
    for name in names() {
        let drive = open(&format!("{name},noise=off,seed=1")).unwrap_or_else(|error| panic!("{error}"));
        assert!(drive.geometry().capacity_blocks() > 100_000, "{name}");
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_names_there_are() {
    let message = open("ibm-ultrastar").unwrap_err().to_string();
    assert!(message.contains("'ibm-ultrastar'") && message.contains("ibm-ultrastar-xp"), "{message}");
}

#[test]
fn an_unknown_option_is_answered_with_the_options_there_are() {
    for text in ["hp-97560,nosie=off", "hp-97560,noise=loud", "hp-97560,seed=x", "hp-97560,quiet"] {
        let message = open(text).unwrap_err().to_string();
        assert!(message.contains("noise=off"), "{message}");
    }
}

#[test]
fn a_misspelt_name_is_answered_with_the_one_that_was_meant() {
    let message = open("segate-hawk").unwrap_err().to_string();
    assert!(message.contains("did you mean sim:seagate-hawk?"), "{message}");
    assert!(!open("nothing-like-it").unwrap_err().to_string().contains("did you mean"));
}
