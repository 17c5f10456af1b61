//! Libraries as resources: a library as JSON, and its documentation on a topic as Markdown.

use recall_kit_catalogue::resources::{Content, Listed};
use recall_kit_core::error::ServiceError;
use recall_kit_shared_types::libraries::{LibraryDocsData, LibraryDocument, LibraryResource};
use recall_kit_store::Library;

use crate::{
    Address, DocsQuery, Libraries, LibraryView,
    docs::{self, fenced},
    library_address, no_library,
    search::other_versions,
};

/// The media type of libraries.
const JSON: &str = "application/json";
/// The media type of documentation.
const MARKDOWN: &str = "text/markdown";
/// Returns every library as an item of the list of resources, ordered by name.
pub fn listed(view: &LibraryView) -> Vec<Listed> {
    let libraries = view.libraries().iter();
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

/// Reads the resource at an address.
///
/// *Errors*: [`ServiceError::Refused`] for a library or version that does not exist; else those of
/// [`crate::docs`].
pub async fn read(libraries: &Libraries, address: Address) -> Result<Content, ServiceError> {
    match address {
        Address::Library(id) => {
            let view = libraries.view().await?;
            let library = view.library(id).ok_or_else(|| no_library(id))?;
            let text = serde_json::to_string(&resource(library));
            Ok(Content {
                mime_type: JSON.to_owned(),
                body: Ok(text.map_err(|_| ServiceError::Broken("the library"))?),
            })
        }
        Address::Docs(query) => {
            let found = docs::docs(libraries, query.clone()).await?;
            Ok(Content {
                mime_type: MARKDOWN.to_owned(),
                body: Ok(markdown(&query, &found)),
            })
        }
    }
}

/// Converts a library: the default version first, then the others, newest first.
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

/// Formats the found documents one after the other, each with its source.
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
