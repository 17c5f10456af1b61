//! Reads a database page by page: every back end returns the same records in the same order.

use std::collections::{BTreeMap, VecDeque};

use recall_kit_store::{
    AuditRecord, HashedApiKey, HashedUser, KeyFamily, KnowledgeRecord, Library, LibraryVersion,
    Store, StoreError, StoredChunk, StoredExperience, StoredIdempotencyKey, StoredOutcome,
};
use ulid::Ulid;
use uuid::Uuid;

use super::{Kind, Scope};

/// Records read at once; if all have the largest size, they take some hundred megabytes.
const PAGE: u32 = 200;
/// Files read at once, each with all its chunks.
const FILES: usize = 20;

/// Records of one kind.
pub(super) enum Page {
    Experiences(Vec<StoredExperience>),
    Outcomes(Vec<StoredOutcome>),
    Knowledge(Vec<KnowledgeRecord>),
    ApiKeys(Vec<HashedApiKey>),
    Users(Vec<HashedUser>),
    Audit(Vec<AuditRecord>),
    Keys(KeyFamily, Vec<StoredIdempotencyKey>),
    Files(Vec<MovedFile>),
    Version(Box<MovedVersion>),
}

impl Page {
    /// Returns the number of records.
    pub(super) fn len(&self) -> u64 {
        let len = match self {
            Self::Experiences(page) => page.len(),
            Self::Outcomes(page) => page.len(),
            Self::Knowledge(page) => page.len(),
            Self::ApiKeys(page) => page.len(),
            Self::Users(page) => page.len(),
            Self::Audit(page) => page.len(),
            Self::Keys(_, page) => page.len(),
            Self::Files(page) => page.len(),
            Self::Version(_) => 1,
        };
        len as u64
    }
}

/// A file of a library.
pub(super) struct MovedFile {
    pub(super) path: String,
    pub(super) hash: [u8; 32],
    pub(super) chunks: Vec<StoredChunk>,
}

/// A version of a library.
pub(super) struct MovedVersion {
    pub(super) library: String,
    pub(super) description: String,
    pub(super) is_default: bool,
    pub(super) version: LibraryVersion,
    /// Path and hash of every file, by path.
    pub(super) files: Vec<(String, [u8; 32])>,
}

impl MovedVersion {
    /// Returns its display name.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.library, self.version.version)
    }
}

/// A cursor over the records of a kind.
pub(super) struct Pages<'a> {
    store: &'a dyn Store,
    scope: &'a Scope,
    kind: Kind,
    /// The last id, key or number that was read.
    uuid: Uuid,
    ulid: Ulid,
    key: String,
    number: u64,
    /// The remaining files or versions, which are listed at the beginning.
    files: Option<VecDeque<([u8; 32], String)>>,
    versions: Option<VecDeque<MovedVersion>>,
    is_over: bool,
}

impl<'a> Pages<'a> {
    pub(super) fn new(store: &'a dyn Store, scope: &'a Scope, kind: Kind) -> Self {
        Self {
            store,
            scope,
            kind,
            uuid: Uuid::nil(),
            ulid: Ulid::nil(),
            key: String::new(),
            number: 0,
            files: None,
            versions: None,
            is_over: false,
        }
    }

    /// Reads the next page; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Page>, StoreError> {
        let page = match self.kind {
            Kind::Experiences => Some(self.experiences().await?),
            Kind::Outcomes => Some(self.outcomes().await?),
            Kind::Entries | Kind::Links | Kind::Suggestions => Some(self.knowledge().await?),
            Kind::ApiKeys | Kind::Users if self.is_over => None,
            Kind::ApiKeys => {
                self.is_over = true;
                Some(Page::ApiKeys(self.store.hashed_api_keys().await?))
            }
            Kind::Users => {
                self.is_over = true;
                Some(Page::Users(self.store.hashed_users().await?))
            }
            Kind::Audit => Some(self.audit().await?),
            Kind::ExperienceKeys => Some(self.keys(KeyFamily::Experiences).await?),
            Kind::EntryKeys => Some(self.keys(KeyFamily::Entries).await?),
            Kind::OutcomeKeys => Some(self.keys(KeyFamily::Outcomes).await?),
            Kind::Files => return self.files().await,
            Kind::Versions => self.version().await?,
        };
        Ok(page.filter(|page| page.len() > 0))
    }

    async fn experiences(&mut self) -> Result<Page, StoreError> {
        let model = self.scope.model.as_deref();
        let page = self.store.experiences_by_id(self.uuid, model, PAGE).await?;
        if let Some(last) = page.last() {
            self.uuid = last.experience.id;
        }
        Ok(Page::Experiences(page))
    }

    async fn outcomes(&mut self) -> Result<Page, StoreError> {
        let page = self.store.outcomes_by_id(self.uuid, PAGE).await?;
        if let Some(last) = page.last() {
            self.uuid = last.id;
        }
        Ok(Page::Outcomes(page))
    }

    async fn knowledge(&mut self) -> Result<Page, StoreError> {
        let (store, after) = (self.store, self.ulid);
        let model = self.scope.model.as_deref();
        let page: Vec<KnowledgeRecord> = match self.kind {
            Kind::Entries => {
                let page = store.stored_entries(after, model, PAGE).await?.into_iter();
                let page = page.map(|entry| KnowledgeRecord::Entry(Box::new(entry)));
                page.collect()
            }
            Kind::Links => {
                let page = store.stored_links(after, PAGE).await?.into_iter();
                page.map(KnowledgeRecord::Link).collect()
            }
            _ => {
                let page = store.stored_suggestions(after, PAGE).await?.into_iter();
                page.map(KnowledgeRecord::Suggestion).collect()
            }
        };
        self.ulid = match page.last() {
            Some(KnowledgeRecord::Entry(last)) => last.entry.id,
            Some(KnowledgeRecord::Link(last)) => last.id,
            Some(KnowledgeRecord::Suggestion(last)) => last.suggestion.id,
            None => after,
        };
        Ok(Page::Knowledge(page))
    }

    async fn audit(&mut self) -> Result<Page, StoreError> {
        let page = self.store.audit_after(self.number, PAGE).await?;
        if let Some(last) = page.last() {
            self.number = last.id;
        }
        Ok(Page::Audit(page))
    }

    async fn keys(&mut self, family: KeyFamily) -> Result<Page, StoreError> {
        let from = (self.scope.since, self.key.as_str());
        let page = self.store.idempotency_keys(family, from, PAGE).await?;
        if let Some(last) = page.last() {
            self.key.clone_from(&last.key);
        }
        Ok(Page::Keys(family, page))
    }

    /// Reads files by their hashes, each once even if several versions have it.
    async fn files(&mut self) -> Result<Option<Page>, StoreError> {
        if self.files.is_none() {
            let mut all = BTreeMap::new();
            for library in self.store.library_snapshot().await?.libraries {
                for version in library.versions {
                    let files = self.store.version_files(version.id).await?;
                    all.extend(files.into_iter().map(|(path, hash)| (hash, path)));
                }
            }
            self.files = Some(all.into_iter().collect());
        }
        let rest = self.files.get_or_insert_default();
        while !rest.is_empty() {
            let mut page = Vec::new();
            for (hash, path) in rest.drain(..FILES.min(rest.len())) {
                let chunks = self
                    .store
                    .stored_chunks(hash, self.scope.model.as_deref())
                    .await?;
                page.push(MovedFile { path, hash, chunks });
            }
            // A file that was removed meanwhile was read without its chunks.
            let hashes: Vec<[u8; 32]> = page.iter().map(|file| file.hash).collect();
            let stored = self.store.docs_files(&hashes).await?;
            page.retain(|file| stored.iter().any(|(hash, _)| *hash == file.hash));
            if !page.is_empty() {
                return Ok(Some(Page::Files(page)));
            }
        }
        Ok(None)
    }

    async fn version(&mut self) -> Result<Option<Page>, StoreError> {
        if self.versions.is_none() {
            let mut libraries = self.store.library_snapshot().await?.libraries;
            libraries.sort_by(|one, other| one.name.cmp(&other.name));
            self.versions = Some(libraries.into_iter().flat_map(versions_of).collect());
        }
        while let Some(mut next) = self.versions.get_or_insert_default().pop_front() {
            next.files = self.store.version_files(next.version.id).await?;
            next.files.sort();
            if next.files.len() as u64 == next.version.files {
                return Ok(Some(Page::Version(Box::new(next))));
            }
            // Either it was replaced meanwhile, or some of its listed files are missing.
            let mut libraries = self.store.library_snapshot().await?.libraries.into_iter();
            if libraries.any(|library| library.versions.contains(&next.version)) {
                let (what, id) = ("list of files", next.name());
                return Err(StoreError::Damaged { what, id });
            }
        }
        Ok(None)
    }
}

/// Returns the versions of a library in the order in which they were ingested.
fn versions_of(library: Library) -> Vec<MovedVersion> {
    let mut versions = library.versions;
    versions.sort_by(|one, other| {
        (one.ingested_at, &one.version).cmp(&(other.ingested_at, &other.version))
    });
    let moved = versions.into_iter().map(|version| MovedVersion {
        library: library.name.clone(),
        description: library.description.clone(),
        is_default: version.version == library.default_version,
        version,
        files: Vec::new(),
    });
    moved.collect()
}
