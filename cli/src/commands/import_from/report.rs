//! Shows what was found and what became of it.

use std::collections::BTreeMap;

use recall_kit_client::RecallKitClient;
use recall_kit_memories::Skipped;
use serde::Serialize;
use serde_json::Value;

use super::{Plan, prepare::Text, send::Outcome};
use crate::{
    terminal::{
        controls::visible,
        printer::{BOLD, DIM, Printer, styled},
    },
    words::{Words, filled},
};

/// The counts of a source, for programs.
#[derive(Serialize)]
struct Counts<'a> {
    source: &'a str,
    found: usize,
    kept: usize,
    /// The record and the reason.
    skipped: Vec<String>,
    /// After an import: how many of the kept ones the server has.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored: Option<usize>,
}

/// Shows what an import would do.
pub(super) fn dry_run(
    client: &RecallKitClient,
    plans: &[Plan],
    is_list: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    if printer.is_json() {
        return json(client, plans, None, is_list, printer);
    }
    let words = Words::from_locale();
    counts(client, plans, &words, printer);
    for line in lines(plans, &words) {
        printer.data(&line)?;
    }
    Ok(())
}

/// With `--json`: prints the counts after an import.
pub(super) fn stored(
    client: &RecallKitClient,
    plans: &[Plan],
    outcome: Option<&Outcome>,
    is_list: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    match printer.is_json() {
        true => json(client, plans, Some(outcome), is_list, printer),
        false => Ok(()),
    }
}

fn json(
    client: &RecallKitClient,
    plans: &[Plan],
    outcome: Option<Option<&Outcome>>,
    is_list: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    let mut all = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
        let named = |it: &Skipped| client.sanitize(&format!("{}: {}", it.id, it.reason)).text;
        let counts = Counts {
            source: plan.source,
            found: plan.found,
            kept: plan.items.len(),
            skipped: plan.skipped.iter().map(named).collect(),
            stored: outcome.map(|outcome| outcome.map_or(0, |it| it.stored_of(at))),
        };
        all.push(serde_json::to_value(counts)?);
    }
    let value = match is_list {
        true => Value::Array(all),
        false => all.pop().unwrap_or_default(),
    };
    printer.json(&value)?;
    Ok(())
}

/// Shows for each source where it was found, how many records it has, and why some are left out.
pub(super) fn counts(client: &RecallKitClient, plans: &[Plan], words: &Words, printer: &Printer) {
    if plans.is_empty() {
        printer.info(words.import.nothing);
        printer.info(&styled(DIM, words.import.nothing_hint));
    }
    for plan in plans {
        let numbers = [plan.found, plan.items.len(), plan.skipped.len()].map(|it| it.to_string());
        let [found, kept, skipped] = &numbers;
        let counts = filled(words.import.counts, &[found, kept, skipped]);
        printer.info(&format!(
            "{}{} {counts}",
            styled(BOLD, plan.source),
            words.colon()
        ));
        for place in &plan.places {
            printer.info(&styled(
                DIM,
                format!("  {}", visible(&place.display().to_string())),
            ));
        }
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for skipped in &plan.skipped {
            reasons
                .entry(&skipped.reason)
                .or_default()
                .push(&skipped.id);
        }
        for (reason, ids) in reasons {
            // One is enough to find the others; `--json` names all.
            let example = client.sanitize(ids.first().unwrap_or(&"")).text;
            let line = format!("{} × {reason} ({})", ids.len(), visible(&example));
            printer.info(&format!("  {}", client.sanitize(&line).text));
        }
    }
}

/// Returns a line for each item: what it becomes, and its title.
pub(super) fn lines(plans: &[Plan], words: &Words) -> Vec<String> {
    let items = plans
        .iter()
        .flat_map(|plan| plan.items.iter().map(|item| (plan.source, item)));
    let lines = items.map(|(source, item)| {
        let kind = match &item.text {
            Text::Experience(_) => words.import.experience,
            Text::Entry(entry) => entry.request().r#type.as_str(),
        };
        format!("{source} [{kind}] {}", visible(item.title()))
    });
    lines.collect()
}
