//! Ingesting documentation for a client: checks that the source is allowed, one source at a time.
//!
//! Security properties: only sources that the settings allow are read. Addresses that are not reachable from
//! the public internet are rejected whatever the settings say, since the server must not give a client
//! access to private networks.

use std::sync::Arc;

use recall_kit_core::{access::Caller, error::ServiceError, validation::refused};
use recall_kit_settings::IngestSources;
use recall_kit_shared_types::{
    ErrorBody, ErrorCode,
    libraries::{IngestLibraryData, IngestLibraryRequest, library_limits::MAX_REASONS},
};
use recall_kit_sources::{SourceOptions, is_web_address};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::{
    Libraries,
    ingest::{self, IngestError, LATEST, Progress, Report, Request},
};

/// Ingests a source into a library; `progress` is called repeatedly.
///
/// *Errors*: [`ServiceError::Refused`] for a source that is not allowed or cannot be read, and while
/// another one is being ingested; else those of the database. Nothing is changed then, nor if the future is
/// dropped.
pub async fn ingest_for_client(
    libraries: &Arc<Libraries>,
    caller: &Caller,
    wanted: IngestLibraryRequest,
    progress: impl FnMut(&Progress) + Send + 'static,
) -> Result<IngestLibraryData, ServiceError> {
    allow(libraries.app.catalogue.entries().ingest, &wanted.source)?;
    let stop = CancellationToken::new();
    let _stop_when_dropped = stop.clone().drop_guard();
    let (libraries, by, runtime) = (Arc::clone(libraries), caller.clone(), Handle::current());
    // A run stays on one blocking thread, so that it does not occupy threads that serve requests.
    let read = tokio::task::spawn_blocking(move || {
        let Ok(_turn) = libraries.ingesting.try_lock() else {
            let words = "another source is being ingested; try again when it is done".to_owned();
            return Err(invalid("source", words).into());
        };
        let means = libraries.means(&by);
        let run = ingest::ingest_until(&stop, means, request(wanted), progress);
        let report = runtime.block_on(run).map_err(in_words)?;
        libraries.app.embedding.request_backfill();
        Ok(report)
    });
    let report: Result<Report, ServiceError> =
        read.await.map_err(|_| ServiceError::Broken("reading"))?;
    let report = report?;
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

/// Checks that the settings allow a source.
///
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
            "clients may not ingest documentation; the setting libraries.ingest allows it, and \
             `recall-kit-server ingest` needs no permission"
        }
    };
    Err(invalid("source", words.to_owned()))
}

fn invalid(field: &str, words: String) -> Box<ErrorBody> {
    refused(ErrorCode::ValidationError, field, words)
}

pub(crate) fn in_words(error: IngestError) -> ServiceError {
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
