//! `completion/complete`: values for arguments of prompts and resource templates, as JSON.
//!
//! Source: MCP specification, "Completion".

use std::sync::Arc;

use serde_json::{Value, json};

use super::{CallError, Features, Object, invalid};
use crate::service::prompts::suggest;

/// Suggests values for what the user is typing.
///
/// *Errors*: [`recall_kit_shared_types::RpcError::InvalidParams`] for a reference or an argument that
/// does not exist.
pub async fn complete(features: &Arc<Features>, params: &Object) -> Result<Value, CallError> {
    let text = |pointer: [&str; 2]| {
        let [outer, inner] = pointer;
        params.get(outer)?.get(inner)?.as_str()
    };
    let (Some(kind), Some(argument), Some(typed)) = (
        text(["ref", "type"]),
        text(["argument", "name"]),
        text(["argument", "value"]),
    ) else {
        return Err(invalid(
            "`completion/complete` takes `ref` {type, name or uri} and `argument` {name, value}"
                .to_owned(),
        ));
    };
    let (values, total) = match (kind, text(["ref", "name"]), text(["ref", "uri"])) {
        ("ref/prompt", Some(name), _) => of_prompt(features, name, argument, typed)?,
        ("ref/resource", _, Some(uri)) => of_resource(features, uri, argument, typed).await?,
        _ => {
            return Err(invalid(
                "`ref` is {\"type\": \"ref/prompt\", \"name\"} or {\"type\": \"ref/resource\", \"uri\"}"
                    .to_owned(),
            ));
        }
    };
    let has_more = total > values.len();
    Ok(json!({ "completion": { "values": values, "total": total, "hasMore": has_more } }))
}

fn of_prompt(
    features: &Features,
    name: &str,
    argument: &str,
    typed: &str,
) -> Result<(Vec<String>, usize), CallError> {
    let entries = features.app().catalogue.entries();
    let prompt = entries.prompts.iter().find(|prompt| prompt.name == name);
    match prompt {
        Some(prompt) if prompt.argument(argument).is_some() => Ok(prompt.suggest(argument, typed)),
        Some(_) => Err(invalid("the prompt has no such argument".to_owned())),
        None => Err(invalid("there is no such prompt".to_owned())),
    }
}

/// The files of a folder whose template was named.
async fn of_resource(
    features: &Arc<Features>,
    template: &str,
    argument: &str,
    typed: &str,
) -> Result<(Vec<String>, usize), CallError> {
    let entries = features.app().catalogue.entries();
    let folder = entries
        .resources
        .iter()
        .filter_map(|resource| Some((resource, resource.template()?)))
        .find(|(_, known)| known.uri_template == template);
    let Some((folder, _)) = folder else {
        return Err(invalid("there is no such resource template".to_owned()));
    };
    if argument != "path" {
        return Err(invalid("the template's one argument is `path`".to_owned()));
    }
    let folder = folder.clone();
    let listed = tokio::task::spawn_blocking(move || folder.list())
        .await
        .unwrap_or_default();
    Ok(suggest(listed.iter().map(|file| file.name.as_str()), typed))
}
