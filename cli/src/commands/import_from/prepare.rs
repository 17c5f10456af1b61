//! Turns a record into what is sent: sanitized, in the lengths that servers accept, and with a line that says
//! where it came from.

use recall_kit_client::{Draft, RecallKitClient, SanitizedDraft, SanitizedEntry};
use recall_kit_memories::{Body, Record};
use recall_kit_shared_types::{
    knowledge::{AddRequest, EntryType, MemoryType, knowledge_limits as entries},
    limits as experiences,
};

use super::links::References;

/// A record that may be sent once it is confirmed.
pub(super) struct Item {
    pub(super) key: String,
    pub(super) references: References,
    pub(super) text: Text,
}

/// The sanitized text of an item.
pub(super) enum Text {
    Experience(Box<SanitizedDraft>),
    Entry(Box<SanitizedEntry>),
}

impl Item {
    /// Returns the title, sanitized.
    pub(super) fn title(&self) -> &str {
        match &self.text {
            Text::Experience(draft) => &draft.request().title,
            Text::Entry(entry) => &entry.request().title,
        }
    }
}

/// Sanitizes a record.
///
/// *Errors*: the reason why servers would not accept it.
pub(super) fn item(
    client: &RecallKitClient,
    source: &'static str,
    key: String,
    record: Record,
) -> Result<Item, String> {
    let origin = origin(source, &record);
    let references = References::of(&record);
    let text = match record.body {
        Body::Experience {
            problem,
            root_cause,
            solution,
            context,
        } => {
            let context = context.map(|context| format!("{context}\n\n{origin}"));
            let draft = Draft {
                root_cause,
                context: Some(context.unwrap_or(origin)),
                keywords: keywords(source, record.tags),
                ..Draft::new(record.title, problem, solution)
            };
            Text::Experience(Box::new(experience(client, draft)?))
        }
        Body::Entry {
            kind,
            content,
            confidence,
        } => {
            let request = AddRequest {
                r#type: kind,
                title: record.title,
                content: Some(format!("{content}\n\n{origin}")),
                tags: Some(tags(source, record.tags)),
                context: None,
                project: record.project,
                confidence,
                memory_type: Some(memory_type(kind)),
            };
            Text::Entry(Box::new(entry(client, request)?))
        }
    };
    Ok(Item {
        key,
        references,
        text,
    })
}

/// Returns the line that says where a record came from.
fn origin(source: &str, record: &Record) -> String {
    match &record.written_at {
        Some(time) => format!("(imported from {source}: {}, {time})", record.id),
        None => format!("(imported from {source}: {})", record.id),
    }
}

/// What went wrong once is an episode; what holds in general is not.
fn memory_type(kind: EntryType) -> MemoryType {
    match kind {
        EntryType::Bug => MemoryType::Episodic,
        _ => MemoryType::Semantic,
    }
}

fn tags(source: &str, tags: Vec<String>) -> Vec<String> {
    let mut tags = fitting(tags, entries::MAX_NAME_CHARS);
    tags.truncate(entries::MAX_TAGS - 1);
    tags.push(format!("from-{source}"));
    tags
}

fn keywords(source: &str, tags: Vec<String>) -> Vec<String> {
    let mut keywords = fitting(tags, experiences::MAX_KEYWORD_CHARS);
    keywords.truncate(experiences::MAX_KEYWORDS - 1);
    keywords.push(format!("from-{source}"));
    keywords
}

/// Returns the words that are not too long, each once.
fn fitting(words: Vec<String>, most: usize) -> Vec<String> {
    let mut fitting: Vec<String> = Vec::new();
    for word in words {
        if word.chars().count() <= most && !fitting.contains(&word) {
            fitting.push(word);
        }
    }
    fitting
}

fn experience(client: &RecallKitClient, draft: Draft) -> Result<SanitizedDraft, String> {
    let shown = client.prepare(draft);
    let request = shown.request();
    let texts = [
        &request.title,
        &request.problem_description,
        &request.solution,
    ];
    if texts.iter().any(|text| text.trim().is_empty()) {
        return Err("nothing is left of its title, its problem or its solution".to_owned());
    }
    // Half a key would not be recognized, so a text is cut only after it was sanitized.
    let Some(title) = cut(&request.title, experiences::MAX_TITLE_CHARS) else {
        return Ok(shown);
    };
    let draft = Draft {
        title,
        ..request.clone().into()
    };
    Ok(client.prepare(draft))
}

fn entry(client: &RecallKitClient, request: AddRequest) -> Result<SanitizedEntry, String> {
    let shown = client.prepare_entry(request);
    let request = shown.request();
    if request.title.trim().is_empty() {
        return Err("it has no title".to_owned());
    }
    let content = request.content.as_deref().unwrap_or_default();
    if content.len() > entries::MAX_CONTENT_BYTES {
        return Err(format!(
            "it is longer than {} bytes",
            entries::MAX_CONTENT_BYTES
        ));
    }
    let title = cut(&request.title, entries::MAX_TITLE_CHARS);
    let project = request.project.as_deref();
    let project = project.and_then(|name| cut(name, entries::MAX_NAME_CHARS));
    if title.is_none() && project.is_none() {
        return Ok(shown);
    }
    // A title that is cut stays complete at the head of the text, unless it is there anyway.
    let content = match title.is_some() && !content.starts_with(&request.title) {
        true => format!("{}\n\n{content}", request.title),
        false => content.to_owned(),
    };
    let request = AddRequest {
        title: title.unwrap_or_else(|| request.title.clone()),
        content: Some(content),
        project: project.or_else(|| request.project.clone()),
        ..request.clone()
    };
    Ok(client.prepare_entry(request))
}

/// Returns a text that is cut to a number of characters, at a blank if there is one; `None` if it fits.
fn cut(text: &str, most: usize) -> Option<String> {
    if text.chars().count() <= most {
        return None;
    }
    let start: String = text.chars().take(most - 1).collect();
    let at_blank = start
        .rsplit_once(' ')
        .map_or(start.as_str(), |(words, _)| words);
    // A text without blanks, such as Chinese, is cut where it ends.
    let start = match at_blank.chars().count() * 2 > most {
        true => at_blank,
        false => start.as_str(),
    };
    Some(format!("{}…", start.trim_end()))
}
