//! `man`: prints or writes the manual pages of the program and of each command.

use std::fs;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::{
    args::{Args, ManArgs},
    terminal::printer::Printer,
};

pub(crate) fn run(args: &ManArgs, printer: &Printer) -> anyhow::Result<()> {
    let command = Args::command();
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        Man::new(command.disable_help_subcommand(true)).render(&mut page)?;
        printer.raw(&String::from_utf8(page)?)?;
        return Ok(());
    };
    let cannot = || format!("cannot write the pages to {}", dir.display());
    fs::create_dir_all(dir).with_context(cannot)?;
    clap_mangen::generate_to(command, dir).with_context(cannot)
}
