//! Promotes an experience to an entry of the knowledge base, at most once.

use std::sync::Arc;

use recall_kit_shared_types::{
    ErrorCode,
    knowledge::{
        EntryName, EntryType,
        knowledge_limits::{MAX_NAME_CHARS, MAX_TAGS, MAX_TITLE_CHARS},
    },
};
use recall_kit_store::{ExperienceContent, NewEntry, Projects};
use serde::Serialize;
use ulid::Ulid;

use super::{add::suggested, experiences::resolve};
use crate::{
    access::Caller,
    detached,
    error::ServiceError,
    experiences::{markdown, promoted_to},
    indexing::project_scope,
    knowledge::{Knowledge, new_id, projects::assign_project, suggestions::Suggested},
    validation::{AddInput, refused, validate_add},
    vectors::entry_vectors,
};

/// The result of promoting an experience.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Promoted {
    /// The entry.
    pub entry: EntryName,
    /// The experience.
    pub experience: EntryName,
    /// Whether the entry was created now; otherwise it existed already and is unchanged.
    pub created: bool,
    /// How many suggestions were created or extended.
    pub suggestions_created: u64,
    /// What validation changed in the experience's content.
    pub notes: Vec<String>,
}

/// Promotes an experience, named by its id or the beginning of it. Fields of `input` override the values
/// from the experience: its title, truncated to an entry's length, its keywords as tags, the type `bug`.
///
/// *Errors*: `ENTRY_NOT_FOUND`, those of [`validate_add`], `VALIDATION_ERROR` for a project that the
/// caller may not write to, and for an experience whose entry the caller may not see; else those of the
/// database.
pub async fn promote(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    experience: &str,
    input: AddInput,
) -> Result<Promoted, ServiceError> {
    let projects = &caller.projects;
    project_scope::refresh_labels(&knowledge.records, projects).await?;
    let record = resolve(knowledge.store.as_ref(), experience).await?;
    let named = EntryName {
        id: record.id.to_string(),
        title: record.content.title.clone(),
    };
    let promoted = |entry, created, suggestions_created, notes| Promoted {
        entry,
        experience: named.clone(),
        created,
        suggestions_created,
        notes,
    };
    if let Some(entry) = promoted_to(&knowledge.experiences, projects, record.id).await? {
        return Ok(promoted(entry, false, 0, Vec::new()));
    }
    let mut addition = validate_add(filled_in(input, record.content))?;
    assign_project(projects, &mut addition.content)?;
    let id = new_id(knowledge.clock.now())?;
    let vectors = entry_vectors::embed_new(&knowledge.embedding, &addition.content).await;
    let title = addition.content.title.clone();
    let new = NewEntry {
        id,
        content: addition.content,
        vectors,
        created_at: knowledge.clock.now(),
        idempotency: None,
        suggestions: Vec::new(),
    };
    let (task_knowledge, task_projects) = (Arc::clone(knowledge), projects.clone());
    let (earlier, suggested) = detached::run("the promotion", async move {
        let earlier = task_knowledge
            .store
            .insert_promoted(&new, record.id)
            .await?;
        if earlier.is_some() {
            return Ok((earlier, Suggested::default()));
        }
        tracing::info!(entry.id = %id, experience.id = %record.id, "experience promoted");
        let suggested = suggested(&task_knowledge, &task_projects, id, new.vectors.as_ref()).await;
        Ok((None, suggested))
    })
    .await?;
    let entry = EntryName {
        id: earlier.unwrap_or(id).to_string(),
        title,
    };
    if let Some(earlier) = earlier {
        check_visible(knowledge, projects, earlier).await?;
        return Ok(promoted(entry, false, 0, Vec::new()));
    }
    Ok(promoted(entry, true, suggested.created, addition.notes))
}

/// Fills in missing fields from the experience.
fn filled_in(input: AddInput, content: ExperienceContent) -> AddInput {
    AddInput {
        kind: input.kind.or(Some(EntryType::Bug.to_string())),
        title: input.title.or(Some(truncated(&content.title))),
        content: Some(markdown(&content)),
        tags: input.tags.or(Some(tags(content.keywords))),
        context: content.context,
        ..input
    }
}

/// Checks that the caller may see the entry that an experience was promoted to before.
async fn check_visible(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    earlier: Ulid,
) -> Result<(), ServiceError> {
    project_scope::refresh_labels(&knowledge.records, projects).await?;
    if project_scope::is_within(&knowledge.labels, projects, [earlier]) {
        return Ok(());
    }
    let message = "The experience was promoted before, in a project that is not yours";
    Err(refused(ErrorCode::ValidationError, "id", message).into())
}

/// Truncates a title that is too long for an entry, at a word boundary.
fn truncated(title: &str) -> String {
    if title.chars().count() <= MAX_TITLE_CHARS {
        return title.to_owned();
    }
    let beginning: String = title.chars().take(MAX_TITLE_CHARS - 1).collect();
    let words = beginning.rsplit_once(' ').map(|(words, _)| words);
    // Otherwise it is one long word, or a language without spaces.
    let words = words.filter(|words| words.chars().count() >= MAX_TITLE_CHARS / 2);
    format!("{}…", words.unwrap_or(&beginning).trim_end())
}

/// Returns the keywords that can be tags.
fn tags(keywords: Vec<String>) -> Vec<String> {
    let short = |keyword: &String| keyword.chars().count() <= MAX_NAME_CHARS;
    keywords.into_iter().filter(short).take(MAX_TAGS).collect()
}

#[cfg(test)]
mod tests {
    use super::truncated;

    #[test]
    fn long_titles_are_truncated_at_words() {
        let long = "The connection pool runs dry at night ".repeat(4);
        let check = |title: &str, expected: &str| assert_eq!(truncated(title), expected);
        check("Short", "Short");
        let words = "The connection pool runs dry at night The connection pool runs dry at night The connection pool…";
        check(&long, words);
        check(&"池".repeat(101), &format!("{}…", "池".repeat(99)));
        check(&"é".repeat(100), &"é".repeat(100));
    }
}
