//! Resources, fixed ones and those of a template.

use std::sync::LazyLock;

use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceTemplate},
};
use serde_json::json;

use crate::{complete, content::PNG, fixture, skills};

/// Returns every resource that can be listed.
pub(crate) fn all() -> &'static [Resource] {
    static RESOURCES: LazyLock<Vec<Resource>> = LazyLock::new(|| {
        let mut all: Vec<Resource> = fixture(json!([
            {
                "uri": "test://static-text",
                "name": "static-text",
                "description": "A text",
                "mimeType": "text/plain",
            },
            {
                "uri": "test://static-binary",
                "name": "static-binary",
                "description": "An image",
                "mimeType": "image/png",
            },
            {
                "uri": "test://watched-resource",
                "name": "watched-resource",
                "description": "A text to subscribe to",
                "mimeType": "text/plain",
            },
        ]));
        all.push(skills::main_file());
        all
    });
    &RESOURCES
}

/// Returns the only template.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    fixture(json!([{
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "A text about an id",
        "mimeType": "application/json",
    }]))
}

/// Reads a resource.
///
/// *Errors*: resource not found, with the URI.
pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let (mime_type, field, content) = match uri {
        "test://static-text" => (
            "text/plain",
            "text",
            "This is the content of the static text resource.".to_owned(),
        ),
        "test://static-binary" => ("image/png", "blob", PNG.to_owned()),
        "test://watched-resource" => ("text/plain", "text", "Unchanged so far.".to_owned()),
        _ => match skills::text(uri) {
            Some(text) => ("text/markdown", "text", text.to_owned()),
            None => ("application/json", "text", about(uri)?),
        },
    };
    let contents = json!([{"uri": uri, "mimeType": mime_type, field: content}]);
    Ok(complete(json!({"contents": contents})))
}

/// Returns the content that the template gives for the id in a URI.
fn about(uri: &str) -> Result<String, ErrorData> {
    let id = uri
        .strip_prefix("test://template/")
        .and_then(|rest| rest.strip_suffix("/data"))
        .ok_or_else(|| {
            ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri})))
        })?;
    Ok(json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string())
}
