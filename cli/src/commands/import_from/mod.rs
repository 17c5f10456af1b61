//! `import-from`: takes over what other memories and agents have stored. Everything is read, sanitized and
//! listed first; nothing is written before the one yes.

mod batch;
mod gather;
mod history;
mod ledger;
mod links;
mod prepare;
mod report;
mod send;

use std::{collections::HashSet, path::PathBuf};

use recall_kit_client::{RecallKitClient, Servers};
use recall_kit_memories::{Body, Skipped};

use super::close_all;
use crate::{
    args::{GlobalArgs, ImportFromArgs},
    diagnostics::Complaint,
    terminal::{
        interrupt,
        printer::{Printer, YELLOW, styled},
        prompt,
    },
    words::{Words, filled},
};
use batch::Batch;
use ledger::{Imported, Ledger};
use links::{Linkable, References};
use prepare::Item;

/// The answers to the list, in the order in which they are offered.
const CANCEL: usize = 0;
const ALL: usize = 1;

/// What one source has, after the sanitizer and without what was imported before.
struct Plan {
    source: &'static str,
    places: Vec<PathBuf>,
    found: usize,
    items: Vec<Item>,
    /// The entries of earlier runs, which the items may be linked to.
    earlier: Vec<Linkable>,
    skipped: Vec<Skipped>,
}

pub(crate) async fn run(
    global: &GlobalArgs,
    args: ImportFromArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let mut config = global.load_config(printer)?.config;
    config.submit_to = args.to.clone().or(config.submit_to);
    if !args.yes && !args.dry_run && !prompt::is_possible() {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: "there is no terminal to confirm at, so nothing was imported".to_owned(),
            hint: "--yes imports without asking, --dry-run shows what would be imported",
        }));
    }
    let servers = global.servers(config)?;
    let outcome = import(&servers, &args, printer).await;
    close_all(&servers).await;
    outcome
}

async fn import(servers: &Servers, args: &ImportFromArgs, printer: &Printer) -> anyhow::Result<()> {
    let (client, words) = (servers.chosen(), Words::from_locale());
    let ledger = Ledger::of_user()?;
    let imported = ledger.read()?;
    let batches = gather::batches(args, client)?;
    let mut seen = HashSet::new();
    let mut plans = Vec::new();
    for batch in batches {
        for warning in &batch.warnings {
            let warning = client.sanitize(warning).text;
            printer.info(&format!(
                "{} {warning}",
                styled(YELLOW, words.sanitize.warning)
            ));
        }
        plans.push(plan(client, batch, &imported, &mut seen));
    }
    let is_sanitizer_on = client.config().sanitizer.enabled;
    if !is_sanitizer_on {
        printer.info(&styled(YELLOW, words.sanitizer_off));
    }
    if args.dry_run {
        return report::dry_run(client, &plans, args.source == gather::AUTO, printer);
    }
    report::counts(client, &plans, &words, printer);
    let kept: usize = plans.iter().map(|plan| plan.items.len()).sum();
    if kept == 0 {
        report::stored(client, &plans, None, args.source == gather::AUTO, printer)?;
        printer.info(words.import.nothing_new);
        return Ok(());
    }
    if !args.yes && !chosen(&mut plans, &words, printer)? {
        printer.info(words.import.nothing_imported);
        return Ok(());
    }
    let outcome = send::all(client, &ledger, &imported, &mut plans, printer).await;
    report::stored(
        client,
        &plans,
        Some(&outcome),
        args.source == gather::AUTO,
        printer,
    )?;
    outcome.finished(&words, printer)
}

/// Sanitizes the records of a batch, and leaves out those that were imported before.
fn plan(
    client: &RecallKitClient,
    batch: Batch,
    imported: &Imported,
    seen: &mut HashSet<String>,
) -> Plan {
    let found = batch.records.len() + batch.skipped.len();
    let mut plan = Plan {
        source: batch.source,
        places: batch.places,
        found,
        items: Vec::new(),
        earlier: Vec::new(),
        skipped: batch.skipped,
    };
    let server = client.server_url().to_string();
    for record in batch.records {
        let id = record.id.clone();
        let key = ledger::key_of(&server, batch.source, &record);
        let reason = if !seen.insert(key.clone()) {
            "it occurs twice".to_owned()
        } else if let Some(stored_as) = imported.id_of(&key) {
            if matches!(record.body, Body::Entry { .. }) {
                plan.earlier.push(Linkable {
                    stored_as: stored_as.to_owned(),
                    references: References::of(&record),
                });
            }
            "it was imported before".to_owned()
        } else {
            match prepare::item(client, batch.source, key, record) {
                Ok(item) => {
                    plan.items.push(item);
                    continue;
                }
                Err(reason) => reason,
            }
        };
        plan.skipped.push(Skipped { id, reason });
    }
    plan
}

/// Shows the list and asks; removes what the person does not choose. Returns false if nothing shall be
/// imported.
fn chosen(plans: &mut [Plan], words: &Words, printer: &Printer) -> anyhow::Result<bool> {
    interrupt::leave_to_prompts()?;
    let lines = report::lines(plans, words);
    for line in &lines {
        printer.urgent(line);
    }
    let question = filled(words.import.question, &[&lines.len().to_string()]);
    let answers = [words.cancel, words.import.all, words.import.choose];
    match prompt::choice(&question, &answers)? {
        CANCEL => Ok(false),
        ALL => Ok(true),
        _ => {
            let offered: Vec<(&str, bool)> =
                lines.iter().map(|line| (line.as_str(), true)).collect();
            let kept: HashSet<usize> = prompt::choices(words.import.which, &offered)?
                .into_iter()
                .collect();
            let mut at = 0;
            for plan in plans {
                plan.items.retain(|_| {
                    at += 1;
                    kept.contains(&(at - 1))
                });
            }
            Ok(!kept.is_empty())
        }
    }
}
