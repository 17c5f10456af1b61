//! `man` and `completions`: the manual pages and the completion scripts, made from the command line's definition.

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
};

use anyhow::Context as _;
use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;

use super::help;

/// Flags of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder to write a page for each command to; without it, the program's page is printed
    dir: Option<PathBuf>,
}

/// Flags of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the program's page, or writes a page for each command.
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<()> {
    let command = help::command();
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        Man::new(command.disable_help_subcommand(true)).render(&mut page)?;
        return Ok(io::stdout().write_all(&page)?);
    };
    let cannot = || format!("cannot write the pages to {}", dir.display());
    fs::create_dir_all(dir).with_context(cannot)?;
    clap_mangen::generate_to(command, dir).with_context(cannot)
}

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut command = help::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    Ok(io::stdout().write_all(&script)?)
}
