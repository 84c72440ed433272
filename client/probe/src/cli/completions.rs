//! `diskatlas completions`: what a shell needs to complete the probe's command line, made from the same definitions that parse it.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::{Cli, Status};

/// Print the completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Where they go:
  bash  diskatlas completions bash > ~/.local/share/bash-completion/completions/diskatlas
  zsh   diskatlas completions zsh > \"${fpath[1]}/_diskatlas\"
  fish  diskatlas completions fish > ~/.config/fish/completions/diskatlas.fish")]
pub struct Args {
    /// The shell that is to complete
    #[arg(value_enum)]
    shell: Shell,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    // `generate` panics where it can't write, so it writes into memory.
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "diskatlas", &mut script);
    stdout.write_all(&script)?;
    Ok(Status::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::definitions::{commands, options};

    fn script(shell: Shell) -> String {
        let mut stdout = Vec::new();
        execute(&Args { shell }, &mut stdout).expect("a vector takes all");
        String::from_utf8(stdout).expect("a script is text")
    }

    #[test]
    fn every_command_and_every_option_can_be_completed_in_every_shell() {
        for (shell, dashes) in [(Shell::Bash, "--"), (Shell::Zsh, "--"), (Shell::Fish, "-l ")] {
            let script = script(shell);
            for command in commands() {
                let name = command.get_name();
                assert!(script.contains(name), "{shell}: {name} is not completed");
                for option in options(&command) {
                    assert!(script.contains(&format!("{dashes}{option}")), "{shell}: {name} --{option}");
                }
            }
        }
    }

    #[test]
    fn the_values_of_an_option_can_be_completed() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = script(shell);
            assert!(script.contains("preserve") && script.contains("CC-BY-4.0"), "{shell}");
        }
    }
}
