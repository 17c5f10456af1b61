//! Shows the changes of `init`, asks for consent, and writes them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    interrupted_with,
    plan::{Plan, SERVICE, Setup, complaint},
    service,
};
use crate::{
    agents::{
        Agent,
        change::{Change, ChangeError},
        difference,
    },
    diagnostics::Complaint,
    terminal::{
        controls::visible,
        printer::{DIM, GREEN, Printer, styled},
        prompt,
    },
    words::{Words, filled},
};

/// How often files that other programs change meanwhile are prepared again when nobody is asked.
const MAX_ROUNDS: usize = 3;

/// Whether the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// With the state to report if the user leaves the first question.
    Ask(&'static str),
    Write,
    DryRun,
}

/// What became of the changes.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The result for each file, for programs.
    pub(super) files: Vec<Value>,
    pub(super) refused: Vec<Complaint>,
    /// The files that were written or deleted.
    pub(super) written: Vec<PathBuf>,
    /// Whether the user did not want any of the changes.
    pub(super) is_declined: bool,
}

/// Shows the changes, asks, writes them, and shows anew what another program changed in the meantime.
pub(super) async fn carry_out(
    setup: &Setup,
    agents: &[Agent],
    mode: Mode,
    printer: &Printer,
) -> anyhow::Result<Outcome> {
    let words = Words::from_locale();
    let mut plan = setup.plan(agents);
    for note in &plan.notes {
        printer.info(note);
    }
    let mut outcome = Outcome {
        refused: std::mem::take(&mut plan.refused),
        ..Outcome::default()
    };
    if plan.changes.is_empty() && outcome.refused.is_empty() {
        printer.info(words.agents.nothing_to_remove);
    }
    for round in 1.. {
        show(&plan.changes, printer, mode != Mode::DryRun)?;
        let state = match setup.remove {
            true => words.agents.nothing_of_ours,
            false => words.agents.up_to_date,
        };
        let (unneeded, needed): (Vec<_>, Vec<_>) =
            plan.changes.iter().partition(|change| !change.is_needed());
        for change in unneeded {
            report_unneeded(change, state, printer);
            outcome.files.push(described(change, "unchanged", None));
        }
        let chosen = match mode {
            Mode::DryRun => {
                let files = needed.iter();
                outcome
                    .files
                    .extend(files.map(|change| described(change, "would change", None)));
                return Ok(outcome);
            }
            Mode::Write => needed,
            Mode::Ask(nothing) => {
                let count = needed.len();
                let state = match outcome.written.is_empty() {
                    true => nothing,
                    false => words.setup.rest_not_written,
                };
                let chosen = interrupted_with(state, consented(needed))?;
                outcome.is_declined = count > 0 && chosen.is_empty() && outcome.written.is_empty();
                chosen
            }
        };
        let mut overtaken = write(setup, &chosen, &mut outcome, printer).await;
        if mode == Mode::Write && round == MAX_ROUNDS {
            let left = overtaken.drain(..).map(ChangeError::Overtaken);
            outcome.refused.extend(left.map(complaint));
        }
        if overtaken.is_empty() {
            break;
        }
        for path in &overtaken {
            let path = visible(&path.display().to_string());
            printer.urgent(&filled(words.setup.overtaken, &[&path]));
        }
        plan = anew(setup, agents, &overtaken, &mut outcome);
    }
    if !outcome.written.is_empty()
        && outcome
            .written
            .iter()
            .any(|path| !is_of_service(setup, path))
    {
        printer.info(&format!("  {} {}", words.init.next, words.agents.restart));
    }
    Ok(outcome)
}

fn is_of_service(setup: &Setup, path: &Path) -> bool {
    let service = setup.service.as_ref();
    service.is_some_and(|(manager, _)| manager.file(&setup.places) == path)
}

/// Prepares the changes to these files once more.
fn anew(setup: &Setup, agents: &[Agent], paths: &[PathBuf], outcome: &mut Outcome) -> Plan {
    let mut plan = setup.plan(agents);
    plan.changes.retain(|change| paths.contains(&change.path));
    let is_about_them = |complaint: &Complaint| {
        let message = complaint.to_string();
        paths
            .iter()
            .any(|path| message.contains(&path.display().to_string()))
    };
    let refused = plan.refused.drain(..);
    outcome.refused.extend(refused.filter(is_about_them));
    plan
}

/// Shows the changes: before a question as messages, else as data.
pub(super) fn show(changes: &[Change], printer: &Printer, as_message: bool) -> anyhow::Result<()> {
    for change in changes.iter().filter(|change| change.is_needed()) {
        let shown = difference::show(change);
        match as_message || printer.is_json() {
            true => printer.urgent(&format!("{shown}\n")),
            false => printer.data(&shown)?,
        }
    }
    Ok(())
}

/// Asks once for all changes or, if the user wants that, for those of each program.
fn consented(changes: Vec<&Change>) -> anyhow::Result<Vec<&Change>> {
    if changes.is_empty() {
        return Ok(changes);
    }
    let words = Words::from_locale();
    let (yes, no) = (words.agents.yes, words.agents.no);
    let mut owners: Vec<&str> = changes.iter().map(|change| change.owner).collect();
    owners.dedup();
    if owners.len() == 1 {
        let is_agreed = prompt::choice(words.agents.write, &[yes, no])? == 0;
        return Ok(if is_agreed { changes } else { Vec::new() });
    }
    let answers = [words.setup.all, words.setup.one_by_one, no];
    match prompt::choice(words.agents.write, &answers)? {
        0 => return Ok(changes),
        1 => {}
        _ => return Ok(Vec::new()),
    }
    let mut agreed = Vec::new();
    for owner in owners {
        let question = filled(words.setup.write_of, &[&owner]);
        if prompt::choice(&question, &[yes, no])? == 0 {
            agreed.push(owner);
        }
    }
    let is_agreed = |change: &&Change| agreed.contains(&change.owner);
    Ok(changes.into_iter().filter(is_agreed).collect())
}

/// Writes the changes, and returns the files that another program changed meanwhile. A file that cannot be written does
/// not keep the others from being written.
async fn write(
    setup: &Setup,
    changes: &[&Change],
    outcome: &mut Outcome,
    printer: &Printer,
) -> Vec<PathBuf> {
    let words = Words::from_locale();
    let done = styled(GREEN, "✓");
    let mut overtaken = Vec::new();
    for change in changes {
        if let Some((manager, _)) = &setup.service
            && change.owner == SERVICE
            && setup.remove
        {
            // It is stopped while its file is still there.
            service::stop(*manager, &setup.places, printer).await;
        }
        let backup = match change.write() {
            Ok(backup) => backup,
            Err(ChangeError::Overtaken(path)) => {
                overtaken.push(path);
                continue;
            }
            Err(error) => {
                outcome.refused.push(complaint(error));
                continue;
            }
        };
        let (verb, action) = match change.after {
            Some(_) => (words.init.wrote, "written"),
            None => (words.agents.deleted, "deleted"),
        };
        let path = visible(&change.path.display().to_string());
        printer.info(&format!("{done} {verb} {path}"));
        if let Some(backup) = &backup {
            let backup = backup.display();
            printer.info(&styled(DIM, format!("  {} {backup}", words.agents.backup)));
        }
        outcome
            .files
            .push(described(change, action, backup.as_deref()));
        outcome.written.push(change.path.clone());
    }
    overtaken
}

/// Reports a file without changes.
fn report_unneeded(change: &Change, state: &str, printer: &Printer) {
    let path = visible(&change.path.display().to_string());
    printer.info(&styled(DIM, format!("  {path} {state}")));
}

fn described(change: &Change, action: &str, backup: Option<&Path>) -> Value {
    json!({
        "agent": change.owner,
        "path": change.path,
        "action": action,
        "backup": backup,
    })
}
