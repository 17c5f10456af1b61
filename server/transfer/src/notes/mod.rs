//! Entries as Markdown notes. A folder of notes is imported completely or not at all, and an unchanged note
//! is exported byte for byte as it was imported. The caller reads and writes the files; here a note is a path
//! and a text.

mod front_matter;
mod note;

use std::{
    collections::{HashMap, HashSet},
    path::{Component, Path},
    sync::Arc,
};

use recall_kit_core::{app::App, error::ServiceError, indexing, knowledge::new_id};
use recall_kit_shared_types::knowledge::{EntryStatus, RelationType};
use recall_kit_store::{Entry, EntryBatch, EntryUpdate, NewEntry, NewLink, StoreError};
use recall_kit_telemetry::chain;
use ulid::Ulid;

pub use self::note::Problem;
use self::{
    front_matter::without,
    note::{FIELDS, Note, Written},
};

/// Entries read at once; if all have the largest size, they take some hundred megabytes.
const PAGE: u32 = 100;
/// The most characters of a title in the name of a file.
const SLUG_CHARS: usize = 60;

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Some notes are invalid.
    #[error("{} of the notes cannot be imported as they are", .0.len())]
    Notes(Vec<(String, Vec<Problem>)>),
    /// The links of the notes would create a cycle.
    #[error("the links of the notes would create a cycle; remove one of them")]
    LinkCycle,
    /// An entry was changed while the notes were being imported.
    #[error("entry {0} was changed meanwhile, and nothing was imported; import again")]
    Changed(Ulid),
    /// The use case failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LinkCycle => Self::LinkCycle,
            StoreError::EntryChanged(id) => Self::Changed(id),
            other => Self::Service(other.into()),
        }
    }
}

/// The result of an import, by paths of notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Notes that became new entries, with their ids.
    pub imported: Vec<(String, Ulid)>,
    /// Notes from which an entry was updated that had not changed since the note was written.
    pub updated: Vec<(String, Ulid)>,
    /// How many notes equal their entries.
    pub already_there: usize,
    /// Notes that differ from their entries, where the entries changed as well and are kept.
    pub conflicts: Vec<(String, Ulid)>,
}

/// Imports notes, each a path relative to its folder and a text, in one transaction. A server makes vectors
/// and suggestions in the background afterwards.
///
/// *Errors*: [`ImportError::Notes`] with every problem by file and line; nothing is changed then.
pub async fn import(
    app: &Arc<App>,
    files: &[(String, String)],
) -> Result<ImportReport, ImportError> {
    let mut notes = read_all(files)?;
    let mut report = ImportReport::default();
    let mut batch = EntryBatch::default();
    check_links(app, &notes).await?;
    let now = app.clock.now();
    for (path, mut note) in notes.drain(..) {
        let path = path.to_owned();
        match known(app, &path, &mut note).await? {
            Some(Known::Same) => report.already_there += 1,
            Some(Known::Changed(entry)) => {
                report.updated.push((path.clone(), entry.id));
                change(&mut batch, path, note, &entry, now)?;
            }
            Some(Known::Conflict(id)) => report.conflicts.push((path, id)),
            None => {
                let id = add_entry(&mut batch, path.clone(), note, now)?;
                report.imported.push((path, id));
            }
        }
    }
    app.store.insert_entries(&batch).await?;
    // The entries are stored; if this fails, the next search catches up.
    if let Err(error) = indexing::catch_up(&app.knowledge.records).await {
        tracing::warn!(error = chain(&error), "the index could not catch up");
    }
    Ok(report)
}

fn read_all(files: &[(String, String)]) -> Result<Vec<(&str, Note)>, ImportError> {
    let mut notes = Vec::new();
    let mut wrong = Vec::new();
    let mut ids: HashMap<Ulid, &str> = HashMap::new();
    for (path, text) in files {
        let note = match note::read(path, text) {
            Ok(note) => note,
            Err(problems) => {
                wrong.push((path.clone(), problems));
                continue;
            }
        };
        if let Some(other) = note.id.and_then(|id| ids.insert(id, path)) {
            let message = format!("{other} has the same id; leave the id out of one of them");
            wrong.push((path.clone(), vec![Problem::at(1, message)]));
            continue;
        }
        notes.push((path.as_str(), note));
    }
    match wrong.is_empty() {
        true => Ok(notes),
        false => Err(ImportError::Notes(wrong)),
    }
}

/// Checks that every link refers to another note or to an existing entry.
async fn check_links(app: &App, notes: &[(&str, Note)]) -> Result<(), ImportError> {
    let ids: HashSet<Ulid> = notes.iter().filter_map(|(_, note)| note.id).collect();
    let mut wrong = Vec::new();
    for (path, note) in notes {
        for (_, target) in &note.links {
            let message = if Some(*target) == note.id {
                "a note cannot be linked to itself".to_owned()
            } else if ids.contains(target) || app.store.entry(*target).await?.is_some() {
                continue;
            } else {
                format!("links: there is no entry {target}, neither here nor among the notes")
            };
            let problem = Problem::at(note.links_line, message);
            wrong.push(((*path).to_owned(), vec![problem]));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(ImportError::Notes(wrong)),
    }
}

/// How a note relates to an existing entry.
enum Known {
    /// Both are equal.
    Same,
    /// The note changed, and this entry did not change since the note was written.
    Changed(Box<Entry>),
    /// The note and this entry differ, and the entry changed as well.
    Conflict(Ulid),
}

/// Finds the existing entry of a note. A note that does not say which files it is about gets those of the entry.
async fn known(app: &App, path: &str, note: &mut Note) -> Result<Option<Known>, ImportError> {
    let mut last = None;
    let candidates = match note.id {
        Some(id) => vec![id],
        None => {
            let notes = app.store.notes_at(path).await?;
            notes.into_iter().map(|note| note.entry).collect()
        }
    };
    for id in candidates {
        let Some(entry) = app.store.entry(id).await? else {
            continue;
        };
        if !note.has_citations {
            note.content.citations.clone_from(&entry.content.citations);
        }
        let stored = app.store.notes(&[id]).await?.pop();
        let head = stored.as_ref().map_or("", |stored| &stored.head);
        // An export updates known fields such as status and links in a head; that is no change of the note.
        let is_same_head = without(head, &FIELDS) == without(&note.head, &FIELDS);
        if entry.content == note.content && is_same_head {
            return Ok(Some(Known::Same));
        }
        let known = note.updated_at.or(stored.map(|stored| stored.updated_at));
        last = Some(match known == Some(entry.updated_at) {
            true => Known::Changed(Box::new(entry)),
            false => Known::Conflict(id),
        });
    }
    Ok(last)
}

/// Updates an entry from its note. An obsolete entry stays obsolete, and no link is removed.
fn change(
    batch: &mut EntryBatch,
    path: String,
    note: Note,
    entry: &Entry,
    now: jiff::Timestamp,
) -> Result<(), ServiceError> {
    let id = entry.id;
    batch.updates.push(EntryUpdate {
        id,
        content: note.content,
        known: entry.updated_at,
        now,
    });
    add_metadata(batch, id, (path, note.head), (note.status, note.links), now)
}

/// Adds links, status and head of a note to the batch.
fn add_metadata(
    batch: &mut EntryBatch,
    id: Ulid,
    (path, head): (String, String),
    (status, links): (EntryStatus, Vec<(RelationType, Ulid)>),
    now: jiff::Timestamp,
) -> Result<(), ServiceError> {
    for (relation, target) in links {
        batch.links.push(NewLink {
            id: new_id(now)?,
            source: id,
            target,
            relation,
            created_at: now,
        });
    }
    if status == EntryStatus::Obsolete {
        batch.obsolete.push(id);
    }
    batch.notes.push(recall_kit_store::Note {
        entry: id,
        path,
        head,
        updated_at: now,
    });
    Ok(())
}

fn add_entry(
    batch: &mut EntryBatch,
    path: String,
    note: Note,
    now: jiff::Timestamp,
) -> Result<Ulid, ServiceError> {
    let created_at = note.created_at.unwrap_or(now);
    let id = match note.id {
        Some(id) => id,
        None => new_id(created_at)?,
    };
    batch.changed.extend(note.updated_at.map(|time| (id, time)));
    add_metadata(batch, id, (path, note.head), (note.status, note.links), now)?;
    batch.entries.push(NewEntry {
        id,
        content: note.content,
        vectors: None,
        created_at,
        idempotency: None,
        suggestions: Vec::new(),
    });
    Ok(id)
}

/// Passes every entry as a note, path and text, to `write`, ordered by id; returns how many.
///
/// *Errors*: those of the database, and those of `write`.
pub async fn export<E: From<StoreError>>(
    app: &Arc<App>,
    mut write: impl FnMut(&str, &str) -> Result<(), E>,
) -> Result<usize, E> {
    let mut paths = HashSet::new();
    let (mut after, mut count) = (Ulid::nil(), 0);
    loop {
        let page = app.store.entries_by_id(after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(count);
        };
        after = last.id;
        let ids: Vec<Ulid> = page.iter().map(|entry| entry.id).collect();
        let links = app.store.links_of(&ids).await?;
        let notes = app.store.notes(&ids).await?;
        let notes = notes.iter().map(|note| (note.entry, note));
        let notes: HashMap<Ulid, &recall_kit_store::Note> = notes.collect();
        for entry in &page {
            let note = notes.get(&entry.id);
            let outgoing = links.iter().filter(|link| link.source.0 == entry.id);
            let incoming = links.iter().filter(|link| link.target.0 == entry.id);
            let text = note::write(&Written {
                entry,
                note: note.copied(),
                links: outgoing
                    .map(|link| (link.relation, link.target.0))
                    .collect(),
                back: incoming
                    .map(|link| (link.relation, link.source.0))
                    .collect(),
            });
            let own = note.map(|note| note.path.clone());
            let own = own.filter(|path| stays_inside(path) && !paths.contains(path));
            let path = own.unwrap_or_else(|| file_name(entry));
            write(&path, &text)?;
            paths.insert(path);
            count += 1;
        }
    }
}

/// Whether a path stays inside its folder.
fn stays_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Returns a file name made of title and id.
fn file_name(entry: &Entry) -> String {
    let mut slug = String::new();
    for c in entry.content.title.to_lowercase().chars().take(SLUG_CHARS) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    format!("{slug}-{}.md", entry.id)
        .trim_start_matches('-')
        .to_owned()
}
