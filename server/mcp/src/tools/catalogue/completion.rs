//! `completion/complete`: values for arguments of prompts and resource templates, as JSON.
//!
//! Source: MCP specification, "Completion".

use std::{collections::BTreeSet, sync::Arc};

use recall_kit_catalogue::prompts::suggest;
use recall_kit_core::{access::Caller, knowledge::graph};
use recall_kit_libraries::{DOCS_TEMPLATE, LIBRARY_TEMPLATE};
use recall_kit_store::Library;
use serde_json::{Value, json};

use super::resources::failed;
use crate::tools::{CallError, Features, Object, invalid};

/// Suggests values for the argument that the user is typing; only projects that the caller may see.
///
/// *Errors*: [`recall_kit_shared_types::RpcError::InvalidParams`] for a reference or an argument that
/// does not exist.
pub async fn complete(
    features: &Arc<Features>,
    caller: &Caller,
    params: &Object,
) -> Result<Value, CallError> {
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
        ("ref/resource", _, Some(graph::TEMPLATE)) => of_graph(features, caller, argument, typed)?,
        ("ref/resource", _, Some(uri @ (LIBRARY_TEMPLATE | DOCS_TEMPLATE))) => {
            let library = text_of_context(params, "libraryId");
            of_library(features, (uri, argument), typed, library).await?
        }
        ("ref/resource", _, Some(uri)) => of_folder(features, uri, argument, typed).await?,
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

/// Returns the value of another argument that is already filled in.
fn text_of_context<'a>(params: &'a Object, argument: &str) -> Option<&'a str> {
    let arguments = params.get("context")?.get("arguments")?;
    arguments.get(argument)?.as_str()
}

/// Suggests values for the template of the knowledge graph, such as the projects of its entries.
fn of_graph(
    features: &Features,
    caller: &Caller,
    argument: &str,
    typed: &str,
) -> Result<(Vec<String>, usize), CallError> {
    match argument {
        "project" => {
            let projects = features.app().knowledge.labels.projects(&caller.projects);
            Ok(suggest(projects.iter().map(AsRef::as_ref), typed))
        }
        "depth" => Ok(suggest(["1", "2", "3"].into_iter(), typed)),
        "around" => Ok((Vec::new(), 0)),
        _ => Err(no_argument("`project`, `depth` and `around`")),
    }
}

/// Suggests ids of libraries whose id or name begins with the text, and versions of one or of all
/// libraries.
async fn of_library(
    features: &Features,
    (template, argument): (&str, &str),
    typed: &str,
    library: Option<&str>,
) -> Result<(Vec<String>, usize), CallError> {
    let view = features
        .libraries()
        .view()
        .await
        .map_err(|error| failed("the libraries could not be read", error.into()))?;
    let libraries = view.libraries().iter();
    match (template, argument) {
        (_, "libraryId") => {
            let prefix = typed.to_lowercase();
            let matching = libraries.filter(|one| {
                one.id.to_string().starts_with(&prefix)
                    || one.name.to_lowercase().starts_with(&prefix)
            });
            let ids: Vec<String> = matching.map(|one| one.id.to_string()).collect();
            Ok(suggest(ids.iter().map(String::as_str), ""))
        }
        (DOCS_TEMPLATE, "version") => {
            let is_named = |one: &&Library| library.is_none_or(|id| one.id.to_string() == id);
            let versions = libraries.filter(is_named).flat_map(|one| &one.versions);
            let names: BTreeSet<&str> = versions.map(|one| one.version.as_str()).collect();
            Ok(suggest(names.iter().copied(), typed))
        }
        // There is no list of possible topics.
        (DOCS_TEMPLATE, "topic") => Ok((Vec::new(), 0)),
        (DOCS_TEMPLATE, _) => Err(no_argument("`libraryId`, `version` and `topic`")),
        _ => Err(no_argument("`libraryId`")),
    }
}

fn no_argument(known: &str) -> CallError {
    invalid(format!("the template has no such argument; it has {known}"))
}

/// Suggests the files of the folder that has this template.
async fn of_folder(
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
