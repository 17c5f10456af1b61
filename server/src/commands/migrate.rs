//! `recall-kit-server migrate`: brings the schema of the database up to date, which a start does otherwise.

use std::process::ExitCode;

use super::print;
use crate::args::DatabaseArgs;

/// Migrates.
pub(crate) async fn run(database: &DatabaseArgs) -> anyhow::Result<ExitCode> {
    let mut settings = database.load()?;
    settings.database.migrate = true;
    let (store, shown) = super::open(&settings).await?;
    store.close().await;
    print(&format!("the schema is up to date: {shown}"))?;
    Ok(ExitCode::SUCCESS)
}
