//! Outputs that people have and that no reader takes: what each is, and what to give instead.

use super::{Input, text_of};

/// What only they hold, what they are, and why.
const NOT_CARRIED: [(&[&str], &str); 11] = [
    (&[";fio-", "\nfio-"], "fio's text without the result of a job; run fio with --output-format=json+ and give that"),
    (
        &["CrystalDiskMark"],
        "CrystalDiskMark's, which measures a file in a file system; measure the drive itself with diskatlas run, or fio on the whole device",
    ),
    (
        &["AS SSD Benchmark", "ATTO Disk Benchmark"],
        "of a program that measures files in a file system; measure the drive itself with diskatlas run, or fio on the whole device",
    ),
    (
        &["HD Tach", "h2benchw"],
        "of HD Tach or h2benchw, whose text is not known here; copy the text of HD Tune's benchmark, or measure with diskatlas run",
    ),
    (&["Iozone:"], "iozone's, which measures files in a file system; measure the drive itself with diskatlas run"),
    (&["Sequential Output"], "bonnie++'s, which measures files in a file system; give the output of its zcav"),
    (
        &["\"smartctl\"", "smartmontools"],
        "smartctl's, which says which drive it is and measures nothing; give it as --identity beside what a tool measured",
    ),
    (
        &["WinSAT", "Windows System Assessment"],
        "WinSAT's, which prints rates alone; measure the drive itself with diskatlas run",
    ),
    (
        &["Timing cached reads", "Timing buffer-cache reads", "Timing O_DIRECT cached reads"],
        "hdparm's timing of the machine's memory alone (-T); run hdparm -t --direct on the drive",
    ),
    (
        &["CrystalDiskInfo", "ATA device, with", "Model="],
        "what says which drive it is and measures nothing; give it beside what a tool measured, as smartctl --json -x or hdparm -I prints it",
    ),
    (
        &["seeks/second", "fileio", "KDiskMark", "gnome-disks"],
        "of a program whose numbers no kind carries; measure the drive itself with diskatlas run, or fio on the whole device",
    ),
];

/// What a file is that no reader takes, where that can be told.
pub fn reason(input: &Input) -> String {
    let text = text_of(&input.bytes).to_lowercase();
    if text.trim().is_empty() {
        return "it is empty: the tool printed nothing, or printed it elsewhere; give its whole output".to_owned();
    }
    let known = NOT_CARRIED.iter().find(|(words, _)| words.iter().any(|word| text.contains(&word.to_lowercase())));
    known.map_or_else(
        || "this is no output of fio (JSON), hdparm -t, HD Tune (text), zcav, diskinfo -t, dd or ioping as far as it can be told; name the tool with --from, or give the whole output".to_owned(),
        |(_, why)| format!("this is {why}"),
    )
}
