//! `sanitize`: removes secrets and personal data from a text, or reports where they are. It needs no server, and it
//! reads only the sanitizer's part of the configuration.

mod difference;
mod filter;
mod parts;
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
use parts::{Parts, Tally};
use recall_kit_client::ConfiguredSanitizer;
use recall_kit_sanitizer::{PART, RuleGroup, Sanitized, Sanitizer, Streamed};
use serde_json::json;

use crate::{
    args::{GlobalArgs, ReportFormat, SanitizeArgs},
    diagnostics::{self, Complaint},
    terminal::printer::{Printer, YELLOW, styled},
    words::{Words, filled},
};

/// The name of stdin, on the command line and in reports.
const STDIN: &str = "-";

pub(crate) fn run(
    global: &GlobalArgs,
    args: &SanitizeArgs,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    let sanitizer: ConfiguredSanitizer = global.load_sanitizer(printer)?;
    // `sanitizer.enabled` is ignored: the user has called the command explicitly.
    let configured = sanitizer.settings().rules.as_slice();
    let rules = Rules {
        sanitizer: sanitizer.rules(),
        groups: match (args.rules.as_slice(), configured) {
            ([], []) => &RuleGroup::REMOVAL,
            ([], groups) | (groups, _) => groups,
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
                true => filter::run(open(file)?, &rules).map(|()| ExitCode::SUCCESS),
                false => sanitize_text(file, &rules, printer),
            }
        }
    }
}

/// The rules, and the groups that apply.
#[derive(Clone, Copy)]
struct Rules<'a> {
    sanitizer: &'a Sanitizer,
    groups: &'a [RuleGroup],
}

/// Sanitizes a text of any size. Parts that could not be checked are written as far as possible, and the command
/// fails.
fn sanitize_text(file: &Path, rules: &Rules<'_>, printer: &Printer) -> anyhow::Result<ExitCode> {
    if file == Path::new(STDIN) && io::stdin().is_terminal() {
        printer.info(Words::from_locale().sanitize.type_a_text);
    }
    let mut parts = Parts::of(open(file)?, rules);
    let mut tally = Tally::default();
    let mut collected = Some(Collected::default());
    while let Some((bytes, streamed)) = parts.next().map_err(|error| unreadable(file, error))? {
        tally.add(&streamed.findings, &streamed.unjudged);
        if !printer.is_json() {
            printer.raw(&streamed.text)?;
        }
        // JSON output is one value, so all of the text is collected.
        collected = collected.and_then(|it| it.with(bytes, streamed, printer.is_json()));
    }
    if let Some(Collected { clean, .. }) = collected.as_ref().filter(|_| printer.is_json()) {
        printer.json(&json!({"text": clean.text, "findings": clean.findings}))?;
    }
    // What was removed is shown only at a terminal, never in a log.
    if let Some(Collected { before, clean }) = collected
        && io::stderr().is_terminal()
        && tally.has_findings()
        && let Ok(before) = String::from_utf8(before)
    {
        printer.info(&format!("\n{}", difference::show(&before, &clean)));
    }
    printer.info(&found(&tally.counts()));
    Ok(exit_code(&tally, false, printer))
}

/// A text that is short enough to be collected, before and after sanitizing.
#[derive(Default)]
struct Collected {
    before: Vec<u8>,
    clean: Sanitized,
}

impl Collected {
    /// Adds the next part; returns `None` if the text has become too long.
    fn with(mut self, bytes: &[u8], streamed: Streamed, any_length: bool) -> Option<Self> {
        self.before.extend_from_slice(bytes);
        self.clean.text.push_str(&streamed.text);
        self.clean.findings.extend(streamed.findings);
        (any_length || self.before.len() <= PART).then_some(self)
    }
}

/// Reports the findings in each file. If a file cannot be checked, the command fails, but the other files are still
/// checked.
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
        if let Err(error) = scan(file, rules, &mut report) {
            all_read = false;
            diagnostics::describe(printer, &error);
        }
    }
    match format {
        ReportFormat::Json => printer.json(&report)?,
        ReportFormat::Text => printer.raw(&report.lines(&Words::from_locale()))?,
    }
    printer.info(&found(&report.tally().counts()));
    let code = exit_code(report.tally(), fails_on_findings, printer);
    Ok(if all_read { code } else { ExitCode::FAILURE })
}

fn scan(file: &Path, rules: &Rules<'_>, report: &mut report::Report) -> anyhow::Result<()> {
    let mut parts = Parts::of(open(file)?, rules);
    report.begin(&file.display().to_string());
    while let Some((bytes, streamed)) = parts.next().map_err(|error| unreadable(file, error))? {
        report.add(bytes, streamed);
    }
    Ok(())
}

/// Reports what could not be checked, and returns the exit code.
fn exit_code(tally: &Tally, fails_on_findings: bool, printer: &Printer) -> ExitCode {
    let words = Words::from_locale().sanitize;
    for (reason, count) in tally.unjudged() {
        let warning = styled(YELLOW, words.warning);
        let text = filled(words.not_judged, &[count, &words.why(*reason)]);
        printer.urgent(&format!("{warning} {text}"));
    }
    match tally.unjudged().is_empty() && !(fails_on_findings && tally.has_findings()) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn found(counts: &[(String, usize)]) -> String {
    let words = Words::from_locale();
    match counts {
        [] => words.sanitize.found_nothing.to_owned(),
        counts => filled(words.sanitize.found, &[&words.kinds.list(counts)]),
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

fn unreadable(file: &Path, error: io::Error) -> anyhow::Error {
    let name = match file == Path::new(STDIN) {
        true => "the text".to_owned(),
        false => file.display().to_string(),
    };
    anyhow::Error::new(error).context(format!("cannot read {name}"))
}
