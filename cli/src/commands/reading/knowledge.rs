//! `knowledge`: searches the knowledge base and prints entries in short, best first.

use std::mem::take;

use recall_kit_client::{ClientConfig, FoundEntries, Labelled};
use recall_kit_shared_types::knowledge::{SearchRequest, SearchResult};

use super::{answered, card::Layout, report_how_to_open, report_nothing, warn_of};
use crate::{
    args::{GlobalArgs, KnowledgeArgs},
    citations::{Cited, CitedFiles},
    terminal::printer::{DIM, Printer, styled},
    words::filled,
};

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &KnowledgeArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let config = global.load_config(printer)?.config;
    let servers = global.servers(config.clone())?;
    let request = SearchRequest {
        query: args.text.join(" "),
        context: None,
        limit: args.limit,
        r#type: args.r#type,
        project: args.project.clone(),
    };
    let asking = async {
        let mut found = servers.search_knowledge(request).await?;
        compare_files(&config, &mut found).await;
        Ok(found)
    };
    answered(&servers, asking, printer, |found| show(found, printer)).await
}

/// Says of each result which of the files that it is about are not as they were.
async fn compare_files(config: &ClientConfig, found: &mut FoundEntries) {
    let results = found.results.iter_mut();
    let cited = results.map(|one| Cited {
        project: one.item.project.take(),
        files: take(&mut one.item.citations),
    });
    let cited: Vec<Cited> = cited.collect();
    let changes = CitedFiles::default().changes_of(config, &cited).await;
    for (result, changes) in found.results.iter_mut().zip(changes) {
        result.item.changed_files = changes.changed;
        result.item.missing_files = changes.missing;
    }
}

fn show(found: &FoundEntries, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        return Ok(printer.json(found)?);
    }
    warn_of(&found.unanswered, printer);
    let layout = Layout::of_stdout();
    if found.results.is_empty() {
        report_nothing(layout.words.reading.no_entry, printer);
        return Ok(());
    }
    for (rank, result) in (1..).zip(&found.results) {
        printer.data(&layout.entry(rank, result))?;
    }
    let shown = layout.words.results.shown;
    let count = filled(shown, &[&found.results.len(), &found.total]);
    printer.info(&styled(DIM, count));
    report_how_to_open(printer);
    Ok(())
}

impl Layout {
    /// Formats an entry in short.
    fn entry(&self, rank: usize, result: &Labelled<SearchResult>) -> String {
        let Labelled { item, origin } = result;
        let words = self.words.reading;
        let mut facts = vec![item.r#type.to_string()];
        facts.extend(origin.clone());
        facts.push(item.tags.join(", "));
        if let Some(newer) = &item.superseded_by {
            facts.push(filled(words.superseded_by, &[newer]));
        }
        if !item.contradicts.is_empty() {
            facts.push(filled(words.contradicts, &[&item.contradicts.join(", ")]));
        }
        if !item.changed_files.is_empty() {
            facts.push(filled(
                words.changed_file,
                &[&item.changed_files.join(", ")],
            ));
        }
        if !item.missing_files.is_empty() {
            facts.push(filled(
                words.missing_file,
                &[&item.missing_files.join(", ")],
            ));
        }
        facts.push(item.id.clone());
        let mut card = self.heading(rank, &item.title);
        card.push_str(&self.facts(Some(item.score), &facts));
        card.push_str(&self.text(&item.snippet));
        card
    }
}
