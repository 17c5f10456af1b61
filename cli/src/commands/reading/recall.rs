//! `recall`: asks experiences, knowledge and documentation at once and prints the best, best first.

use std::env;

use recall_kit_client::{Labelled, Recalled, Reference};
use recall_kit_shared_types::recall::{RecallFamily, RecallRequest, RecallResult};

use super::{answered, card::Layout, report_how_to_open, report_nothing, warn_of};
use crate::{
    args::{GlobalArgs, RecallArgs},
    environment,
    terminal::printer::Printer,
};

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &RecallArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let config = global.load_config(printer)?.config;
    let servers = global.servers(config.clone())?;
    let folder = env::current_dir().ok();
    let environment = environment::of(&config, folder, vec![args.text.join(" ")]).await;
    let request = RecallRequest {
        query: args.text.join(" "),
        project: args.project.clone(),
        library: args.library.clone(),
        limit: args.limit,
    };
    let asking = servers.recall(request, environment);
    answered(&servers, asking, printer, |found| show(found, printer)).await
}

fn show(found: &Recalled, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        return Ok(printer.json(found)?);
    }
    warn_of(&found.unanswered, printer);
    let layout = Layout::of_stdout();
    if found.results.is_empty() {
        report_nothing(layout.words.reading.nothing_known, printer);
        return Ok(());
    }
    for (rank, result) in (1..).zip(&found.results) {
        printer.data(&layout.result(rank, result))?;
    }
    report_how_to_open(printer);
    Ok(())
}

impl Layout {
    /// Formats a result in short.
    pub(super) fn result(&self, rank: usize, result: &Labelled<RecallResult>) -> String {
        let Labelled { item, origin } = result;
        let words = self.words.reading;
        let family = match item.family {
            RecallFamily::Experience => words.experience,
            RecallFamily::Knowledge => words.knowledge,
            RecallFamily::Library => words.library,
        };
        let reference = Reference::of(item).map(|reference| reference.to_string());
        let mut facts = vec![family.to_owned()];
        facts.extend(origin.clone());
        // What `show` cannot open is named as the server names it.
        facts.push(reference.unwrap_or_else(|| item.id.clone()));
        let mut card = self.heading(rank, &item.title);
        card.push_str(&self.facts(Some(item.score), &facts));
        card.push_str(&self.text(&item.snippet));
        if let Some(fits) = &item.fits {
            card.push_str(&self.field(self.words.results.applies, fits));
        }
        card
    }
}
