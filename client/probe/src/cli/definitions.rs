//! The commands and options as clap holds them, for tests that walk over all of them.

use clap::{Command, CommandFactory};

use super::Cli;

/// Every command that a person can call, with those below it; `help` is clap's own.
pub fn commands() -> Vec<Command> {
    let mut root = Cli::command();
    root.build();
    below(&root)
}

fn below(command: &Command) -> Vec<Command> {
    let own = command.get_subcommands().filter(|one| one.get_name() != "help" && !one.is_hide_set());
    own.flat_map(|one| [vec![one.clone()], below(one)].concat()).collect()
}

/// The long names of a command's options, without clap's own.
pub fn options(command: &Command) -> Vec<String> {
    let arguments = command.get_arguments().filter(|one| !one.is_hide_set());
    arguments.filter_map(|one| one.get_long().map(str::to_owned)).collect()
}
