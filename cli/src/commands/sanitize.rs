//! `sanitize`: a filter that takes secrets and personal data out of text. It needs no
//! configuration and no server.

#[cfg(test)]
mod tests;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
};

use anyhow::{Context as _, anyhow};
use recall_kit_sanitizer::{RuleGroup, sanitize, summary};
use serde::{Deserialize, Serialize};
use serde_json::{Value, error::Category, json};

use crate::{args::SanitizeArgs, printer::Printer, words::list_removed};

pub(crate) fn run(args: &SanitizeArgs, printer: &Printer) -> anyhow::Result<()> {
    let groups = match args.rules.as_slice() {
        [] => &RuleGroup::REMOVAL,
        rules => rules,
    };
    let input = open(args.file.as_deref())?;
    match args.json_lines {
        true => filter_lines(input, groups),
        false => sanitize_text(input, groups, printer),
    }
}

fn open(file: Option<&Path>) -> anyhow::Result<Box<dyn BufRead>> {
    match file.filter(|file| *file != Path::new("-")) {
        None => Ok(Box::new(io::stdin().lock())),
        Some(file) => {
            let opened = File::open(file);
            let opened = opened.with_context(|| format!("cannot read {}", file.display()))?;
            Ok(Box::new(BufReader::new(opened)))
        }
    }
}

fn sanitize_text(
    mut input: impl Read,
    groups: &[RuleGroup],
    printer: &Printer,
) -> anyhow::Result<()> {
    let mut text = String::new();
    input.read_to_string(&mut text).map_err(unreadable)?;
    let sanitized = sanitize(&text, groups);
    match printer.is_json() {
        true => printer.json(&json!({"text": sanitized.text, "findings": sanitized.findings}))?,
        false => printer.raw(&sanitized.text)?,
    }
    printer.talk(&match sanitized.findings.as_slice() {
        [] => "found nothing".to_owned(),
        findings => format!("found {}", list_removed(&summary(findings))),
    });
    Ok(())
}

fn unreadable(error: io::Error) -> anyhow::Error {
    let what = match error.kind() {
        io::ErrorKind::InvalidData => "cannot read the text; it has to be UTF-8",
        _ => "cannot read the text",
    };
    anyhow::Error::new(error).context(what)
}

/// A line of the filter's input.
#[derive(Debug, Deserialize)]
struct LineIn {
    /// Comes back unchanged.
    id: Value,
    text: String,
    /// Stands in for `--rules` on this line.
    #[serde(default)]
    rules: Option<Vec<RuleGroup>>,
}

/// A line of the filter's output.
#[derive(Debug, Serialize)]
struct LineOut {
    id: Value,
    text: String,
}

/// Reads one line of input. An error repeats nothing of it: it may carry the very secrets that are
/// to be removed.
fn line_of(line: &str, number: u64) -> anyhow::Result<LineIn> {
    serde_json::from_str(line).map_err(|error| {
        let what = match error.classify() {
            Category::Data => "a missing or unsuitable value",
            Category::Syntax => "wrong syntax",
            Category::Eof | Category::Io => "an early end",
        };
        let column = error.column();
        anyhow!("line {number} is not {{\"id\", \"text\", \"rules\"?}}: {what} at column {column}")
    })
}

/// Answers line by line, so that another program may keep it running.
fn filter_lines(input: impl BufRead, groups: &[RuleGroup]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    for (number, line) in (1..).zip(input.lines()) {
        let line = line.with_context(|| format!("line {number} cannot be read"))?;
        if line.trim().is_empty() {
            continue;
        }
        let line = line_of(&line, number)?;
        let groups = line.rules.as_deref().unwrap_or(groups);
        let answer = LineOut {
            text: sanitize(&line.text, groups).text,
            id: line.id,
        };
        let mut answer = serde_json::to_string(&answer)?;
        answer.push('\n');
        stdout.write_all(answer.as_bytes())?;
        stdout.flush()?;
    }
    Ok(())
}
