//! The documentation that answers a `recall`.

use recall_kit_core::{
    error::ServiceError,
    knowledge::{
        entries::SNIPPET_CHARS,
        recall::{Candidate, Recall},
    },
};
use recall_kit_search::SnippetTerms;
use recall_kit_shared_types::{
    ToolName,
    libraries::LibraryDocument,
    recall::{RecallFamily, RecallResult, ToolCall},
};
use serde_json::{Map, Value, json};

use crate::{DocsQuery, Libraries, docs, library_named};

/// Returns the best sections of documentation for a question.
///
/// *Errors*: `LIBRARY_NOT_FOUND`, else those of [`docs`].
pub async fn candidates(
    libraries: &Libraries,
    recall: &Recall,
) -> Result<Vec<Candidate>, ServiceError> {
    let view = libraries.view().await?;
    if view.libraries().is_empty() && recall.library.is_none() {
        return Ok(Vec::new());
    }
    let library = match &recall.library {
        Some(name) => Some(library_named(&view, name, "library")?.id),
        None => None,
    };
    let found = docs(
        libraries,
        DocsQuery {
            topics: vec![recall.query.clone()],
            library,
            version: None,
            mode: None,
            language: None,
            size: recall.limit as usize,
            max_tokens: None,
            page: 1,
        },
    )
    .await?;
    let terms = SnippetTerms::of(&recall.query);
    let documents = found.documents.into_iter();
    Ok(documents
        .map(|one| Candidate::new(shown(one, library, &terms)))
        .collect())
}

fn shown(document: LibraryDocument, library: Option<u64>, terms: &SnippetTerms) -> RecallResult {
    let text = document.content.or(document.code).unwrap_or_default();
    let title = match &document.library_name {
        Some(name) => format!("{name}: {}", document.title),
        None => document.title.clone(),
    };
    let mut arguments = Map::from_iter([("topic".to_owned(), Value::from(document.title))]);
    if let Some(library) = library.or(document.library_id) {
        arguments.insert("libraryId".to_owned(), json!(library));
    }
    arguments.insert("version".to_owned(), json!(document.version));
    RecallResult {
        family: RecallFamily::Library,
        id: document.source,
        title,
        snippet: terms.snippet(&text, SNIPPET_CHARS),
        score: (document.relevance * 100.0).round() / 100.0,
        fits: None,
        open: ToolCall {
            tool: ToolName::GetLibraryDocs.to_string(),
            arguments,
        },
    }
}
