//! `resources/list`, `resources/templates/list` and `resources/read`, as JSON. Source: MCP specification,
//! "Resources".

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use recall_kit_catalogue::resources::{Content, Listed, ResourceError};
use recall_kit_core::{
    access::Caller,
    error::ServiceError,
    knowledge::graph::{self, Part},
};
use recall_kit_libraries::{
    Address, DOCS_TEMPLATE, LIBRARY_TEMPLATE, is_library_address, resource as library,
};
use recall_kit_sanitizer::{remove_invisible, without_invisible};
use recall_kit_shared_types::{ErrorCode, RpcError};
use recall_kit_telemetry::chain;
use serde_json::{Value, json};

use crate::tools::{CallError, Features, Object, invalid, shown};

/// Resources on one page of a list.
const PAGE: usize = 500;
/// The media type of resources for programs.
const JSON: &str = "application/json";

/// Lists a page of the resources: those of the settings, the knowledge graph, every library.
///
/// *Errors*: [`RpcError::InvalidParams`] for a cursor that no previous page returned;
/// [`RpcError::InternalError`] when the libraries cannot be read.
pub async fn list(features: &Arc<Features>, cursor: Option<&str>) -> Result<Value, CallError> {
    let listing = Arc::clone(features);
    let offered = tokio::task::spawn_blocking(move || listing.resources())
        .await
        .map_err(|_| broken("the list of resources"))?;
    let view = features.libraries().view().await;
    let view = view.map_err(|error| failed("the libraries could not be read", error.into()))?;
    let libraries = library::listed(&view);
    let all: Vec<&Listed> = offered.iter().chain(&libraries).collect();
    let start = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse::<usize>()
            .ok()
            .filter(|start| *start < all.len())
            .ok_or_else(|| invalid("`cursor` is not the `nextCursor` of a page".to_owned()))?,
    };
    let page: Vec<Value> = all
        .iter()
        .skip(start)
        .take(PAGE)
        .copied()
        .map(shape)
        .collect();
    let next = start + page.len();
    Ok(if next < all.len() {
        json!({ "resources": page, "nextCursor": next.to_string() })
    } else {
        json!({ "resources": page })
    })
}

fn shape(listed: &Listed) -> Value {
    let mut shape = json!({ "uri": listed.uri, "name": without_invisible(&listed.name) });
    if let Some(object) = shape.as_object_mut() {
        if let Some(description) = &listed.description {
            let description = without_invisible(description);
            object.insert("description".to_owned(), json!(description));
        }
        object.insert("mimeType".to_owned(), json!(listed.mime_type));
        if let Some(size) = listed.size {
            object.insert("size".to_owned(), json!(size));
        }
    }
    shape
}

/// Lists the templates: one for each folder, one for the knowledge graph, two for the libraries.
pub fn templates(features: &Features) -> Value {
    let entries = features.app().catalogue.entries();
    let templates: Vec<Value> = entries
        .resources
        .iter()
        .filter_map(|resource| resource.template())
        .map(|template| {
            let mut shape = json!({ "uriTemplate": template.uri_template, "name": template.name });
            if let (Some(object), Some(description)) = (shape.as_object_mut(), template.description)
            {
                object.insert("description".to_owned(), json!(description));
            }
            shape
        })
        .chain([
            json!({
                "uriTemplate": graph::TEMPLATE,
                "name": "Knowledge graph",
                "description": graph::DESCRIPTION,
                "mimeType": JSON,
            }),
            json!({
                "uriTemplate": LIBRARY_TEMPLATE,
                "name": "Library by ID",
                "description": "Get library information by ID",
                "mimeType": JSON,
            }),
            json!({
                "uriTemplate": DOCS_TEMPLATE,
                "name": "Documentation Chunk",
                "description": "Get documentation chunk for a specific library version and topic \
                                (supports comma-separated topics like overview,api,examples)",
                "mimeType": "text/markdown",
            }),
        ])
        .collect();
    json!({ "resourceTemplates": templates })
}

/// Reads a resource; of the knowledge graph only the part that the caller may see.
///
/// *Errors*: [`RpcError::ResourceNotFound`]; [`RpcError::InternalError`] if it cannot be read;
/// [`RpcError::InvalidParams`] for an invalid address of the graph or of a library.
pub async fn read(features: &Features, caller: &Caller, uri: &str) -> Result<Value, CallError> {
    if graph::is_address(uri) {
        return read_graph(features, caller, uri).await;
    }
    if is_library_address(uri) {
        return read_library(features, uri).await;
    }
    let entries = features.app().catalogue.entries();
    let address = uri.to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let mut resources = entries.resources.iter();
        resources.find_map(|resource| resource.read(&address))
    });
    let read = read.await.map_err(|_| broken("the resource"))?;
    let content = read
        .unwrap_or(Err(ResourceError::NotFound))
        .map_err(|error| refused(uri, error))?;
    Ok(json!({ "contents": [contents(uri, content)] }))
}

/// Reads the knowledge graph: as JSON for programs, and as a Mermaid drawing.
async fn read_graph(features: &Features, caller: &Caller, uri: &str) -> Result<Value, CallError> {
    let part = Part::of(uri).map_err(invalid)?;
    let graph = graph::graph(&features.app().knowledge, caller, &part).await;
    let graph = graph.map_err(|error| failed("the knowledge graph could not be read", error))?;
    let json = serde_json::to_string(&graph).map_err(|_| broken("the graph"))?;
    let drawing = graph::mermaid(&graph);
    Ok(json!({ "contents": [
        { "uri": uri, "mimeType": JSON, "text": without_invisible(&json) },
        { "uri": uri, "mimeType": "text/vnd.mermaid", "text": without_invisible(&drawing) },
    ]}))
}

/// Reads a library, or its documentation on a topic.
async fn read_library(features: &Features, uri: &str) -> Result<Value, CallError> {
    let broken = |error| failed("a library could not be read", error);
    let address = Address::of(uri).map_err(|body| broken(body.into()))?;
    let content = library::read(features.libraries(), address).await;
    let mut content = content.map_err(broken)?;
    if let Ok(text) = &mut content.body {
        remove_invisible(text);
    }
    Ok(json!({ "contents": [contents(uri, content)] }))
}

/// Turns the failure of a use case into a protocol error; logs it with the message `what` if it is a fault
/// of the server.
pub(crate) fn failed(what: &'static str, error: ServiceError) -> CallError {
    if error.is_fault() {
        tracing::error!(error = chain(&error), "{what}");
    }
    let body = error.body();
    let fields = body.validation_errors.iter().flatten();
    let messages: Vec<&str> = fields.map(|field| field.message.as_str()).collect();
    CallError {
        cause: match body.code {
            ErrorCode::EntryNotFound | ErrorCode::LibraryNotFound | ErrorCode::VersionNotFound => {
                RpcError::ResourceNotFound
            }
            ErrorCode::ValidationError | ErrorCode::MissingRequiredFields => {
                RpcError::InvalidParams
            }
            _ => RpcError::InternalError,
        },
        details: match messages.as_slice() {
            [] => body.message,
            messages => messages.join("; "),
        },
    }
}

/// Checks that a resource exists and that its changes can be announced.
///
/// *Errors*: [`RpcError::ResourceNotFound`]; [`RpcError::InvalidRequest`] for the graph;
/// [`RpcError::InvalidParams`] for an invalid address of a library.
pub(crate) fn check_watchable(features: &Features, uri: &str) -> Result<(), CallError> {
    if graph::is_address(uri) {
        return Err(CallError {
            cause: RpcError::InvalidRequest,
            details: "changes of the knowledge graph are not announced; read it again instead"
                .to_owned(),
        });
    }
    if is_library_address(uri) {
        let view = features.libraries().cached_view();
        let checked = Address::of(uri).and_then(|address| address.check(&view));
        return checked.map_err(|body| failed("a library", body.into()));
    }
    let entries = features.app().catalogue.entries();
    match entries.resources.iter().any(|resource| resource.has(uri)) {
        true => Ok(()),
        false => Err(refused(uri, ResourceError::NotFound)),
    }
}

fn contents(uri: &str, content: Content) -> Value {
    let (field, body) = match content.body {
        Ok(text) => ("text", text),
        Err(bytes) => ("blob", STANDARD.encode(bytes)),
    };
    json!({ "uri": uri, "mimeType": content.mime_type, field: body })
}

fn refused(uri: &str, error: ResourceError) -> CallError {
    match error {
        ResourceError::NotFound => CallError {
            cause: RpcError::ResourceNotFound,
            details: format!(
                "there is no resource `{}`; resources/list returns the existing ones",
                shown(uri)
            ),
        },
        error => {
            tracing::warn!(error = chain(&error), "a resource could not be read");
            CallError {
                cause: RpcError::InternalError,
                details: error.to_string(),
            }
        }
    }
}

fn broken(what: &str) -> CallError {
    CallError {
        cause: RpcError::InternalError,
        details: format!("{what} could not be read; the server's log says why"),
    }
}

/// Returns `uri` from a request's parameters.
///
/// *Errors*: [`RpcError::InvalidParams`] if it is missing or not a string.
pub fn uri_of(params: &Object) -> Result<&str, CallError> {
    params
        .get("uri")
        .and_then(Value::as_str)
        .ok_or_else(|| invalid("`uri` must be a string: the resource's address".to_owned()))
}
