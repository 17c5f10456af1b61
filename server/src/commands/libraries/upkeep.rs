//! `libraries set`, `refresh` and `remove`: maintaining libraries.

use anyhow::{Context as _, bail};
use clap::Args;
use recall_kit_libraries::{
    ingest::{Means, check_description},
    refresh, version_named,
};
use recall_kit_sources::SourceOptions;
use recall_kit_store::{Library, LibraryVersion, Store};
use tokio_util::sync::CancellationToken;

use super::{described, eprint, named};
use crate::{commands::ingest, database_args::DatabaseArgs};

/// Flags of `libraries set`.
#[derive(Debug, Args)]
pub(crate) struct SetArgs {
    /// The library's name
    #[arg(value_name = "NAME")]
    library: String,
    /// The new default version
    #[arg(long, value_name = "VERSION", required_unless_present = "description")]
    default: Option<String>,
    /// What the library is
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Flags of `libraries refresh`.
#[derive(Debug, Args)]
pub(crate) struct RefreshArgs {
    /// The library's name
    #[arg(value_name = "NAME")]
    library: String,
    /// One version [default: every version]
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Allow private addresses, such as an intranet's
    #[arg(long)]
    allow_private: bool,
    /// Answer with one JSON object per version
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Flags of `libraries remove`.
#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The library's name
    #[arg(value_name = "NAME")]
    library: String,
    /// One version [default: the library with every version]
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
}

/// Returns the named version, or all versions with the default version last.
fn selected(library: &Library, version: Option<&str>) -> anyhow::Result<Vec<LibraryVersion>> {
    if let Some(version) = version {
        let version = version_named(library, version).map_err(described)?;
        return Ok(vec![version.clone()]);
    }
    let mut versions = library.versions.clone();
    versions.sort_by_key(|version| version.version == library.default_version);
    Ok(versions)
}

pub(super) async fn set(store: &dyn Store, args: &SetArgs) -> anyhow::Result<()> {
    let library = named(store, &args.library).await?;
    if let Some(version) = &args.default {
        version_named(&library, version).map_err(described)?;
    }
    if let Some(description) = &args.description {
        check_description(description)?;
    }
    let (description, default) = (args.description.as_deref(), args.default.as_deref());
    if !store
        .describe_library(library.id, description, default)
        .await?
    {
        bail!(
            "{} was changed by somebody else meanwhile; nothing was set, try again",
            library.name
        );
    }
    eprint(&format!("{} was changed", library.name));
    Ok(())
}

pub(super) async fn refresh(
    means: Means<'_>,
    args: &RefreshArgs,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let library = named(means.store, &args.library).await?;
    let options = SourceOptions {
        allow_private_addresses: args.allow_private,
        ..SourceOptions::default()
    };
    let reading = async {
        for version in selected(&library, args.version.as_deref())? {
            let request = refresh::request(&library, &version, &options).await;
            let request = request.with_context(|| {
                let name = &version.version;
                format!(
                    "{} {name} was not ingested again; it is unchanged",
                    library.name
                )
            })?;
            ingest::read(means, request, args.json).await?;
        }
        anyhow::Ok(())
    };
    match stop.run_until_cancelled(reading).await {
        Some(read) => read,
        None => bail!("stopped; the version that was being ingested is unchanged"),
    }
}

pub(super) async fn remove(store: &dyn Store, args: &RemoveArgs) -> anyhow::Result<()> {
    let library = named(store, &args.library).await?;
    let removed = selected(&library, args.version.as_deref())?;
    match (&args.version, removed.as_slice()) {
        (Some(_), [only]) => {
            store
                .remove_version(library.id, &only.version, None)
                .await?
        }
        _ => store.remove_library(library.id).await?,
    };
    for version in removed {
        eprint(&format!("{} {} was removed", library.name, version.version));
    }
    Ok(())
}
