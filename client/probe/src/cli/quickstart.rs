//! `diskatlas` alone: what to do next, for someone who has just downloaded it.

use std::io::{self, Write};

/// Prints the first screen. `root` is whether the person may read raw disks without more ado.
pub fn print(root: bool, stdout: &mut dyn Write) -> io::Result<()> {
    let sudo = if root { "" } else { "sudo " };
    writeln!(
        stdout,
        "\
diskatlas {version} measures what a disk is really like inside. It only reads, unless it is told otherwise, twice.

  {list:<46} the disks here, and whether each may be measured
  {plan:<46} what a run would do, and how long it takes
  {run:<46} measure one; Ctrl-C keeps what was measured
  {show:<46} see all that would be sent
  {submit:<46} send it to an archive

No disk to spare? This measures a simulated one, in seconds:

  diskatlas run sim:ibm-ultrastar-xp -o disk.run.json

diskatlas --help lists every command, diskatlas COMMAND --help its options, diskatlas man is the manual.",
        version = env!("CARGO_PKG_VERSION"),
        list = format!("{sudo}diskatlas list"),
        plan = "diskatlas plan /dev/sdX",
        run = format!("{sudo}diskatlas run /dev/sdX -o disk.run.json"),
        show = "diskatlas show disk.run.json",
        submit = "diskatlas submit disk.run.json --server URL",
    )
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    fn screen(root: bool) -> String {
        let mut stdout = Vec::new();
        print(root, &mut stdout).expect("a vector takes all");
        String::from_utf8(stdout).expect("words are text")
    }

    /// What a person would type from the screen: indented lines, without what is said beside them.
    fn examples(screen: &str) -> Vec<Vec<String>> {
        let lines = screen.lines().filter_map(|line| line.strip_prefix("  "));
        let typed = lines.map(|line| line.split("  ").next().unwrap_or_default().trim_start_matches("sudo "));
        typed.map(|line| line.split(' ').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn every_command_of_the_first_screen_can_be_typed_as_it_stands() {
        let examples = examples(&screen(false));
        assert!(examples.len() >= 5, "{examples:?}");
        for words in examples {
            let typed = words.iter().map(|word| word.replace("URL", "http://127.0.0.1:8000"));
            Cli::try_parse_from(typed).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        }
    }

    #[test]
    fn only_who_is_not_root_is_told_to_use_sudo() {
        assert!(screen(false).contains("  sudo diskatlas list") && !screen(true).contains("sudo"));
    }

    #[test]
    fn the_first_screen_fits_an_old_terminal() {
        let screen = screen(false);
        assert!(screen.lines().count() <= 20 && screen.lines().all(|line| line.chars().count() <= 120), "{screen}");
    }
}
