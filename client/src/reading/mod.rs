//! Reads everything that a server knows: all families at once, an entry, the knowledge base, documentation.
//!
//! Questions are sanitized like queries. [`several`] asks more than one server.

mod answers;
mod reference;
mod several;
mod similar;

use recall_kit_shared_types::{
    ErrorBody, ErrorCode, RpcError, ToolName,
    applicability::Environment,
    knowledge::{EntryData, SearchData, SearchRequest, ShowRequest, UNCOUNTED_META},
    libraries::{
        LibraryDocsData, LibraryDocsRequest, LibraryDocument, SearchLibrariesData,
        SearchLibrariesRequest, library_limits,
    },
    recall::{RecallData, RecallRequest},
};
use rmcp::model::{CallToolResult, RequestMetaObject};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

pub use answers::{FoundDocs, FoundEntries, FoundLibraries, Labelled, Recalled, Shown};
pub use reference::{Reference, ReferenceError, short_ids};

use crate::{Error, RecallKitClient, connection::answer, object, query::Fits};

/// A request for documentation of one library, which is named rather than given by its id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocsRequest {
    /// What to look for; several topics separated by commas.
    pub topic: String,
    /// The library's name; all libraries if left out.
    pub library: Option<String>,
    /// Its version; all versions if left out.
    pub version: Option<String>,
    /// The most tokens (cl100k) of the answer, 200–20,000; the server's 2,000 when left out.
    pub max_tokens: Option<u32>,
}

impl RecallKitClient {
    /// Asks experiences, knowledge and documentation at once. The environment leaves this machine only if the settings want it,
    /// and if the sanitizer finds no secret in it.
    ///
    /// *Errors*: [`Error::ToolMissing`] for a server without `recall`, and any error of a failed call.
    pub async fn recall(
        &self,
        request: &RecallRequest,
        environment: Option<&Environment>,
    ) -> Result<RecallData, Error> {
        let mut meta = RequestMetaObject::new();
        self.add_environment(environment, &mut meta);
        let mut fits = Fits::default();
        let take = |result: &mut CallToolResult| fits = answer::fits(result);
        let mut data: RecallData = self
            .read_with(ToolName::Recall, request, meta, take)
            .await?;
        for result in &mut data.results {
            result.fits = fits.why(&result.id);
        }
        Ok(data)
    }

    /// Searches the knowledge base.
    ///
    /// *Errors*: like [`RecallKitClient::recall`].
    pub async fn search_knowledge(&self, request: &SearchRequest) -> Result<SearchData, Error> {
        let mut meta = RequestMetaObject::new();
        self.request_citations(&mut meta);
        let tool = ToolName::RekallSearch;
        self.read_with(tool, request, meta, |_| {}).await
    }

    /// Lists the libraries that fit a name or a purpose; all of them without a name.
    ///
    /// *Errors*: like [`RecallKitClient::recall`].
    pub async fn search_libraries(
        &self,
        name: Option<String>,
    ) -> Result<SearchLibrariesData, Error> {
        let request = SearchLibrariesRequest { library_name: name };
        self.read(ToolName::SearchLibraries, &request).await
    }

    /// Reads documentation on a topic.
    ///
    /// *Errors*: [`Error::Unresolved`] if no library has the name; else like [`RecallKitClient::recall`].
    pub async fn library_docs(&self, request: &DocsRequest) -> Result<LibraryDocsData, Error> {
        let library_id = match &request.library {
            Some(name) => Some(self.library_named(name).await?),
            None => None,
        };
        let request = LibraryDocsRequest {
            topic: request.topic.clone(),
            library_id,
            version: request.version.clone(),
            mode: None,
            page: None,
            max_tokens: request.max_tokens,
        };
        self.read(ToolName::GetLibraryDocs, &request).await
    }

    /// Returns the id of the library with a name, whatever its case.
    async fn library_named(&self, name: &str) -> Result<u64, Error> {
        let found = self.search_libraries(Some(name.to_owned())).await?;
        let mut libraries = found.libraries.iter();
        let exact = libraries.find(|one| one.name.to_lowercase() == name.trim().to_lowercase());
        if let Some(library) = exact {
            return Ok(library.library_id);
        }
        let candidates = found.libraries.iter();
        let candidates = candidates.map(|one| json!({"id": one.name, "title": one.description}));
        let mut body = ErrorBody::new(
            ErrorCode::LibraryNotFound,
            format!("there is no documentation of a library `{}`", name.trim()),
        );
        body.details = Some(json!({ "candidates": candidates.collect::<Vec<_>>() }));
        Err(Error::Unresolved(Box::new(body)))
    }

    /// Shows the entry, the experience or the section of documentation that a reference names.
    ///
    /// *Errors*: [`Error::Unresolved`] if there is none, or several; else like [`RecallKitClient::recall`].
    pub async fn show(&self, reference: &Reference) -> Result<Shown, Error> {
        self.shown(reference, RequestMetaObject::new()).await
    }

    /// Looks up what a reference names, for a program and not for a reader: the server does not count it as an opening.
    ///
    /// *Errors*: those of [`RecallKitClient::show`].
    pub async fn look_up(&self, reference: &Reference) -> Result<Shown, Error> {
        self.shown(reference, uncounted()).await
    }

    async fn shown(&self, reference: &Reference, meta: RequestMetaObject) -> Result<Shown, Error> {
        match reference {
            Reference::Record(id) => {
                let request = ShowRequest { id: id.clone() };
                let tool = ToolName::RekallShow;
                let shown = self.read_with::<EntryData>(tool, &request, meta, |_| {});
                match shown.await {
                    Ok(entry) => Ok(Shown::Record(Box::new(entry.into()))),
                    Err(error) => Err(unresolved(error, reference)),
                }
            }
            Reference::Section(section) => {
                let request = LibraryDocsRequest {
                    topic: section.topic(),
                    library_id: Some(section.library),
                    version: Some(section.version.clone()),
                    mode: None,
                    page: None,
                    max_tokens: Some(library_limits::MAX_TOKENS),
                };
                let found: LibraryDocsData = self.read(ToolName::GetLibraryDocs, &request).await?;
                let documents = found.documents.into_iter();
                let fitting: Vec<LibraryDocument> =
                    documents.filter(|one| section.fits(one)).collect();
                section_of(fitting, found.library_name, reference)
            }
        }
    }

    /// Calls a tool that only reads and answers with a plain object. The texts of the arguments are sanitized
    /// like a query.
    async fn read<T: DeserializeOwned>(
        &self,
        tool: ToolName,
        arguments: &impl Serialize,
    ) -> Result<T, Error> {
        let meta = RequestMetaObject::new();
        self.read_with(tool, arguments, meta, |_| {}).await
    }

    /// Does the same with `_meta`; `take` sees the result before it is read.
    async fn read_with<T: DeserializeOwned>(
        &self,
        tool: ToolName,
        arguments: &impl Serialize,
        meta: RequestMetaObject,
        take: impl FnOnce(&mut CallToolResult),
    ) -> Result<T, Error> {
        let mut arguments = object(arguments);
        arguments.retain(|_, value| !value.is_null());
        let arguments = self.clean_lookup(arguments);
        let answered = self.call(tool, &arguments, meta).await;
        let read = |mut result: CallToolResult| {
            take(&mut result);
            answer::read_plain(result, &self.target.url)
        };
        let answered = answered.map_err(|error| self.explained(error, tool));
        self.logged(tool.as_str(), answered.and_then(read))
    }

    /// Names the tool that the server does not have, if that is why a call failed.
    pub(crate) fn explained(&self, error: Error, tool: ToolName) -> Error {
        let unknown = RpcError::ToolNotFound.mcp_code();
        match &error {
            Error::Protocol { code, message }
                if *code == unknown && message.to_lowercase().contains("unknown tool") =>
            {
                Error::ToolMissing {
                    server: self.label(),
                    tool: tool.to_string(),
                }
            }
            _ => error,
        }
    }
}

/// Returns the `_meta` of a call that is not counted as an opening.
fn uncounted() -> RequestMetaObject {
    let mut meta = RequestMetaObject::new();
    meta.0.insert(UNCOUNTED_META.to_owned(), true.into());
    meta
}

/// Converts the error of a server that does not find the one record, which it words for agents.
fn unresolved(error: Error, reference: &Reference) -> Error {
    match error {
        Error::Validation(body)
            if matches!(body.code, ErrorCode::EntryNotFound | ErrorCode::NotFound) =>
        {
            missing(reference)
        }
        Error::Validation(body) => {
            let details = body.details.as_ref();
            let candidates = details.and_then(|details| details["candidates"].as_array());
            match candidates {
                Some(candidates) => ambiguous(reference, candidates.clone()),
                None => Error::Validation(body),
            }
        }
        error => error,
    }
}

/// Returns the error for a reference that names nothing.
fn missing(reference: &Reference) -> Error {
    let message = match reference {
        Reference::Record(id) => format!("no record has an id that begins with `{id}`"),
        Reference::Section(_) => format!("there is no section `{reference}`"),
    };
    Error::Unresolved(Box::new(ErrorBody::new(ErrorCode::EntryNotFound, message)))
}

/// Returns the only section that fits a reference. The examples of a section have its title, too, and belong
/// to it.
fn section_of(
    mut fitting: Vec<LibraryDocument>,
    library_name: Option<String>,
    reference: &Reference,
) -> Result<Shown, Error> {
    let mut titles: Vec<&str> = fitting.iter().map(|one| one.title.as_str()).collect();
    titles.dedup();
    match titles.as_slice() {
        [] => Err(missing(reference)),
        [_] => {
            for document in &mut fitting {
                let name = document.library_name.take();
                document.library_name = name.or_else(|| library_name.clone());
            }
            let sections = fitting.into_iter().map(Labelled::from);
            Ok(Shown::Section(sections.collect()))
        }
        several => {
            let candidates = several
                .iter()
                .map(|title| json!({"id": reference.with_title(title), "title": title}));
            Err(ambiguous(reference, candidates.collect()))
        }
    }
}

/// Returns the error for a reference that several records or sections fit.
fn ambiguous(reference: &Reference, candidates: Vec<serde_json::Value>) -> Error {
    let message = format!("several records begin with `{reference}`; use more of one id");
    let mut body = ErrorBody::new(ErrorCode::ValidationError, message);
    body.details = Some(json!({ "candidates": candidates }));
    Error::Unresolved(Box::new(body))
}
