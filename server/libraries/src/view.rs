//! The libraries with their versions, and the versions to which each chunk belongs: a snapshot in memory.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use recall_kit_core::error::ServiceError;
use recall_kit_store::{Library, LibraryVersion, Store, StoreError, file_and_kind};
use tokio::sync::OnceCell;
use uuid::Uuid;

/// The ids of chunks.
pub(crate) type Chunks = Arc<HashSet<Uuid>>;

/// A snapshot of all libraries, by which searches filter chunks.
#[derive(Debug, Default)]
pub struct LibraryView {
    edition: u64,
    libraries: Vec<Library>,
    /// The versions of each file, as indexes into `versions`.
    placed: HashMap<u64, Vec<usize>>,
    /// Every version, as the index of its library and its index there.
    versions: Vec<(usize, usize)>,
    /// The examples in each programming language that was requested. A file's chunks never change, so
    /// they are valid as long as the view is.
    examples: Mutex<HashMap<&'static str, Arc<OnceCell<Chunks>>>>,
}

impl From<recall_kit_store::LibrarySnapshot> for LibraryView {
    fn from(stored: recall_kit_store::LibrarySnapshot) -> Self {
        let mut versions = Vec::new();
        let mut index_of = HashMap::new();
        for (at, library) in stored.libraries.iter().enumerate() {
            for (number, version) in library.versions.iter().enumerate() {
                index_of.insert(version.id, versions.len());
                versions.push((at, number));
            }
        }
        let mut placed: HashMap<u64, Vec<usize>> = HashMap::new();
        for (file, version) in stored.placed {
            placed
                .entry(file)
                .or_default()
                .extend(index_of.get(&version));
        }
        Self {
            edition: stored.edition,
            libraries: stored.libraries,
            placed,
            versions,
            examples: Mutex::default(),
        }
    }
}

impl LibraryView {
    /// Returns the number of the state that the view shows; every change of libraries raises it.
    pub(crate) fn edition(&self) -> u64 {
        self.edition
    }

    /// Returns every library, ordered by name.
    pub fn libraries(&self) -> &[Library] {
        &self.libraries
    }

    /// Returns a library by its number.
    pub fn library(&self, id: u64) -> Option<&Library> {
        self.libraries.iter().find(|library| library.id == id)
    }

    /// Returns a library by its name, in any case.
    pub fn named(&self, name: &str) -> Option<&Library> {
        let name = name.to_lowercase();
        let mut libraries = self.libraries.iter();
        libraries.find(|library| library.name.to_lowercase() == name)
    }

    /// Returns the examples in a programming language: all that belong to a version, and possibly others.
    /// They are read once; concurrent callers wait for the same read, and a cancelled caller does not
    /// stop it.
    ///
    /// *Errors*: those of the database.
    pub(crate) async fn examples(
        &self,
        store: &Arc<dyn Store>,
        language: &'static str,
    ) -> Result<Chunks, ServiceError> {
        let known = {
            let mut all = self.examples.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(language).or_default())
        };
        if let Some(examples) = known.get() {
            return Ok(Arc::clone(examples));
        }
        let store = Arc::clone(store);
        let reading = tokio::spawn(async move {
            let read = known.get_or_try_init(|| async {
                let ids = store.chunks_in_language(language).await?;
                Ok::<Chunks, StoreError>(Arc::new(ids.into_iter().collect()))
            });
            read.await.map(Arc::clone)
        });
        let read = reading.await;
        Ok(read.map_err(|_| ServiceError::Broken("reading examples"))??)
    }

    /// Returns the library and version to name for a chunk. Of several wanted versions it is the
    /// library's default version, else the one ingested last; `None` if the chunk is in no wanted one.
    pub fn place(
        &self,
        chunk: Uuid,
        wanted: impl Fn(&Library, &LibraryVersion) -> bool,
    ) -> Option<(&Library, &LibraryVersion)> {
        let (file, _) = file_and_kind(chunk);
        let versions = self.placed.get(&file)?.iter();
        let places = versions.filter_map(|place| {
            let (library, version) = self.versions.get(*place)?;
            let library = self.libraries.get(*library)?;
            Some((library, library.versions.get(*version)?))
        });
        places
            .filter(|(library, version)| wanted(library, version))
            .max_by_key(|(library, version)| {
                let is_default = version.version == library.default_version;
                (is_default, version.ingested_at)
            })
    }
}

/// The view that this process read last.
#[derive(Default)]
pub(crate) struct CachedView(Mutex<Arc<LibraryView>>);

impl CachedView {
    /// Returns the current view, which is read from the database only if it changed.
    ///
    /// *Errors*: those of the database.
    pub(crate) async fn current(&self, store: &dyn Store) -> Result<Arc<LibraryView>, StoreError> {
        let edition = store.library_edition().await?;
        let cached = self.cached();
        if cached.edition == edition {
            return Ok(cached);
        }
        let read = Arc::new(LibraryView::from(store.library_snapshot().await?));
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Of several concurrent reads the newest one is kept.
        if read.edition > cached.edition {
            *cached = Arc::clone(&read);
        }
        Ok(read)
    }

    /// Returns the cached view without querying the database.
    pub(crate) fn cached(&self) -> Arc<LibraryView> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
