//! Builds the request that ingests an existing version again from its source.

use recall_kit_sources::{Source, SourceKind, SourceOptions};
use recall_kit_store::{Library, LibraryVersion};

use crate::ingest::{IngestError, Request};

/// Returns the request that ingests a version again. For git it uses the tag or branch of the original
/// request, else the one with the version's name, else the checked-out commit or the default branch.
/// Description and default version stay the same.
///
/// *Errors*: the source cannot be opened.
pub async fn request(
    library: &Library,
    version: &LibraryVersion,
    options: &SourceOptions,
) -> Result<Request, IngestError> {
    let at = match (&version.at, &version.revision) {
        (Some(at), _) => Some(at.clone()),
        (None, Some(_)) => {
            let (source, name) = (version.source.clone(), version.version.clone());
            let options = options.clone();
            let found = tokio::task::spawn_blocking(move || at(&source, &name, &options));
            found.await.map_err(|_| IngestError::Broken)??
        }
        (None, None) => None,
    };
    Ok(Request {
        library: library.name.clone(),
        description: None,
        version: version.version.clone(),
        at,
        is_default: version.version == library.default_version,
        source: version.source.clone().into(),
        options: options.clone(),
    })
}

/// Returns the tag or branch of git with a version's name.
fn at(source: &str, version: &str, options: &SourceOptions) -> Result<Option<String>, IngestError> {
    let source = Source::open(source, options)?;
    for name in [version.to_owned(), format!("v{version}")] {
        if source.described(Some(&name)).is_ok() {
            return Ok(Some(name));
        }
    }
    // The version came from git, so the folder's working files are not used.
    let is_folder = source.described(None)?.kind == SourceKind::Folder;
    Ok(is_folder.then(|| "HEAD".to_owned()))
}

#[cfg(test)]
mod tests;
