//! Importing entries, links and suggestions.

use recall_kit_store::{Entry, EntryVectors, KnowledgeImport, KnowledgeRecord, StoreError};

use super::{Event, Importer, MAX_VECTORS, are_same, check_stored, is_same, is_same_if_any};
use crate::LineError;

impl<F: FnMut(Event<'_>)> Importer<'_, F> {
    /// Stores the records of a batch, in their order.
    pub(super) async fn store_knowledge(
        &mut self,
        numbered: &mut Vec<(u64, KnowledgeRecord)>,
    ) -> Result<(), StoreError> {
        let (lines, mut records): (Vec<u64>, Vec<KnowledgeRecord>) = numbered.drain(..).unzip();
        for (record, line) in records.iter_mut().zip(&lines) {
            if let KnowledgeRecord::Entry(record) = record {
                let vectors = record.vectors.take();
                record.vectors = vectors.and_then(|vectors| self.usable_vectors(vectors, *line));
            }
        }
        let model = self.model.as_deref();
        let imports = self.store.import_knowledge(model, &records).await?;
        for ((import, record), line) in imports.iter().zip(&records).zip(lines) {
            self.report_knowledge(import, record, line);
        }
        Ok(())
    }

    /// Returns the vectors if they can be compared with others; vectors of a context may be missing.
    fn usable_vectors(&mut self, vectors: EntryVectors, line: u64) -> Option<EntryVectors> {
        self.model.as_ref()?;
        let parts = [Some(&vectors.summary), vectors.context.as_ref()];
        for part in parts.into_iter().flatten() {
            match check_stored(part, self.dimensions, MAX_VECTORS) {
                Ok(dimensions) => self.dimensions = Some(dimensions),
                Err(reason) => {
                    self.report.unfit_vectors += 1;
                    (self.on_event)(Event::UnfitVector { line, reason });
                    return None;
                }
            }
        }
        Some(vectors)
    }

    fn report_knowledge(&mut self, import: &KnowledgeImport, record: &KnowledgeRecord, line: u64) {
        let reason = match (import, record) {
            (KnowledgeImport::Stored, _) => {
                self.report.imported += 1;
                let lacks_vector = matches!(record, KnowledgeRecord::Entry(entry)
                    if self.model.is_none() || entry.vectors.is_none());
                self.report.without_vector += u64::from(lacks_vector);
                return;
            }
            (KnowledgeImport::ExistingEntry(existing), KnowledgeRecord::Entry(record)) => {
                return self.report_existing(existing, &record.entry, line);
            }
            (KnowledgeImport::Existing | KnowledgeImport::ExistingEntry(_), _) => {
                self.report.already_there += 1;
                return;
            }
            (KnowledgeImport::EntryMissing, _) => "one of the entries that it links is missing",
            (KnowledgeImport::LinkCycle, _) => "the link would create a cycle with existing links",
        };
        self.report.refused += 1;
        let reason = LineError::Shape(reason.to_owned());
        (self.on_event)(Event::Refused {
            line,
            reason: &reason,
        });
    }

    fn report_existing(&mut self, existing: &Entry, other: &Entry, line: u64) {
        let differs = entry_differences(existing, other);
        if differs.is_empty() {
            self.report.already_there += 1;
            return;
        }
        self.report.conflicts += 1;
        (self.on_event)(Event::Conflict {
            line,
            id: existing.id.to_string(),
            differs,
        });
    }
}

/// Returns the fields in which two entries with the same id differ. Status and access counts may differ,
/// since one database was used longer.
pub(crate) fn entry_differences(one: &Entry, other: &Entry) -> Vec<&'static str> {
    let (a, b) = (&one.content, &other.content);
    let same = [
        ("entry_type", a.kind == b.kind),
        ("title", is_same(&a.title, &b.title)),
        ("content", is_same(&a.content, &b.content)),
        ("tags", are_same(&a.tags, &b.tags)),
        ("project", is_same_if_any(&a.project, &b.project)),
        ("context", is_same_if_any(&a.context, &b.context)),
        ("confidence", a.confidence == b.confidence),
        ("memory_type", a.memory_type == b.memory_type),
        ("citations", a.citations == b.citations),
        ("created_at", one.created_at == other.created_at),
    ];
    let different = same.into_iter().filter(|(_, same)| !same);
    different.map(|(field, _)| field).collect()
}
