//! `docs`: reads documentation on a topic, or lists the libraries that there is documentation of.

use recall_kit_client::{DocsRequest, FoundDocs, FoundLibraries, Labelled, Reference};
use recall_kit_shared_types::libraries::{LibraryDocument, LibraryMatch};

use super::{answered, card::Layout, report_how_to_open, report_nothing, warn_of};
use crate::{
    args::{DocsArgs, GlobalArgs},
    terminal::printer::{DIM, Printer, YELLOW, styled},
    words::filled,
};

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &DocsArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let servers = global.servers(global.load_config(printer)?.config)?;
    if args.topic.is_empty() {
        let asking = servers.search_libraries(args.library.clone());
        return answered(&servers, asking, printer, |found| list(found, printer)).await;
    }
    let asking = servers.library_docs(DocsRequest {
        topic: args.topic.join(" "),
        library: args.library.clone(),
        version: args.version.clone(),
        max_tokens: args.max_tokens,
    });
    answered(&servers, asking, printer, |found| show(found, printer)).await
}

/// Shows the libraries.
fn list(found: &FoundLibraries, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        return Ok(printer.json(found)?);
    }
    warn_of(&found.unanswered, printer);
    let layout = Layout::of_stdout();
    if found.libraries.is_empty() {
        report_nothing(layout.words.reading.no_library, printer);
        return Ok(());
    }
    for (rank, library) in (1..).zip(&found.libraries) {
        printer.data(&layout.library(rank, library))?;
    }
    printer.info(&styled(DIM, layout.words.reading.how_to_read));
    Ok(())
}

/// Shows documentation.
fn show(found: &FoundDocs, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        return Ok(printer.json(found)?);
    }
    warn_of(&found.unanswered, printer);
    let layout = Layout::of_stdout();
    let words = layout.words.reading;
    if let Some(progress) = &found.embedding_progress {
        let progress = filled(words.embedding, &[&progress.embedded, &progress.total]);
        printer.info(&styled(YELLOW, progress));
    }
    if found.documents.is_empty() {
        report_nothing(words.no_documentation, printer);
        return Ok(());
    }
    for (rank, document) in (1..).zip(&found.documents) {
        let item = &document.item;
        let library = item.library_id.or(found.library_id);
        let name = item.library_name.as_ref().or(found.library_name.as_ref());
        let heading = layout.heading(rank, &item.title);
        let section = layout.section(document, name.map(String::as_str), library);
        printer.data(&format!("{heading}{section}"))?;
    }
    if found.has_more {
        printer.info(&styled(DIM, words.more_documentation));
    }
    report_how_to_open(printer);
    Ok(())
}

impl Layout {
    /// Formats a section below its title: where it is from, and its text or code. `library` is the id of its
    /// library, without which it has no reference.
    pub(super) fn section(
        &self,
        document: &Labelled<LibraryDocument>,
        name: Option<&str>,
        library: Option<u64>,
    ) -> String {
        let Labelled { item, origin } = document;
        let mut facts = vec![format!("{} {}", name.unwrap_or_default(), item.version)];
        facts.extend(origin.clone());
        facts.push(item.source.clone());
        facts.extend(library.map(|library| {
            let reference = Reference::section(library, &item.version, &item.title);
            reference.to_string()
        }));
        let mut section = self.facts(Some(item.relevance), &facts);
        if let Some(description) = &item.description {
            section.push_str(&self.text(description));
        }
        if let Some(content) = &item.content {
            section.push_str(&self.markdown(content));
        }
        if let Some(code) = &item.code {
            section.push_str(&self.code(code, 3));
        }
        if item.truncated {
            section.push_str(&self.text(self.words.reading.truncated));
        }
        section
    }

    /// Formats a library.
    fn library(&self, rank: usize, library: &Labelled<LibraryMatch>) -> String {
        let Labelled { item, origin } = library;
        let mut versions = vec![item.default_version.clone()];
        versions.extend(item.versions.iter().cloned());
        let mut facts = vec![versions.join(", ")];
        facts.extend(origin.clone());
        facts.push(item.updated.clone());
        if item.stale {
            facts.push(self.words.reading.stale.to_owned());
        }
        let mut card = self.heading(rank, &item.name);
        card.push_str(&self.facts(None, &facts));
        if !item.description.is_empty() {
            card.push_str(&self.text(&item.description));
        }
        card
    }
}
