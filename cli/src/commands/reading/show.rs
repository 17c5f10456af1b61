//! `show`: prints all of an experience, an entry or a section of documentation.

use recall_kit_client::{Labelled, Shown};
use recall_kit_shared_types::knowledge::{
    CitedFile, EntryData, EntryName, EntryStatus, FileState, RecordType,
};

use super::{answered, card::Layout};
use crate::{
    args::{GlobalArgs, ShowArgs},
    citations::CitedFiles,
    terminal::{
        controls::visible,
        printer::{BOLD, Printer, YELLOW, styled},
    },
    words::filled,
};

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &ShowArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let config = global.load_config(printer)?.config;
    let servers = global.servers(config.clone())?;
    let asking = async {
        let mut shown = servers.show(&args.id, args.from.as_deref()).await?;
        if let Shown::Record(record) = &mut shown {
            let EntryData {
                project, citations, ..
            } = &mut record.item;
            let files = CitedFiles::default();
            files.compare(&config, project.as_deref(), citations).await;
        }
        Ok(shown)
    };
    answered(&servers, asking, printer, |shown| show(shown, printer)).await
}

fn show(shown: &Shown, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        return Ok(printer.json(shown)?);
    }
    let layout = Layout::of_stdout();
    match shown {
        Shown::Record(record) => printer.data(layout.record(record).trim_end())?,
        Shown::Section(documents) => {
            for (number, document) in documents.iter().enumerate() {
                let name = document.item.library_name.as_deref();
                let section = layout.section(document, name, None);
                if number == 0 {
                    printer.data(&styled(BOLD, visible(&document.item.title)))?;
                }
                printer.data(section.trim_end())?;
            }
        }
    }
    Ok(())
}

impl Layout {
    /// Formats all of an experience or an entry.
    pub(super) fn record(&self, record: &Labelled<EntryData>) -> String {
        let Labelled { item, origin } = record;
        let words = self.words.reading;
        let kind = match item.r#type {
            RecordType::Experience => words.experience.to_owned(),
            kind => kind.to_string(),
        };
        let mut facts = vec![kind];
        facts.extend(origin.clone());
        facts.push(self.age(&item.created_at));
        facts.push(filled(self.words.results.seen, &[&item.access_count]));
        if item.status == EntryStatus::Obsolete {
            facts.push(item.status.to_string());
        }
        facts.extend(item.project.clone());
        facts.push(item.tags.join(", "));
        facts.push(item.id.clone());
        let mut page = format!("{}\n", styled(BOLD, visible(&item.title)));
        page.push_str(&self.facts(None, &facts));
        page.push('\n');
        page.push_str(&self.markdown(&item.content));
        page.push_str(&self.citations(&item.citations));
        let links = self.links(item);
        if !links.is_empty() {
            page.push('\n');
            page.push_str(&links);
        }
        page
    }

    /// Formats the files that an entry is about, a line for each; those first that are not as they were.
    fn citations(&self, files: &[CitedFile]) -> String {
        let words = self.words.reading;
        let text = |file: &CitedFile| match file.state {
            Some(FileState::Changed) => filled(words.changed_file, &[&file.path]),
            Some(FileState::Missing) => filled(words.missing_file, &[&file.path]),
            Some(FileState::Same) | None => filled(words.cited_file, &[&file.path]),
        };
        let differs =
            |file: &&CitedFile| matches!(file.state, Some(FileState::Changed | FileState::Missing));
        let (others, same): (Vec<_>, Vec<_>) = files.iter().partition(differs);
        let mut lines = String::new();
        for file in others.into_iter().chain(same) {
            let line = self.text(&text(file));
            let line = match differs(&file) {
                true => format!("   {}\n", styled(YELLOW, line.trim())),
                false => line,
            };
            lines.push_str(&line);
        }
        match lines.is_empty() {
            true => lines,
            false => format!("\n{lines}"),
        }
    }

    /// Formats what a record is linked to, a line for each link.
    fn links(&self, record: &EntryData) -> String {
        let words = self.words.reading;
        let mut links = String::new();
        let mut add = |relation: &str, id: &str, title: &str| {
            links.push_str(&self.text(&format!("{relation} {id} {title}")));
        };
        for link in &record.links.outgoing {
            let relation = format!("→ {}", link.relation_type);
            add(&relation, &link.target_id, &link.target_title);
        }
        for link in &record.links.incoming {
            let relation = format!("← {}", link.relation_type);
            add(&relation, &link.source_id, &link.source_title);
        }
        let names = [
            (words.promoted_from, &record.promoted_from),
            (words.promoted_to, &record.promoted_to),
        ];
        for (relation, name) in names {
            if let Some(EntryName { id, title }) = name {
                add(relation, id, title);
            }
        }
        links
    }
}
