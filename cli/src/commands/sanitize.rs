//! `sanitize`: takes secrets and personal data out of a text, or says where they stand. It needs no
//! server; of the configuration it reads the user's own rules and allow list alone.

mod difference;
mod filter;
mod report;
#[cfg(test)]
mod tests;

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use recall_kit_client::ConfiguredSanitizer;
use recall_kit_sanitizer::{RuleGroup, Sanitized, Sanitizer, summary};
use serde_json::json;

use crate::{
    args::{GlobalArgs, ReportFormat, SanitizeArgs},
    diagnostics::{self, Complaint},
    printer::Printer,
    words::list_removed,
};

/// The largest text that is taken as a whole, in bytes.
const MAX_TEXT: u64 = 1 << 30;

/// What stands for stdin, on the command line and in reports.
const STDIN: &str = "-";

pub(crate) fn run(
    global: &GlobalArgs,
    args: &SanitizeArgs,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    let sanitizer: ConfiguredSanitizer = global.load_sanitizer()?;
    let rules = Rules {
        sanitizer: sanitizer.rules(),
        groups: match args.rules.as_slice() {
            [] => &RuleGroup::REMOVAL,
            groups => groups,
        },
    };
    let format = match (args.report, printer.is_json()) {
        (Some(format), _) => Some(format),
        (None, true) if args.check => Some(ReportFormat::Json),
        (None, _) => args.check.then_some(ReportFormat::Text),
    };
    match (args.files.as_slice(), format) {
        (files, Some(format)) => report(files, &rules, args.check, format, printer),
        ([_, _, ..], None) => Err(anyhow::Error::new(Complaint::Usage {
            message: "the sanitized text of several files cannot go to one output".to_owned(),
            hint: "name one file, or use --check or --report to look at several",
        })),
        (files, None) => {
            let file = files.first().map_or(Path::new(STDIN), PathBuf::as_path);
            match args.json_lines {
                true => filter::run(open(file)?, &rules)?,
                false => sanitize_text(file, &rules, printer)?,
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The rules and those groups of them that apply.
#[derive(Clone, Copy)]
struct Rules<'a> {
    sanitizer: &'a Sanitizer,
    groups: &'a [RuleGroup],
}

impl Rules<'_> {
    fn sanitize(&self, text: &str) -> Sanitized {
        self.sanitizer.sanitize(text, self.groups)
    }
}

fn sanitize_text(file: &Path, rules: &Rules<'_>, printer: &Printer) -> anyhow::Result<()> {
    if file == Path::new(STDIN) && io::stdin().is_terminal() {
        printer.talk("type or paste a text, then press Ctrl-D on a line of its own");
    }
    let text = read(file)?;
    let clean = rules.sanitize(&text);
    match printer.is_json() {
        true => printer.json(&json!({"text": clean.text, "findings": clean.findings}))?,
        false => printer.raw(&clean.text)?,
    }
    // What goes is shown to a person at a terminal, never to a log.
    if io::stderr().is_terminal() && !clean.findings.is_empty() {
        printer.talk(&format!("\n{}", difference::show(&text, &clean)));
    }
    printer.talk(&found(&summary(&clean.findings)));
    Ok(())
}

/// Says where something stands in each file. A file that cannot be judged is an error, and the
/// others are looked at all the same.
fn report(
    files: &[PathBuf],
    rules: &Rules<'_>,
    fails_on_findings: bool,
    format: ReportFormat,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    let stdin = [PathBuf::from(STDIN)];
    let files = if files.is_empty() { &stdin } else { files };
    let mut report = report::Report::default();
    let mut all_read = true;
    for file in files {
        match read(file) {
            Ok(text) => {
                let clean = rules.sanitize(&text);
                report.add(&file.display().to_string(), &text, clean.findings);
            }
            Err(error) => {
                all_read = false;
                diagnostics::describe(printer, &error);
            }
        }
    }
    match format {
        ReportFormat::Json => printer.json(&report)?,
        ReportFormat::Text => printer.raw(&report.lines())?,
    }
    printer.talk(&found(&report.counts()));
    Ok(
        match all_read && !(fails_on_findings && report.has_findings()) {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        },
    )
}

fn found(counts: &[(String, usize)]) -> String {
    match counts {
        [] => "found nothing".to_owned(),
        counts => format!("found {}", list_removed(counts)),
    }
}

fn open(file: &Path) -> anyhow::Result<Box<dyn Read>> {
    if file == Path::new(STDIN) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let opened = File::open(file);
    let opened = opened.with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Box::new(opened))
}

fn read(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut input = open(file)?.take(MAX_TEXT + 1);
    let read = input.read_to_string(&mut text);
    let read = read.map_err(|error| unreadable(file, error))?;
    anyhow::ensure!(
        u64::try_from(read).is_ok_and(|read| read <= MAX_TEXT),
        "cannot take {}: it is larger than {MAX_TEXT} bytes; split it",
        name(file)
    );
    Ok(text)
}

fn name(file: &Path) -> String {
    match file == Path::new(STDIN) {
        true => "the text".to_owned(),
        false => file.display().to_string(),
    }
}

fn unreadable(file: &Path, error: io::Error) -> anyhow::Error {
    let what = match error.kind() {
        io::ErrorKind::InvalidData => "; it has to be UTF-8",
        _ => "",
    };
    anyhow::Error::new(error).context(format!("cannot read {}{what}", name(file)))
}
