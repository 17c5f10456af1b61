//! An experience becomes an entry of the knowledge base, once.

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

use super::{
    add::suggested,
    experiences::{markdown, promoted_to, resolve},
    new_id,
};
use crate::{
    access::{Caller, reach},
    app::App,
    detached,
    error::ServiceError,
    knowledge::suggestions::Suggested,
    validation::{AddInput, refused, validate_add},
    vectors::entry_vectors,
};

/// What became of an experience.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Promoted {
    /// The entry.
    pub entry: EntryName,
    /// The experience.
    pub experience: EntryName,
    /// Whether the entry was made now; it was there already otherwise, and was left as it is.
    pub created: bool,
    /// How many suggestions came or grew with it.
    pub suggestions_created: u64,
    /// What was changed of the experience, in words.
    pub notes: Vec<String>,
}

/// Promotes an experience, named by its id or the beginning of it. What `given` says wins over what
/// follows from the experience: its title, cut to an entry's length, its keywords as tags, `bug`.
///
/// *Errors*: `ENTRY_NOT_FOUND`, those of [`validate_add`], `VALIDATION_ERROR` for a project out of the
/// caller's reach and for an experience whose entry is; else what the database said.
pub async fn promote(
    app: &Arc<App>,
    caller: &Caller,
    experience: &str,
    given: AddInput,
) -> Result<Promoted, ServiceError> {
    let reach = &caller.projects;
    reach::look(app, reach).await?;
    let record = resolve(app, experience).await?;
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
    if let Some(entry) = promoted_to(app, reach, record.id).await? {
        return Ok(promoted(entry, false, 0, Vec::new()));
    }
    let mut addition = validate_add(filled_in(given, record.content))?;
    reach::place(reach, &mut addition.content)?;
    let id = new_id(app.now())?;
    let vectors = entry_vectors::embed_new(app, &addition.content).await;
    let title = addition.content.title.clone();
    let new = NewEntry {
        id,
        content: addition.content,
        vectors,
        created_at: app.now(),
        idempotency: None,
        suggestions: Vec::new(),
    };
    let (task, reached) = (Arc::clone(app), reach.clone());
    let (earlier, suggested) = detached::run("the promotion", async move {
        let earlier = task.store.insert_promoted(&new, record.id).await?;
        if earlier.is_some() {
            return Ok((earlier, Suggested::default()));
        }
        tracing::info!(entry.id = %id, experience.id = %record.id, "experience promoted");
        let suggested = suggested(&task, &reached, id, new.vectors.as_ref()).await;
        Ok((None, suggested))
    })
    .await?;
    let entry = EntryName {
        id: earlier.unwrap_or(id).to_string(),
        title,
    };
    if let Some(earlier) = earlier {
        check_reach(app, reach, earlier).await?;
        return Ok(promoted(entry, false, 0, Vec::new()));
    }
    Ok(promoted(entry, true, suggested.created, addition.notes))
}

/// Takes from an experience what was not said.
fn filled_in(given: AddInput, content: ExperienceContent) -> AddInput {
    AddInput {
        kind: given.kind.or(Some(EntryType::Bug.to_string())),
        title: given.title.or(Some(cut(&content.title))),
        content: Some(markdown(&content)),
        tags: given.tags.or(Some(tags(content.keywords))),
        context: content.context,
        ..given
    }
}

/// Makes sure that the entry that an experience was promoted to before may be named.
async fn check_reach(app: &Arc<App>, reach: &Projects, earlier: Ulid) -> Result<(), ServiceError> {
    reach::look(app, reach).await?;
    if reach::is_within(app, reach, [earlier]) {
        return Ok(());
    }
    let message = "The experience was promoted before, in a project that is not yours";
    Err(refused(ErrorCode::ValidationError, "id", message).into())
}

/// Cuts a title at a word, where it is too long for an entry.
fn cut(title: &str) -> String {
    if title.chars().count() <= MAX_TITLE_CHARS {
        return title.to_owned();
    }
    let kept: String = title.chars().take(MAX_TITLE_CHARS - 1).collect();
    let words = kept.rsplit_once(' ').map(|(words, _)| words);
    // One long word, or a language without spaces.
    let words = words.filter(|words| words.chars().count() >= MAX_TITLE_CHARS / 2);
    format!("{}…", words.unwrap_or(&kept).trim_end())
}

/// Keywords that can be tags.
fn tags(keywords: Vec<String>) -> Vec<String> {
    let short = |keyword: &String| keyword.chars().count() <= MAX_NAME_CHARS;
    keywords.into_iter().filter(short).take(MAX_TAGS).collect()
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn long_titles_are_cut_at_words() {
        let long = "The connection pool runs dry at night ".repeat(4);
        let check = |title: &str, expected: &str| assert_eq!(cut(title), expected);
        check("Short", "Short");
        let words = "The connection pool runs dry at night The connection pool runs dry at night The connection pool…";
        check(&long, words);
        check(&"池".repeat(101), &format!("{}…", "池".repeat(99)));
        check(&"é".repeat(100), &"é".repeat(100));
    }
}
