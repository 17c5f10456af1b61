//! Exports every record of a database as lines of JSON.

use std::io::{self, Write};

use recall_kit_store::{Store, StoreError};
use ulid::Ulid;
use uuid::Uuid;

use super::line::{self, Header};

/// Records read at once; if all have the largest size, they take some hundred megabytes.
const PAGE: u32 = 100;

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The database could not be read.
    #[error("the database could not be read")]
    Store(#[from] StoreError),
    /// The lines could not be written.
    #[error("the export could not be written")]
    Write(#[from] io::Error),
}

/// Writes a header and every record, kind by kind and ordered by id, and returns the number of records.
/// Outcomes come after the experiences that they are about, links after the entries that they join.
///
/// Records are hardly ever removed, so reading page by page in the order of ids returns every record that
/// existed at the beginning, and blocks no writer. `progress` is called after each page with the number
/// written so far.
pub async fn export(
    store: &dyn Store,
    with_vectors: bool,
    out: &mut (dyn Write + Send),
    mut progress: impl FnMut(u64) + Send,
) -> Result<u64, ExportError> {
    let embedding_model = match with_vectors {
        true => store.embedding_model().await?,
        false => None,
    };
    let header = Header { embedding_model };
    out.write_all(header.to_line().as_bytes())?;
    let model = header.embedding_model.as_deref();
    let mut written = 0;
    let mut after = Uuid::nil();
    let mut lines = Vec::new();
    loop {
        let page = store.experiences_by_id(after, model, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.experience.id;
        lines.clear();
        for record in &page {
            line::write(record, &mut lines).map_err(io::Error::from)?;
        }
        out.write_all(&lines)?;
        written += page.len() as u64;
        progress(written);
    }
    let mut out = Lines {
        out,
        written,
        progress: &mut progress,
    };
    write_outcomes(store, after, &mut out).await?;
    let last = write_entries(store, model, &mut out).await?;
    write_links(store, last, &mut out).await?;
    write_suggestions(store, &mut out).await?;
    out.out.flush()?;
    Ok(out.written)
}

/// The output, written a page at a time.
struct Lines<'a> {
    out: &'a mut (dyn Write + Send),
    written: u64,
    progress: &'a mut (dyn FnMut(u64) + Send),
}

impl Lines<'_> {
    fn page<T>(
        &mut self,
        records: &[T],
        write: impl Fn(&T, &mut Vec<u8>) -> serde_json::Result<()>,
    ) -> io::Result<()> {
        let mut lines = Vec::new();
        for record in records {
            write(record, &mut lines).map_err(io::Error::from)?;
        }
        self.out.write_all(&lines)?;
        self.written += records.len() as u64;
        (self.progress)(self.written);
        Ok(())
    }
}

/// Writes every outcome of experiences up to the last exported one; later ones were added meanwhile.
async fn write_outcomes(
    store: &dyn Store,
    last_experience: Uuid,
    out: &mut Lines<'_>,
) -> Result<(), ExportError> {
    let mut after = Uuid::nil();
    loop {
        let mut page = store.outcomes_by_id(after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = last.id;
        page.retain(|outcome| outcome.experience <= last_experience);
        out.page(&page, line::write_outcome)?;
    }
}

/// Writes every entry and returns the last one's id.
async fn write_entries(
    store: &dyn Store,
    model: Option<&str>,
    out: &mut Lines<'_>,
) -> Result<Ulid, ExportError> {
    let mut after = Ulid::nil();
    loop {
        let page = store.stored_entries(after, model, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(after);
        };
        after = last.entry.id;
        out.page(&page, line::write_entry)?;
    }
}

/// Writes every link between entries up to the last exported one; later entries were added meanwhile.
async fn write_links(
    store: &dyn Store,
    last_entry: Ulid,
    out: &mut Lines<'_>,
) -> Result<(), ExportError> {
    let mut after = Ulid::nil();
    loop {
        let mut page = store.stored_links(after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = last.id;
        page.retain(|link| link.source.max(link.target) <= last_entry);
        out.page(&page, line::write_link)?;
    }
}

async fn write_suggestions(store: &dyn Store, out: &mut Lines<'_>) -> Result<(), ExportError> {
    let mut after = Ulid::nil();
    loop {
        let page = store.stored_suggestions(after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = last.suggestion.id;
        out.page(&page, line::write_suggestion)?;
    }
}
