//! Reading a version's source again: what to ask for, so that the same version comes out.

use recall_kit_sources::{Source, SourceKind, SourceOptions};
use recall_kit_store::{Library, LibraryVersion};

use crate::libraries::ingest::{IngestError, Request};

/// Returns what reads a version in again. Of git it is the tag or branch that was asked for, else the
/// one that the version is called after, else what is checked out or the default branch; description
/// and default version stay.
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

/// The tag or branch of git that is meant by a version's name.
fn at(source: &str, version: &str, options: &SourceOptions) -> Result<Option<String>, IngestError> {
    let source = Source::open(source, options)?;
    for name in [version.to_owned(), format!("v{version}")] {
        if source.described(Some(&name)).is_ok() {
            return Ok(Some(name));
        }
    }
    // The version came from git: what lies in the folder is not it.
    let is_folder = source.described(None)?.kind == SourceKind::Folder;
    Ok(is_folder.then(|| "HEAD".to_owned()))
}

#[cfg(test)]
mod tests;
