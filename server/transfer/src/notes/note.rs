//! Reads a Markdown note as an entry, and writes an entry as a note.

use std::path::Path;

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use recall_kit_core::validation::{AddInput, citations_in_lines, validate_add};
use recall_kit_shared_types::knowledge::{Citation, EntryStatus, EntryType, RelationType};
use recall_kit_store::{Entry, EntryContent, rounded_time};
use serde_json::{Value, json};
use ulid::Ulid;

use super::front_matter::{FrontMatter, quoted, quoted_list, split, with};

/// The field with the citations: many people have one of that name for something else.
const CITED: &str = "cited_files";
/// The fields that become part of the entry; all others stay only in the note's head.
pub(super) const FIELDS: [&str; 13] = [
    "id",
    "title",
    "type",
    "tags",
    "project",
    "confidence",
    "memory_type",
    "status",
    "context",
    "created_at",
    "updated_at",
    "links",
    CITED,
];

/// A problem of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Problem {
    pub(super) fn at(line: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { line, message }
    }
}

/// A note that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    /// Everything above the text.
    pub(super) head: String,
    pub(super) id: Option<Ulid>,
    pub(super) created_at: Option<Timestamp>,
    /// The entry's last change that is known to the note.
    pub(super) updated_at: Option<Timestamp>,
    pub(super) status: EntryStatus,
    pub(super) content: EntryContent,
    /// Whether it says which files it is about; otherwise its entry keeps those that it has.
    pub(super) has_citations: bool,
    /// Relations to other entries.
    pub(super) links: Vec<(RelationType, Ulid)>,
    /// The line of the field `links`.
    pub(super) links_line: usize,
}

/// Reads a note. Its title is the one in the front matter, else the first heading, else the file's name.
///
/// *Errors*: all problems, by line.
pub(super) fn read(path: &str, text: &str) -> Result<Note, Vec<Problem>> {
    let (head, body) = split(text).map_err(|problem| vec![problem])?;
    let fields = FrontMatter::of(head).map_err(|problem| vec![problem])?;
    let mut reader = Reader {
        fields: &fields,
        problems: Vec::new(),
    };
    let citations = reader.list(CITED);
    let title = reader.text("title").unwrap_or_else(|| title_of(path, body));
    let input = AddInput {
        kind: reader
            .text("type")
            .or(Some(EntryType::Reference.to_string())),
        title: Some(title),
        content: Some(body.to_owned()),
        tags: Some(reader.list("tags")),
        context: reader.text("context"),
        project: reader.text("project"),
        confidence: reader.text("confidence").map(number),
        memory_type: reader.text("memory_type"),
        citations: Some(citations_in_lines(citations.iter().map(String::as_str))),
        idempotency_key: None,
    };
    let id = reader.parsed("id", "a ULID of 26 characters", |text| {
        Ulid::from_string(text).ok()
    });
    let created_at = reader.parsed("created_at", "a time such as 2026-01-31T08:00:00Z", time);
    let updated_at = reader.parsed("updated_at", "a time such as 2026-01-31T08:00:00Z", time);
    let status = reader.parsed("status", "active or obsolete", |text| text.parse().ok());
    let links = reader.links();
    let content = reader.validated(input, head.lines().count() + 1);
    match content {
        Some(content) if reader.problems.is_empty() => Ok(Note {
            head: head.to_owned(),
            id,
            created_at,
            updated_at,
            status: status.unwrap_or(EntryStatus::Active),
            content,
            has_citations: fields.has(CITED),
            links,
            links_line: fields.line("links"),
        }),
        _ => Err(reader.problems),
    }
}

/// Reads fields and collects their problems.
struct Reader<'a> {
    fields: &'a FrontMatter<'a>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn text(&mut self, key: &str) -> Option<String> {
        let read = self.fields.text(key);
        read.map_err(|problem| self.problems.push(problem)).ok()?
    }

    fn list(&mut self, key: &str) -> Vec<String> {
        let read = self.fields.list(key);
        let read = read.map_err(|problem| self.problems.push(problem));
        read.unwrap_or_default()
    }

    fn parsed<T>(
        &mut self,
        key: &str,
        wanted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(key)?;
        let parsed = parse(text.trim());
        if parsed.is_none() {
            let message = format!("{key} must be {wanted}");
            self.problems
                .push(Problem::at(self.fields.line(key), message));
        }
        parsed
    }

    fn links(&mut self) -> Vec<(RelationType, Ulid)> {
        let mut links = Vec::new();
        for text in self.list("links") {
            let parts = text.split_once(' ');
            let link = parts.and_then(|(relation, id)| {
                let id = Ulid::from_string(id.trim()).ok()?;
                Some((relation.parse::<RelationType>().ok()?, id))
            });
            match link {
                Some(link) => links.push(link),
                None => {
                    let message = "each of links must be a relation and an id, such as \
                                   `related 01ARZ3NDEKTSV4RRFFQ69G5FAV`";
                    self.problems
                        .push(Problem::at(self.fields.line("links"), message));
                }
            }
        }
        links
    }

    /// Validates the input like an addition; problems of the text are reported at its first line.
    fn validated(&mut self, input: AddInput, text_line: usize) -> Option<EntryContent> {
        let problems = match validate_add(input) {
            Ok(addition) => return Some(addition.content),
            Err(problems) => problems,
        };
        for problem in problems.iter() {
            let key = problem.field.split('[').next().unwrap_or_default();
            let line = match key {
                "content" => text_line,
                "citations" => self.fields.line(CITED),
                key => self.fields.line(key),
            };
            self.problems
                .push(Problem::at(line, problem.message.clone()));
        }
        None
    }
}

fn title_of(path: &str, body: &str) -> String {
    let headings = body.lines().filter_map(|line| line.strip_prefix("# "));
    let mut headings = headings.map(str::trim).filter(|title| !title.is_empty());
    let stem = || Path::new(path).file_stem().and_then(|stem| stem.to_str());
    headings.next().or_else(stem).unwrap_or_default().to_owned()
}

/// Returns a number, or the text if it is not a number, which validation then rejects.
fn number(text: String) -> Value {
    text.parse::<u32>()
        .map_or(Value::String(text), |number| json!(number))
}

fn or_null(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), quoted)
}

/// Parses a time, or a day as its beginning in UTC.
fn time(text: &str) -> Option<Timestamp> {
    let day = || {
        let day: Date = text.parse().ok()?;
        Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    text.parse().ok().or_else(day).map(rounded_time)
}

/// An entry to be written as a note.
#[derive(Debug)]
pub(super) struct Written<'a> {
    pub(super) entry: &'a Entry,
    /// The note from which it was imported.
    pub(super) note: Option<&'a recall_kit_store::Note>,
    /// The links that it is the source of.
    pub(super) links: Vec<(RelationType, Ulid)>,
    /// The links that it is the target of, with the ids of their sources.
    pub(super) back: Vec<(RelationType, Ulid)>,
}

/// Writes an entry as a note. Its original note is kept, and only the fields that differ now are changed.
pub(super) fn write(written: &Written<'_>) -> String {
    let text = &written.entry.content.content;
    let head = written.note.map_or("", |note| &note.head);
    let old = written
        .note
        .and_then(|note| read(&note.path, &format!("{head}{text}")).ok());
    let is_crlf = head.contains("\r\n") || text.contains("\r\n");
    let newline = if is_crlf { "\r\n" } else { "\n" };
    let different = different(written, old.as_ref());
    let head = different
        .into_iter()
        .fold(head.to_owned(), |head, (key, value)| {
            with(&head, key, &value, newline)
        });
    format!("{head}{text}")
}

/// Whether a note lists exactly the links of its entry; a symmetric link may be listed by either end.
fn lists_links(listed: &[(RelationType, Ulid)], written: &Written<'_>) -> bool {
    let exists = |link: &(RelationType, Ulid)| {
        written.links.contains(link) || (link.0.is_symmetric() && written.back.contains(link))
    };
    written.links.iter().all(|link| listed.contains(link)) && listed.iter().all(exists)
}

/// Returns the fields that are missing or outdated in a note, with their current values.
fn different(written: &Written<'_>, old: Option<&Note>) -> Vec<(&'static str, String)> {
    let Entry {
        id,
        content,
        status,
        created_at,
        updated_at,
        ..
    } = written.entry;
    let old_content = old.map(|old| &old.content);
    let is_new = old.is_none();
    let is_linked = !written.links.is_empty() || !written.back.is_empty();
    let names_id = (is_new || is_linked) && old.and_then(|old| old.id) != Some(*id);
    let old_tags = old_content.map_or(&[][..], |content| &content.tags);
    let old_links = old.map_or(&[][..], |old| &old.links);
    let old_status = old.map_or(EntryStatus::Active, |old| old.status);
    let (project, context) = (content.project.as_deref(), content.context.as_deref());
    // A note without this field has the content that the entry had when the note was stored.
    let known = old.and_then(|old| old.updated_at);
    let known = known.or(written.note.map(|note| note.updated_at));
    let links = written.links.iter();
    let links: Vec<String> = links.map(|(kind, id)| format!("{kind} {id}")).collect();
    let citations: Vec<String> = content.citations.iter().map(Citation::to_string).collect();
    let is_current = |same: fn(&EntryContent, &EntryContent) -> bool| {
        old_content.is_some_and(|old| same(old, content))
    };
    let fields = [
        ("id", !names_id, id.to_string()),
        (
            "title",
            is_current(|a, b| a.title == b.title),
            quoted(&content.title),
        ),
        (
            "type",
            is_current(|a, b| a.kind == b.kind),
            content.kind.to_string(),
        ),
        ("tags", old_tags == content.tags, quoted_list(&content.tags)),
        (
            "project",
            old_content.and_then(|old| old.project.as_deref()) == project,
            or_null(project),
        ),
        (
            "confidence",
            is_current(|a, b| a.confidence == b.confidence),
            content.confidence.to_string(),
        ),
        (
            "memory_type",
            is_current(|a, b| a.memory_type == b.memory_type),
            content.memory_type.to_string(),
        ),
        ("status", old_status == *status, status.to_string()),
        (
            "context",
            old_content.and_then(|old| old.context.as_deref()) == context,
            or_null(context),
        ),
        ("created_at", !is_new, created_at.to_string()),
        (
            "updated_at",
            known == Some(*updated_at),
            updated_at.to_string(),
        ),
        (
            "links",
            lists_links(old_links, written),
            quoted_list(&links),
        ),
        (
            CITED,
            old_content.map_or(&[][..], |old| &old.citations) == content.citations,
            quoted_list(&citations),
        ),
    ];
    let different = fields.into_iter().filter(|(_, is_current, _)| !is_current);
    different.map(|(key, _, value)| (key, value)).collect()
}
