//! `recall-kit-server migrate`: updates the schema of the database, as a start does without `--no-migrate`.

use std::process::ExitCode;

use clap::Args;
use recall_kit_core::error::OpenError;
use recall_kit_settings::SearchEngine;
use recall_kit_store::{Store, StoreError};

use super::print;
use crate::database_args::DatabaseArgs;

/// Flags of `migrate`.
#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// What finds experiences: with postgres, its tables are created too [default: memory]
    #[arg(long, value_name = "ENGINE", value_parser = ["memory", "postgres"])]
    search_engine: Option<String>,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Creates the search tables and, if they already contain records, the index of their vectors.
async fn prepare_search(store: &dyn Store) -> Result<(), StoreError> {
    store.prepare_search().await?;
    store.index_search_vectors().await.map(drop)
}

/// Updates the schema.
pub(crate) async fn run(args: &MigrateArgs) -> anyhow::Result<ExitCode> {
    let mut settings = args.database.load()?;
    settings.database.migrate = true;
    let engine = match args.search_engine.as_deref() {
        Some("postgres") => SearchEngine::Postgres,
        Some(_) => SearchEngine::Memory,
        None => settings.search.engine,
    };
    let (store, shown) = super::open(&settings).await?;
    let prepared = match engine {
        SearchEngine::Postgres => prepare_search(store.as_ref()).await,
        SearchEngine::Memory => Ok(()),
    };
    store.close().await;
    prepared.map_err(OpenError::Search)?;
    print(&format!("the schema is up to date: {shown}"))?;
    Ok(ExitCode::SUCCESS)
}
