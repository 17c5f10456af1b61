//! `sanitize`: takes secrets and personal data out of a text, or says where they stand. It needs no
//! server; of the configuration it reads what concerns the sanitizer alone.

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

/// What stands for stdin, on the command line and in reports.
const STDIN: &str = "-";

pub(crate) fn run(
    global: &GlobalArgs,
    args: &SanitizeArgs,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    let sanitizer: ConfiguredSanitizer = global.load_sanitizer(printer)?;
    // Also where `sanitizer.enabled` is off: the command itself says that it is to be done.
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

/// The rules and those groups of them that apply.
#[derive(Clone, Copy)]
struct Rules<'a> {
    sanitizer: &'a Sanitizer,
    groups: &'a [RuleGroup],
}

/// Sanitizes a text of any size. What could not be judged was written as far as it could be, and is
/// no success.
fn sanitize_text(file: &Path, rules: &Rules<'_>, printer: &Printer) -> anyhow::Result<ExitCode> {
    if file == Path::new(STDIN) && io::stdin().is_terminal() {
        printer.talk(Words::from_locale().sanitize.type_a_text);
    }
    let mut parts = Parts::of(open(file)?, rules);
    let mut tally = Tally::default();
    let mut whole = Some(Whole::default());
    while let Some((bytes, streamed)) = parts.next().map_err(|error| unreadable(file, error))? {
        tally.add(&streamed.findings, &streamed.unjudged);
        if !printer.is_json() {
            printer.raw(&streamed.text)?;
        }
        // As JSON it is one value, so that all of it is kept.
        whole = whole.and_then(|whole| whole.with(bytes, streamed, printer.is_json()));
    }
    if let Some(Whole { clean, .. }) = whole.as_ref().filter(|_| printer.is_json()) {
        printer.json(&json!({"text": clean.text, "findings": clean.findings}))?;
    }
    // What goes is shown to a person at a terminal, never to a log.
    if let Some(Whole { before, clean }) = whole
        && io::stderr().is_terminal()
        && tally.has_findings()
        && let Ok(before) = String::from_utf8(before)
    {
        printer.talk(&format!("\n{}", difference::show(&before, &clean)));
    }
    printer.talk(&found(&tally.counts()));
    Ok(exit_code(&tally, false, printer))
}

/// A text that is short enough to be kept, before and after.
#[derive(Default)]
struct Whole {
    before: Vec<u8>,
    clean: Sanitized,
}

impl Whole {
    /// Adds the next part; none when it has become too long.
    fn with(mut self, bytes: &[u8], streamed: Streamed, any_length: bool) -> Option<Self> {
        self.before.extend_from_slice(bytes);
        self.clean.text.push_str(&streamed.text);
        self.clean.findings.extend(streamed.findings);
        (any_length || self.before.len() <= PART).then_some(self)
    }
}

/// Says where something stands in each file. A file that cannot be judged is no success, and the
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
        if let Err(error) = look_at(file, rules, &mut report) {
            all_read = false;
            diagnostics::describe(printer, &error);
        }
    }
    match format {
        ReportFormat::Json => printer.json(&report)?,
        ReportFormat::Text => printer.raw(&report.lines(&Words::from_locale()))?,
    }
    printer.talk(&found(&report.tally().counts()));
    let code = exit_code(report.tally(), fails_on_findings, printer);
    Ok(if all_read { code } else { ExitCode::FAILURE })
}

fn look_at(file: &Path, rules: &Rules<'_>, report: &mut report::Report) -> anyhow::Result<()> {
    let mut parts = Parts::of(open(file)?, rules);
    report.begin(&file.display().to_string());
    while let Some((bytes, streamed)) = parts.next().map_err(|error| unreadable(file, error))? {
        report.add(bytes, streamed);
    }
    Ok(())
}

/// Says what could not be judged, which is never a success.
fn exit_code(tally: &Tally, fails_on_findings: bool, printer: &Printer) -> ExitCode {
    let words = Words::from_locale().sanitize;
    for (reason, count) in tally.unjudged() {
        let warning = styled(YELLOW, words.warning);
        let said = filled(words.not_judged, &[count, &words.why(*reason)]);
        printer.urgent(&format!("{warning} {said}"));
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
