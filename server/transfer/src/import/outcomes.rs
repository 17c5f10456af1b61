//! Importing outcomes.

use recall_kit_core::clock;
use recall_kit_store::{OutcomeImport, StoreError, StoredOutcome};

use super::{Event, Importer};
use crate::LineError;

impl<F: FnMut(Event<'_>)> Importer<'_, F> {
    /// Stores the outcomes of a batch.
    pub(super) async fn store_outcomes(
        &mut self,
        numbered: &mut Vec<(u64, StoredOutcome)>,
    ) -> Result<(), StoreError> {
        let (lines, outcomes): (Vec<u64>, Vec<StoredOutcome>) = numbered.drain(..).unzip();
        let imports = self.store.import_outcomes(&outcomes, clock::now()).await?;
        for ((import, outcome), line) in imports.iter().zip(&outcomes).zip(lines) {
            match import {
                OutcomeImport::Stored => self.report.imported += 1,
                OutcomeImport::Existing => self.report.already_there += 1,
                OutcomeImport::Conflict => {
                    self.report.conflicts += 1;
                    (self.on_event)(Event::Conflict {
                        line,
                        id: outcome.id.to_string(),
                        differs: vec!["outcome"],
                    });
                }
                OutcomeImport::ExperienceMissing => {
                    self.report.refused += 1;
                    let reason = LineError::Shape("its experience is missing".to_owned());
                    (self.on_event)(Event::Refused {
                        line,
                        reason: &reason,
                    });
                }
            }
        }
        Ok(())
    }
}
