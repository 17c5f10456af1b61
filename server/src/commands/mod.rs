//! The commands other than serving.

pub(crate) mod backup;
pub(crate) mod entries;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod ingest;
pub(crate) mod keys;
pub(crate) mod libraries;
pub(crate) mod migrate;
pub(crate) mod migrate_store;
mod progress;
pub(crate) mod records;
mod table;
pub(crate) mod users;

use std::{io::Write as _, sync::Arc};

use jiff::Timestamp;
use recall_kit_core::error::OpenError;
use recall_kit_settings::Settings;
use recall_kit_store::Store;

/// Opens the database; also returns its address without credentials, for messages.
async fn open(settings: &Settings) -> anyhow::Result<(Arc<dyn Store>, String)> {
    let options = settings.store_options()?;
    let shown = options.url.to_string();
    match recall_kit_store::open(&options).await {
        Ok(store) => Ok((store, shown)),
        Err(source) => Err(OpenError::Open { url: shown, source }.into()),
    }
}

/// Returns the current time to the second, which is precise enough for people and lists.
fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

#[expect(
    clippy::print_stderr,
    reason = "messages for the person, apart from the answer"
)]
fn eprint(message: &str) {
    eprintln!("{message}");
}

/// Writes the answer to standard output. Unlike `println!` it returns an error instead of panicking if the
/// reader is gone.
pub(crate) fn print(answer: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{answer}")?;
    stdout.flush()
}
