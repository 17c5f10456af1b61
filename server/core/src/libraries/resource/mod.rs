//! Libraries as resources: what one is, as JSON, and its documentation on a topic, as Markdown.
//!
//! Source: seeds documentation document, "resources/read".

use std::sync::Arc;

use recall_kit_shared_types::libraries::{LibraryDocsData, LibraryDocument, LibraryResource};
use recall_kit_store::Library;

use super::{
    Address, DocsQuery, Shelf, docs, docs::fenced, library_address, no_library, other_versions,
};
use crate::{
    app::App,
    catalogue::resources::{Content, Listed},
    error::ServiceError,
};

/// The media type of what programs read.
const JSON: &str = "application/json";
/// That of documentation.
const MARKDOWN: &str = "text/markdown";
/// Returns every library as lists of resources show it, in the order of names.
pub fn listed(shelf: &Shelf) -> Vec<Listed> {
    let libraries = shelf.libraries().iter();
    libraries
        .map(|library| Listed {
            uri: library_address(library.id),
            name: library.name.clone(),
            description: Some(library.description.clone()).filter(|words| !words.is_empty()),
            mime_type: JSON.to_owned(),
            size: None,
        })
        .collect()
}

/// Reads what an address means.
///
/// *Errors*: [`ServiceError::Refused`] for a library or version that there is not; else as
/// [`docs`].
pub async fn read(app: &Arc<App>, address: Address) -> Result<Content, ServiceError> {
    match address {
        Address::Library(id) => {
            let shelf = app.shelf.now(app).await?;
            let library = shelf.library(id).ok_or_else(|| no_library(id))?;
            let text = serde_json::to_string(&resource(library));
            Ok(Content {
                mime_type: JSON.to_owned(),
                body: Ok(text.map_err(|_| ServiceError::Broken("the library"))?),
            })
        }
        Address::Docs(query) => {
            let found = docs(app, query.clone()).await?;
            Ok(Content {
                mime_type: MARKDOWN.to_owned(),
                body: Ok(markdown(&query, &found)),
            })
        }
    }
}

/// A library as the document shows it: the default version first, then the others, newest first.
fn resource(library: &Library) -> LibraryResource {
    let mut versions = vec![library.default_version.clone()];
    versions.extend(other_versions(library));
    LibraryResource {
        id: library.id,
        name: library.name.clone(),
        description: library.description.clone(),
        versions,
        default_version: library.default_version.clone(),
        snippets: library.versions.iter().map(|version| version.chunks).sum(),
    }
}

/// Writes the best pieces one below the other, each with where it stands.
fn markdown(query: &DocsQuery, found: &LibraryDocsData) -> String {
    let topics = query.topics.join(", ");
    if found.documents.is_empty() {
        return format!("Nothing in this documentation is about {topics}; try other words.\n");
    }
    let pieces: Vec<String> = found.documents.iter().map(piece).collect();
    pieces.join("\n---\n\n")
}

fn piece(document: &LibraryDocument) -> String {
    let LibraryDocument {
        title,
        source,
        version,
        ..
    } = document;
    let mut text = format!("## {title}\n\nSource: {source}, {version}\n\n");
    if let Some(content) = &document.content {
        text.push_str(&format!("{}\n", content.trim_end()));
    }
    if let Some(code) = &document.code {
        if let Some(description) = &document.description {
            text.push_str(&format!("{description}\n\n"));
        }
        let language = document.language.as_deref().unwrap_or_default();
        text.push_str(&format!("{}\n", fenced(code, language)));
    }
    text
}

#[cfg(test)]
mod tests;
