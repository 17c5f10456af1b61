//! Writing every record of a database as lines.

use std::io::{self, Write};

use uuid::Uuid;

use super::line::{self, Header};
use crate::store::{Store, StoreError};

/// Records read at once; of the largest kind they are some hundred megabytes.
const PAGE: u32 = 100;

/// Why an export broke off.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The database could not be read.
    #[error("the database could not be read")]
    Store(#[from] StoreError),
    /// The lines could not be written.
    #[error("the export could not be written")]
    Write(#[from] io::Error),
}

/// Writes a header and every record, ordered by id, and returns how many records.
///
/// Records are never changed and never vanish, so reading page after page in the order of ids gives
/// every record that was there at the beginning, and holds up no writer. `progress` hears after each
/// page how many are written.
pub async fn export(
    store: &dyn Store,
    with_vectors: bool,
    out: &mut (dyn Write + Send),
    mut progress: impl FnMut(u64),
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
    out.flush()?;
    Ok(written)
}
