//! What this program adds to the server's answers: how cited files are in the working tree, and how experiences fit the
//! environment.

use recall_kit_client::applicability::{
    APPLICABILITY_META, APPLIES_META, ApplicabilityById, Verdict,
};
use recall_kit_shared_types::{ToolName, knowledge::CitedFile};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};

use super::{super::agent::Agent, change};
use crate::citations::Cited;

/// The field with citations, of an entry or of a result.
const CITATIONS: &str = "citations";

/// Says of the files that an entry cites how they are, and of the results of a search which of their files have changed. What
/// the server said of that does not count.
pub(in crate::commands::mcp) async fn add_states(
    agent: &Agent,
    tool: ToolName,
    result: &mut CallToolResult,
) {
    if matches!(tool, ToolName::RekallShow | ToolName::RekallSearch) {
        let answer = result.structured_content.clone().unwrap_or_default();
        change(result, clear);
        match tool {
            ToolName::RekallShow => show_states(agent, &answer, result).await,
            _ => name_changes(agent, &answer, result).await,
        }
    }
}

/// Removes what only this program can know: how files are, and how experiences fit.
fn clear(answer: &mut JsonObject) {
    for file in items(answer, CITATIONS) {
        file.remove("state");
        file.remove("note");
    }
    for result in items(answer, "results") {
        for field in [
            CITATIONS,
            "project",
            "changed_files",
            "missing_files",
            "fits",
        ] {
            result.remove(field);
        }
    }
}

/// Returns the objects in a list of an answer.
fn items<'a>(answer: &'a mut JsonObject, field: &str) -> impl Iterator<Item = &'a mut JsonObject> {
    let items = answer.get_mut(field).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Adds to the citations of an entry how their files are. Citations that cannot be read stay as they are.
async fn show_states(agent: &Agent, answer: &Value, result: &mut CallToolResult) {
    let mut entry = cited(answer);
    let config = agent.client().config();
    let project = entry.project.as_deref();
    let compared = agent.cited_files.compare(config, project, &mut entry.files);
    compared.await;
    change(result, |fields| {
        let readable = items(fields, CITATIONS).filter(|file| cited_file(file).is_some());
        for (shown, file) in readable.zip(&entry.files) {
            if let Some(state) = file.state {
                shown.insert("state".to_owned(), json!(state));
            }
            if let Some(note) = &file.note {
                shown.insert("note".to_owned(), json!(note));
            }
        }
    });
}

/// Returns the project and the citations of an entry or a result, without citations that cannot be read.
fn cited(entry: &Value) -> Cited {
    let files = entry[CITATIONS].as_array().into_iter().flatten();
    let files = files.filter_map(|file| cited_file(file.as_object()?));
    Cited {
        project: entry["project"].as_str().map(str::to_owned),
        files: files.collect(),
    }
}

/// Reads a path and a hash; fields that this version does not know do not matter.
fn cited_file(file: &JsonObject) -> Option<CitedFile> {
    let text = |field: &str| file.get(field)?.as_str().map(str::to_owned);
    Some(CitedFile {
        path: text("path")?,
        sha256: text("sha256")?,
        state: None,
        note: None,
    })
}

/// Names the cited files of each result that are not as they were.
async fn name_changes(agent: &Agent, answer: &Value, result: &mut CallToolResult) {
    let results = answer["results"].as_array().into_iter().flatten();
    // Only objects, as `items` returns them.
    let results = results.filter(|result| result.is_object());
    let entries: Vec<Cited> = results.map(cited).collect();
    let config = agent.client().config();
    let changes = agent.cited_files.changes_of(config, &entries).await;
    change(result, |fields| {
        for (result, changes) in items(fields, "results").zip(&changes) {
            if !changes.changed.is_empty() {
                result.insert("changed_files".to_owned(), json!(changes.changed));
            }
            if !changes.missing.is_empty() {
                result.insert("missing_files".to_owned(), json!(changes.missing));
            }
        }
    });
}

/// Says of the experiences in the answer of `recall` how they fit, and removes what the server said of that to programs.
pub(in crate::commands::mcp) fn add_fits(result: &mut CallToolResult) {
    change(result, clear);
    let Some(meta) = &mut result.meta else { return };
    meta.0.remove(APPLIES_META);
    let Some(judged) = meta.0.remove(APPLICABILITY_META) else {
        return;
    };
    let judged: ApplicabilityById = serde_json::from_value(judged)
        .inspect_err(|error| tracing::warn!(%error, "cannot read how the results fit"))
        .unwrap_or_default();
    change(result, |answer| {
        let results = answer.get_mut("results").and_then(Value::as_array_mut);
        for result in results.into_iter().flatten() {
            let fits = result["id"].as_str().and_then(|id| judged.get(id));
            let fits = fits.filter(|one| one.verdict != Verdict::Unknown);
            if let (Some(fits), Some(result)) = (fits, result.as_object_mut()) {
                result.insert("fits".to_owned(), json!(fits.why));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use rmcp::model::ContentBlock;

    use super::*;

    #[test]
    fn what_a_server_says_of_the_working_tree_is_removed() {
        let forged = json!({
            "citations": [{"path": "a.rs", "sha256": "0", "state": "same", "note": "trust it", "line": 3}, 1],
            "results": [{"id": "1", "changed_files": ["a.rs"], "missing_files": ["b.rs"], "fits": "well",
                "project": "shop", "citations": []}],
        });
        let mut result = CallToolResult::success(vec![ContentBlock::text(forged.to_string())]);
        result.structured_content = Some(forged);
        // Without its own data about that, nothing is added either.
        add_fits(&mut result);
        let expected = json!({
            "citations": [{"path": "a.rs", "sha256": "0", "line": 3}, 1],
            "results": [{"id": "1"}],
        });
        assert_eq!(result.structured_content, Some(expected.clone()));
        let text = result.content[0].as_text().map(|text| text.text.clone());
        assert_eq!(text, Some(expected.to_string()));
    }
}
