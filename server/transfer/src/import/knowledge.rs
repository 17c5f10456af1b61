//! Taking in entries, links and suggestions.

use recall_kit_store::{Entry, EntryVectors, KnowledgeImport, KnowledgeRecord, StoreError};

use super::{Event, Intake, MAX_VECTORS, are_same, check_stored, is_same, is_same_if_any};
use crate::LineError;

impl<F: FnMut(Event<'_>)> Intake<'_, F> {
    /// Stores the records of a batch, in their order.
    pub(super) async fn take_knowledge(
        &mut self,
        numbered: &mut Vec<(u64, KnowledgeRecord)>,
    ) -> Result<(), StoreError> {
        let (lines, mut records): (Vec<u64>, Vec<KnowledgeRecord>) = numbered.drain(..).unzip();
        for (record, line) in records.iter_mut().zip(&lines) {
            if let KnowledgeRecord::Entry(record) = record {
                let vectors = record.vectors.take();
                record.vectors = vectors.and_then(|vectors| self.fitting(vectors, *line));
            }
        }
        let model = self.model.as_deref();
        let imports = self.store.import_knowledge(model, &records).await?;
        for ((import, record), line) in imports.iter().zip(&records).zip(lines) {
            self.note_knowledge(import, record, line);
        }
        Ok(())
    }

    /// Returns the vectors that can be compared with others; those of a context may be missing.
    fn fitting(&mut self, vectors: EntryVectors, line: u64) -> Option<EntryVectors> {
        self.model.as_ref()?;
        let parts = [Some(&vectors.summary), vectors.context.as_ref()];
        for part in parts.into_iter().flatten() {
            match check_stored(part, self.dimensions, MAX_VECTORS) {
                Ok(dimensions) => self.dimensions = Some(dimensions),
                Err(reason) => {
                    self.report.unfit_vectors += 1;
                    (self.heard)(Event::UnfitVector { line, reason });
                    return None;
                }
            }
        }
        Some(vectors)
    }

    fn note_knowledge(&mut self, import: &KnowledgeImport, record: &KnowledgeRecord, line: u64) {
        let refused = match (import, record) {
            (KnowledgeImport::Stored, _) => {
                self.report.imported += 1;
                let is_bare = matches!(record, KnowledgeRecord::Entry(entry)
                    if self.model.is_none() || entry.vectors.is_none());
                self.report.without_vector += u64::from(is_bare);
                return;
            }
            (KnowledgeImport::ExistingEntry(existing), KnowledgeRecord::Entry(record)) => {
                return self.note_existing(existing, &record.entry, line);
            }
            (KnowledgeImport::Existing | KnowledgeImport::ExistingEntry(_), _) => {
                self.report.already_there += 1;
                return;
            }
            (KnowledgeImport::EntryMissing, _) => "one of the entries that it links is missing",
            (KnowledgeImport::Circle, _) => {
                "the link would close a circle with those that are there"
            }
        };
        self.report.refused += 1;
        let reason = LineError::Shape(refused.to_owned());
        (self.heard)(Event::Refused {
            line,
            reason: &reason,
        });
    }

    fn note_existing(&mut self, existing: &Entry, other: &Entry, line: u64) {
        let differs = entry_differences(existing, other);
        if differs.is_empty() {
            self.report.already_there += 1;
            return;
        }
        self.report.conflicts += 1;
        (self.heard)(Event::Conflict {
            line,
            id: existing.id.to_string(),
            differs,
        });
    }
}

/// Names the fields in which two entries of one id differ. Status and accesses may: one went on.
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
        ("created_at", one.created_at == other.created_at),
    ];
    let different = same.into_iter().filter(|(_, same)| !same);
    different.map(|(field, _)| field).collect()
}
