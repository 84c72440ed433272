//! `diskatlas man`: the manual page, made from the same definitions that parse the command line.
//!
//! One page tells of every command, so that a contributor installs one file.

use std::io::Write;

use clap::CommandFactory;
use clap_mangen::Man;

use super::{Cli, Status};

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(after_help = "To read it: diskatlas man > diskatlas.1 && man ./diskatlas.1")]
pub struct Args {}

pub fn execute(_args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let mut page = Vec::new();
    render(&mut page)?;
    stdout.write_all(&page)?;
    Ok(Status::Done)
}

fn render(page: &mut Vec<u8>) -> std::io::Result<()> {
    let mut command = Cli::command();
    command.build();
    let source = format!("diskatlas {}", env!("CARGO_PKG_VERSION"));
    let main = Man::new(command.clone()).source(source).manual("DiskAtlas");
    main.render_title(page)?;
    main.render_name_section(page)?;
    main.render_synopsis_section(page)?;
    main.render_description_section(page)?;
    main.render_options_section(page)?;
    writeln!(page, ".SH COMMANDS")?;
    for one in command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help") {
        section(one, page)?;
    }
    writeln!(page, ".SH \"EXIT STATUS\"\n{EXIT_STATUS}")?;
    main.render_version_section(page)
}

const EXIT_STATUS: &str = "\
0 when all went well, 1 when a measurement or an upload failed, the run was interrupted or nothing could be measured, \
2 when the command line makes no sense.";

/// One command below a heading of its own, its sections one level deeper than those of the page.
fn section(command: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let mut own = Vec::new();
    let man = Man::new(command.clone());
    man.render_synopsis_section(&mut own)?;
    man.render_description_section(&mut own)?;
    man.render_options_section(&mut own)?;
    if command.get_after_help().is_some() {
        man.render_extra_section(&mut own)?;
    }
    let own = String::from_utf8_lossy(&own).replace("\n.SH SYNOPSIS", "").replace("\n.SH DESCRIPTION", "\n.PP");
    let own = own.replace("\n.SH OPTIONS", "\n.PP").replace("\n.SH EXTRA", "\n.PP");
    writeln!(page, ".SS \"{}\"", command.get_bin_name().unwrap_or_else(|| command.get_name()))?;
    page.write_all(own.trim_start_matches(".SH SYNOPSIS").trim_start().as_bytes())?;
    for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
        section(one, page)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::definitions::{commands, options};

    fn page() -> String {
        let mut page = Vec::new();
        render(&mut page).expect("a vector takes all");
        String::from_utf8(page).expect("a page is text")
    }

    /// As roff writes it: a dash that is no hyphen is escaped.
    fn roff(text: &str) -> String {
        text.replace('-', "\\-")
    }

    #[test]
    fn every_command_has_its_heading_and_every_option_its_line() {
        let page = page();
        for command in commands() {
            let name = command.get_bin_name().expect("a built command has its whole name");
            let (heading, rest) = page.split_once(&format!(".SS \"{name}\"\n")).map_or(("", ""), |parts| parts);
            assert!(!heading.is_empty(), "{name} has no heading");
            let own = rest.split("\n.SS ").next().unwrap_or_default();
            for option in options(&command) {
                assert!(own.contains(&roff(&format!("--{option}"))), "{name} --{option} is not explained:\n{own}");
            }
        }
    }

    #[test]
    fn the_page_has_the_sections_that_readers_of_manuals_look_for() {
        let page = page();
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "VERSION"] {
            assert_eq!(page.matches(&format!("\n.SH {heading}\n")).count(), 1, "{heading}");
        }
        assert!(page.contains(".TH diskatlas 1"), "{}", &page[..200]);
        assert!(page.contains(env!("DISKATLAS_TARGET").split('-').next().expect("a target has a machine")));
    }
}
