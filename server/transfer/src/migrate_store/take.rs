//! Stores pages in the target. Existing records are kept, but changes that go in one direction only are
//! applied: higher counts, missing vectors, revoked keys and decided suggestions.

use jiff::Timestamp;
use recall_kit_store::{
    Entry, EntryBatch, EntryStatusChange, EntryUpdate, ExperienceVector, Import, KeyFamily,
    KeyImport, KnowledgeImport, KnowledgeRecord, Library, LibraryVersion, NewCount, NewDocsFile,
    NewEntryVectors, NewVector, NewVersion, Note, OutcomeImport, Store, StoreError, StoredEntry,
    StoredExperience, StoredOutcome, StoredSuggestion, SuggestionStatus, chunk_id,
};

use super::{
    Event, Kind, Report,
    pages::{MovedFile, MovedVersion, Page},
};
use crate::{entry_differences, experience_differences};

/// The database that receives the records.
pub(super) struct Target<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) model: Option<&'a str>,
    pub(super) now: Timestamp,
    /// Its libraries before the first version was moved.
    pub(super) libraries: Option<Vec<Library>>,
    pub(super) report: &'a mut Report,
    pub(super) on_event: &'a mut (dyn FnMut(Event) + Send),
}

impl Target<'_> {
    pub(super) async fn store_page(&mut self, page: Page) -> Result<(), StoreError> {
        match page {
            Page::Experiences(page) => self.experiences(&page).await,
            Page::Outcomes(page) => self.outcomes(&page).await,
            Page::Knowledge(page) => self.knowledge(&page).await,
            Page::ApiKeys(page) => {
                let imports = self.store.import_api_keys(&page).await?;
                for (import, key) in imports.into_iter().zip(&page) {
                    self.note_import(Kind::ApiKeys, import, &key.record.name);
                }
                Ok(())
            }
            Page::Users(page) => {
                let imports = self.store.import_users(&page).await?;
                for (import, user) in imports.into_iter().zip(&page) {
                    self.note_import(Kind::Users, import, &user.record.name);
                }
                Ok(())
            }
            Page::Audit(page) => {
                let imports = self.store.import_audit(&page).await?;
                for (import, record) in imports.into_iter().zip(&page) {
                    self.note_import(Kind::Audit, import, &record.id.to_string());
                }
                Ok(())
            }
            Page::Keys(family, page) => {
                let imports = self.store.import_idempotency_keys(family, &page).await?;
                let kind = match family {
                    KeyFamily::Experiences => Kind::ExperienceKeys,
                    KeyFamily::Entries => Kind::EntryKeys,
                    KeyFamily::Outcomes => Kind::OutcomeKeys,
                };
                for (import, key) in imports.into_iter().zip(&page) {
                    self.note_import(kind, import, &kind.shown(key.key.clone()));
                }
                Ok(())
            }
            Page::Files(page) => self.files(page).await,
            Page::Version(version) => self.version(*version).await,
        }
    }

    async fn experiences(&mut self, page: &[StoredExperience]) -> Result<(), StoreError> {
        let imports = self.store.import_experiences(self.model, page).await?;
        let (mut counts, mut vectors) = (Vec::new(), Vec::new());
        for (import, record) in imports.into_iter().zip(page) {
            let Import::Existing(existing) = import else {
                self.report.stored += 1;
                continue;
            };
            let new = &record.experience;
            if self.overtakes(record).await? {
                continue;
            }
            let differs = experience_differences(&existing, new);
            if !self.note_existing(Kind::Experiences, new.id, &differs) {
                continue;
            }
            let more = NewCount {
                id: new.id,
                count: new.query_count.saturating_sub(existing.query_count),
                popularity: new.popularity.saturating_sub(existing.popularity),
            };
            if (more.count, more.popularity) != (0, 0) {
                counts.push(more);
            }
            if let Some(vector) = record.vector.clone() {
                vectors.push(ExperienceVector {
                    id: new.id,
                    version: record.state.version,
                    vector,
                });
            }
        }
        if !counts.is_empty() {
            self.store.add_query_counts(&counts, self.now).await?;
        }
        if let (Some(model), false) = (self.model, vectors.is_empty()) {
            self.store.put_vectors(model, &vectors).await?;
        }
        Ok(())
    }

    /// Stores a later version of a record that was edited since an earlier move. If the target's record
    /// was changed as often, it is kept, and a difference is reported.
    async fn overtakes(&mut self, record: &StoredExperience) -> Result<bool, StoreError> {
        let is_later = match record.state.version {
            1 => false,
            _ => self.store.overtake_experience(self.model, record).await?,
        };
        self.report.stored += u64::from(is_later);
        Ok(is_later)
    }

    async fn outcomes(&mut self, page: &[StoredOutcome]) -> Result<(), StoreError> {
        let imports = self.store.import_outcomes(page, self.now).await?;
        for (import, outcome) in imports.into_iter().zip(page) {
            let import = match import {
                OutcomeImport::Stored => KeyImport::Stored,
                OutcomeImport::Existing => KeyImport::Existing,
                OutcomeImport::Conflict => KeyImport::Conflict,
                OutcomeImport::ExperienceMissing => KeyImport::RecordMissing,
            };
            self.note_import(Kind::Outcomes, import, &outcome.id.to_string());
        }
        Ok(())
    }

    async fn knowledge(&mut self, page: &[KnowledgeRecord]) -> Result<(), StoreError> {
        let imports = self.store.import_knowledge(self.model, page).await?;
        let mut vectors = Vec::new();
        for (import, record) in imports.into_iter().zip(page) {
            match (import, record) {
                (KnowledgeImport::Stored, _) => self.report.stored += 1,
                (KnowledgeImport::ExistingEntry(existing), KnowledgeRecord::Entry(record)) => {
                    let is_later = record.entry.updated_at > existing.updated_at;
                    let newest = if is_later { &record.entry } else { &*existing };
                    let (id, version) = (newest.id, newest.version());
                    let differs = entry_differences(&existing, &record.entry);
                    if is_later {
                        self.update_entry(&existing, record).await?;
                        self.report.stored += 1;
                    }
                    if is_later || self.note_existing(Kind::Entries, record.entry.id, &differs) {
                        self.raise_accesses(&existing, record).await?;
                        let entry_vectors = record.vectors.clone();
                        vectors.extend(entry_vectors.map(|vectors| NewEntryVectors {
                            id,
                            version,
                            vectors,
                        }));
                    }
                }
                (KnowledgeImport::EntryMissing, KnowledgeRecord::Link(link)) => {
                    self.conflict(Kind::Links, link.id, "one of its entries is missing");
                }
                (KnowledgeImport::LinkCycle, KnowledgeRecord::Link(link)) => {
                    self.conflict(Kind::Links, link.id, "it would create a cycle");
                }
                (_, KnowledgeRecord::Suggestion(record)) => {
                    self.report.already_there += 1;
                    self.decide(record).await?;
                }
                _ => self.report.already_there += 1,
            }
        }
        if let (Some(model), false) = (self.model, vectors.is_empty()) {
            self.store.put_entry_vectors(model, &vectors).await?;
        }
        Ok(())
    }

    /// Updates the target's entry to the source's, which was changed later.
    async fn update_entry(&self, existing: &Entry, record: &StoredEntry) -> Result<(), StoreError> {
        let later = &record.entry;
        let mut known = existing.updated_at;
        if later.status != existing.status {
            let change = EntryStatusChange {
                id: later.id,
                known: Some(known),
                status: later.status,
                now: Timestamp::MIN,
            };
            known = self.store.set_entry_status(&change, None).await?;
        }
        let batch = EntryBatch {
            updates: vec![EntryUpdate {
                id: later.id,
                content: later.content.clone(),
                known,
                now: later.updated_at,
            }],
            notes: note_of(record).into_iter().collect(),
            ..EntryBatch::default()
        };
        self.store.insert_entries(&batch).await
    }

    async fn raise_accesses(
        &self,
        existing: &Entry,
        record: &StoredEntry,
    ) -> Result<(), StoreError> {
        let entry = &record.entry;
        let more = NewCount {
            id: entry.id.into(),
            count: entry.access_count.saturating_sub(existing.access_count),
            popularity: entry.popularity.saturating_sub(existing.popularity),
        };
        let (Some(at), true) = (entry.last_accessed, more.count > 0) else {
            return Ok(());
        };
        self.store.add_access_counts(&[more], at).await
    }

    /// Applies a decision that was made since an earlier move; the resulting link is moved with the links.
    async fn decide(&self, record: &StoredSuggestion) -> Result<(), StoreError> {
        let (id, at) = (record.suggestion.id, record.decided_at.unwrap_or(self.now));
        match record.status {
            SuggestionStatus::Pending => {}
            SuggestionStatus::Accepted => {
                self.store.accept_suggestion(id, None, at, None).await?;
            }
            SuggestionStatus::Rejected => {
                self.store.reject_suggestion(id, at, None).await?;
            }
        }
        Ok(())
    }

    async fn files(&mut self, page: Vec<MovedFile>) -> Result<(), StoreError> {
        let hashes: Vec<[u8; 32]> = page.iter().map(|file| file.hash).collect();
        let known = self.store.docs_files(&hashes).await?.len() as u64;
        self.report.already_there += known;
        self.report.stored += (page.len() as u64).saturating_sub(known);
        let new = page.iter().map(|file| NewDocsFile {
            path: file.path.clone(),
            hash: file.hash,
            chunks: file
                .chunks
                .iter()
                .map(|chunk| chunk.content.clone())
                .collect(),
        });
        let new: Vec<NewDocsFile> = new.collect();
        let ids = self.store.insert_docs_files(&new, self.now).await?;
        let Some(model) = self.model else {
            return Ok(());
        };
        let mut vectors = Vec::new();
        for (file, id) in page.into_iter().zip(ids) {
            // The positions of chunks are counted again when a file is stored.
            for (place, chunk) in (0_u32..).zip(file.chunks) {
                let chunk_id = chunk_id(id, chunk.content.kind, place, &file.hash);
                let vector = chunk.vector;
                vectors.extend(vector.map(|vector| NewVector {
                    id: chunk_id,
                    vector,
                }));
            }
        }
        if vectors.is_empty() {
            return Ok(());
        }
        self.store.put_chunk_vectors(model, &vectors).await
    }

    async fn version(&mut self, moved: MovedVersion) -> Result<(), StoreError> {
        if self.libraries.is_none() {
            self.libraries = Some(self.store.library_snapshot().await?.libraries);
        }
        let mut libraries = self.libraries.iter().flatten();
        let library = libraries.find(|library| library.name.eq_ignore_ascii_case(&moved.library));
        let existing = library.and_then(|library| {
            let mut versions = library.versions.iter();
            versions.find(|version| version.version == moved.version.version)
        });
        // A version that was ingested later replaces the earlier one.
        let is_current = |known: &&LibraryVersion| known.ingested_at >= moved.version.ingested_at;
        if let (Some(library), Some(existing)) = (library, existing.filter(is_current)) {
            let mut files = self.store.version_files(existing.id).await?;
            files.sort();
            let same_files = files == moved.files;
            let differs = version_differences(existing, &moved.version, same_files);
            let default = Some(&moved.version.version).filter(|_| moved.is_default);
            let is_outdated = library.description != moved.description
                || default.is_some_and(|default| *default != library.default_version);
            let number = library.id;
            let id = moved.name();
            if self.note_existing(Kind::Versions, id, &differs) && is_outdated {
                let description = Some(moved.description.as_str());
                let default = default.map(String::as_str);
                self.store
                    .describe_library(number, description, default)
                    .await?;
            }
            return Ok(());
        }
        let hashes: Vec<[u8; 32]> = moved.files.iter().map(|(_, hash)| *hash).collect();
        let files = self.store.docs_files(&hashes).await?;
        if files.len() != hashes.len() {
            let id = moved.name();
            self.conflict(Kind::Versions, id, "some of its files are missing");
            return Ok(());
        }
        let version = moved.version;
        let new = NewVersion {
            library: moved.library,
            description: Some(moved.description),
            version: version.version,
            is_default: moved.is_default,
            source: version.source,
            at: version.at,
            revision: version.revision,
            files: files.into_iter().map(|(_, id)| id).collect(),
            ingested_at: version.ingested_at,
            event: None,
        };
        self.store.publish_version(&new).await?;
        self.report.stored += 1;
        Ok(())
    }

    fn note_import(&mut self, kind: Kind, import: KeyImport, id: &str) {
        match import {
            KeyImport::Stored => self.report.stored += 1,
            KeyImport::Existing => self.report.already_there += 1,
            KeyImport::Conflict => self.conflict(kind, id, "the target has another one"),
            KeyImport::RecordMissing => self.conflict(kind, id, "its record is missing"),
        }
    }

    /// Counts an existing record; returns `false`, and reports a conflict, if it differs.
    fn note_existing(&mut self, kind: Kind, id: impl ToString, differs: &[&str]) -> bool {
        if differs.is_empty() {
            self.report.already_there += 1;
            return true;
        }
        self.conflict(kind, id, &format!("they differ in {}", differs.join(", ")));
        false
    }

    fn conflict(&mut self, kind: Kind, id: impl ToString, differs: &str) {
        self.report.conflicts += 1;
        (self.on_event)(Event::Conflict {
            kind,
            id: id.to_string(),
            differs: differs.to_owned(),
        });
    }
}

/// Returns the note of an entry if it is as new as the entry; an older note was moved before.
fn note_of(record: &StoredEntry) -> Option<Note> {
    let (entry, note) = (&record.entry, record.note.as_ref()?);
    (note.updated_at == entry.updated_at).then(|| Note {
        entry: entry.id,
        path: note.path.clone(),
        head: note.head.clone(),
        updated_at: note.updated_at,
    })
}

/// Returns the fields in which two versions with the same name differ.
fn version_differences(
    one: &LibraryVersion,
    other: &LibraryVersion,
    same_files: bool,
) -> Vec<&'static str> {
    let same = [
        ("source", one.source == other.source),
        ("at", one.at == other.at),
        ("revision", one.revision == other.revision),
        ("ingested_at", one.ingested_at == other.ingested_at),
        ("files", same_files),
    ];
    let different = same.into_iter().filter(|(_, same)| !same);
    different.map(|(field, _)| field).collect()
}
