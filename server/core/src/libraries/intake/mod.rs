//! Documentation read in for a client: which sources are allowed, and one at a time.
//!
//! Security properties: only what the settings allow is read; addresses that the internet cannot reach
//! are refused whatever the settings say, since a client must not reach further through the server
//! than by itself.

use std::sync::Arc;

use recall_kit_settings::IngestSources;
use recall_kit_shared_types::{
    ErrorBody, ErrorCode,
    libraries::{IngestLibraryData, IngestLibraryRequest, library_limits::MAX_REASONS},
};
use recall_kit_sources::{SourceOptions, is_web_address};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::{
    access::Caller,
    app::App,
    error::ServiceError,
    libraries::ingest::{self, IngestError, LATEST, Means, Progress, Report, Request},
    validation::refused,
};

/// Reads a source into a library; `heard` hears how far it is.
///
/// *Errors*: [`ServiceError::Refused`] for a source that is not allowed or cannot be read, and while
/// another is read; else what the database said. Nothing is changed then, nor when it is dropped.
pub async fn take_in(
    app: &Arc<App>,
    caller: &Caller,
    wanted: IngestLibraryRequest,
    heard: impl FnMut(&Progress) + Send + 'static,
) -> Result<IngestLibraryData, ServiceError> {
    allow(app.catalogue.entries().ingest, &wanted.source)?;
    let stop = CancellationToken::new();
    let _stop_when_dropped = stop.clone().drop_guard();
    let (reading, by, runtime) = (Arc::clone(app), caller.clone(), Handle::current());
    // A run stays on one thread, which is not one of those that answer requests.
    let read = tokio::task::spawn_blocking(move || {
        let Ok(_turn) = reading.ingesting.try_lock() else {
            let words = "another source is being read in; try again when it is done".to_owned();
            return Err(invalid("source", words).into());
        };
        let describes = reading.settings.ai.describe_examples;
        let means = Means {
            store: reading.store.as_ref(),
            chat: reading.chat.as_ref().filter(|_| describes),
            sandbox: &reading.sandbox,
            now: reading.now(),
            by: &by,
        };
        let run = ingest::ingest_until(&stop, means, request(wanted), heard);
        runtime.block_on(run).map_err(in_words)
    });
    let report = read.await.map_err(|_| ServiceError::Broken("reading"))??;
    app.vectors_missing.notify_one();
    Ok(answer(report))
}

fn request(wanted: IngestLibraryRequest) -> Request {
    let version = wanted.version.or_else(|| wanted.at.clone());
    Request {
        library: wanted.library_name,
        description: wanted.description,
        version: version.unwrap_or_else(|| LATEST.to_owned()),
        at: wanted.at,
        is_default: wanted.make_default.unwrap_or_default(),
        source: wanted.source.into(),
        options: SourceOptions::default(),
    }
}

/// *Errors*: the settings do not allow the source.
fn allow(allowed: IngestSources, source: &str) -> Result<(), Box<ErrorBody>> {
    let words = match allowed {
        IngestSources::All => return Ok(()),
        IngestSources::Urls if is_web_address(source) => return Ok(()),
        IngestSources::Urls => {
            "source must be a web address (https://…); files of this machine are read by \
             `recall-kit-server ingest`, or by this tool with the setting libraries.ingest = \"all\""
        }
        IngestSources::Off => {
            "nothing is read in for clients; the setting libraries.ingest allows it, and \
             `recall-kit-server ingest` needs no permission"
        }
    };
    Err(invalid("source", words.to_owned()))
}

fn invalid(field: &str, words: String) -> Box<ErrorBody> {
    refused(ErrorCode::ValidationError, field, words)
}

pub(super) fn in_words(error: IngestError) -> ServiceError {
    match error {
        IngestError::Store(error) => error.into(),
        IngestError::Name(words) => invalid("libraryName", words).into(),
        error @ (IngestError::Source(_) | IngestError::Nothing { .. }) => {
            invalid("source", recall_kit_telemetry::chain(&error)).into()
        }
        IngestError::Cancelled | IngestError::Broken => ServiceError::Broken("reading"),
    }
}

fn answer(report: Report) -> IngestLibraryData {
    let mut left = report.left;
    left.sort_by_key(|left| !left.broken);
    IngestLibraryData {
        library_id: report.library_id,
        version: report.version,
        revision: report.revision,
        files: report.files,
        unchanged: report.unchanged,
        chunks: report.chunks,
        examples: report.examples,
        tokens: report.tokens,
        passed_over: left.len() as u64,
        reasons: left
            .iter()
            .take(MAX_REASONS)
            .map(ToString::to_string)
            .collect(),
    }
}

#[cfg(test)]
mod tests;
