//! Reads from the texts of experiences where they apply: in the background for those that an older version of the
//! program stored, and right after a submission or an edit.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use recall_kit_applicability::{READER, RecordTexts, claims_in};
use recall_kit_shared_types::applicability::Applies;
use recall_kit_store::{ReadTexts, UnreadExperience};
use recall_kit_telemetry::chain;

use super::Applicabilities;
use crate::{error::ServiceError, indexing::Source};

/// Experiences whose texts are read at once.
const BATCH: u32 = 200;
/// Batches that are read in one round of maintenance, so that the rest of it does not wait for long.
const BATCHES_PER_ROUND: usize = 20;
/// How long a question waits for the texts of the last submissions.
const MAX_WAIT: Duration = Duration::from_millis(250);

/// Reads the next texts; `false` if none is left.
///
/// *Errors*: those of the database.
async fn read_some(source: &Source) -> Result<bool, ServiceError> {
    let applicability = &source.applicability;
    let _in_order = applicability.reading.lock().await;
    let head = source.store.head_seq().await?;
    let unread = source.store.unread_experiences(READER, BATCH).await?;
    let Some(last) = unread.experiences.last() else {
        // Another process may have read them.
        applicability.refresh(source.store.as_ref()).await?;
        applicability.read_up_to.fetch_max(head, Ordering::Relaxed);
        applicability.is_behind.store(false, Ordering::Relaxed);
        return Ok(false);
    };
    let is_full = unread.experiences.len() == BATCH as usize;
    applicability.is_behind.store(is_full, Ordering::Relaxed);
    let (after, up_to) = (unread.after, last.seq);
    let known = Arc::clone(applicability);
    let reading = tokio::task::spawn_blocking(move || {
        let experiences = unread.experiences.into_iter();
        experiences
            .map(|one| (one.id, applies(&known, one)))
            .collect()
    });
    let read = ReadTexts {
        reader: READER,
        after,
        up_to,
        applies: reading
            .await
            .map_err(|_| ServiceError::Broken("the reader of versions"))?,
    };
    source.store.put_read_texts(&read).await?;
    applicability.refresh(source.store.as_ref()).await?;
    if !is_full {
        applicability.read_up_to.fetch_max(up_to, Ordering::Relaxed);
    }
    Ok(is_full)
}

/// Reads texts that are left, and logs a failure: the next round tries again.
pub(crate) async fn read_round(source: &Source) {
    for _ in 0..BATCHES_PER_ROUND {
        match read_some(source).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                return tracing::warn!(
                    error = chain(&error),
                    "where experiences apply could not be read from their texts; it is tried again"
                );
            }
        }
    }
}

/// Reads in the background where new experiences apply, unless that is being done.
pub(crate) fn read_soon(source: &Source) {
    if source.applicability.reading.try_lock().is_ok() {
        let source = source.clone();
        drop(tokio::spawn(async move { read_round(&source).await }));
    }
}

/// Reads the texts of the last submissions before a question is answered that knows the experiences up to a `seq`. While
/// many are left, as after an upgrade, the question does not wait for them.
pub(crate) async fn catch_up(source: &Source, seq: u64) {
    let applicability = &source.applicability;
    let is_read = applicability.read_up_to.load(Ordering::Relaxed) >= seq;
    if is_read || applicability.is_behind.load(Ordering::Relaxed) {
        return;
    }
    if let Ok(Err(error)) = tokio::time::timeout(MAX_WAIT, read_some(source)).await {
        tracing::warn!(
            error = chain(&error),
            "a question is answered without the versions of the last submissions"
        );
    }
}

/// Returns where an experience applies: as its author stated it, else as its texts say.
fn applies(known: &Applicabilities, experience: UnreadExperience) -> Vec<Applies> {
    let content = experience.content;
    if let Some(stated) = content.applies {
        return stated;
    }
    let texts = RecordTexts {
        title: &content.title,
        problem: &content.problem_description,
        cause: content.root_cause.as_deref().unwrap_or_default(),
        solution: &content.solution,
        context: content.context.as_deref().unwrap_or_default(),
        keywords: &content.keywords,
    };
    known.with_vocabulary(|vocabulary| claims_in(&texts, vocabulary))
}
