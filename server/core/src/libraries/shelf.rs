//! Which chunk belongs to which version of which library, as of one moment and in memory.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use recall_kit_store::{Library, LibraryVersion, StoreError, file_and_kind};
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::{app::App, error::ServiceError};

/// The ids of chunks.
pub(super) type Chunks = Arc<HashSet<Uuid>>;

/// All libraries, and what searches filter chunks by.
#[derive(Debug, Default)]
pub struct Shelf {
    edition: u64,
    libraries: Vec<Library>,
    /// By file: its versions, as places in `versions`.
    placed: HashMap<u64, Vec<usize>>,
    /// Every version, as (library, version), each a place in a list.
    versions: Vec<(usize, usize)>,
    /// By programming language: the examples in it, once they were asked for. A file's chunks never
    /// change, so that they hold as long as the shelf does.
    examples: Mutex<HashMap<&'static str, Arc<OnceCell<Chunks>>>>,
}

impl From<recall_kit_store::Shelf> for Shelf {
    fn from(shelf: recall_kit_store::Shelf) -> Self {
        let mut versions = Vec::new();
        let mut place_of = HashMap::new();
        for (at, library) in shelf.libraries.iter().enumerate() {
            for (number, version) in library.versions.iter().enumerate() {
                place_of.insert(version.id, versions.len());
                versions.push((at, number));
            }
        }
        let mut placed: HashMap<u64, Vec<usize>> = HashMap::new();
        for (file, version) in shelf.placed {
            placed
                .entry(file)
                .or_default()
                .extend(place_of.get(&version));
        }
        Self {
            edition: shelf.edition,
            libraries: shelf.libraries,
            placed,
            versions,
            examples: Mutex::default(),
        }
    }
}

impl Shelf {
    /// Returns every library, by name.
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

    /// Returns the examples in a programming language, all that are on the shelf and maybe others.
    /// They are read once; who comes meanwhile waits for that, and who stops waiting does not undo it.
    ///
    /// *Errors*: what the database said.
    pub(super) async fn examples(
        &self,
        app: &Arc<App>,
        language: &'static str,
    ) -> Result<Chunks, ServiceError> {
        let known = {
            let mut all = self.examples.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(language).or_default())
        };
        if let Some(examples) = known.get() {
            return Ok(Arc::clone(examples));
        }
        let app = Arc::clone(app);
        let reading = tokio::spawn(async move {
            let read = known.get_or_try_init(|| async {
                let ids = app.store.chunks_in_language(language).await?;
                Ok::<Chunks, StoreError>(Arc::new(ids.into_iter().collect()))
            });
            read.await.map(Arc::clone)
        });
        let read = reading.await;
        Ok(read.map_err(|_| ServiceError::Broken("reading examples"))??)
    }

    /// Returns where a chunk stands, of the versions that are wanted the one to name: the library's
    /// default version, else the one read in last; `None` where it stands in none of them.
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

/// The shelf as this process knows it.
#[derive(Default)]
pub struct KnownShelf(Mutex<Arc<Shelf>>);

impl KnownShelf {
    /// Returns the shelf as the database has it now.
    ///
    /// *Errors*: what the database said.
    pub async fn now(&self, app: &App) -> Result<Arc<Shelf>, StoreError> {
        let edition = app.store.library_edition().await?;
        let known = self.known();
        if known.edition == edition {
            return Ok(known);
        }
        let read = Arc::new(Shelf::from(app.store.shelf().await?));
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Of several that read at once the one that read last counts.
        if read.edition > known.edition {
            *known = Arc::clone(&read);
        }
        Ok(read)
    }

    /// Whether a shelf is still what the database has.
    ///
    /// *Errors*: what the database said.
    pub async fn is_current(&self, app: &App, shelf: &Shelf) -> Result<bool, StoreError> {
        Ok(app.store.library_edition().await? == shelf.edition)
    }

    /// Returns the shelf as it was last read, without asking the database.
    pub fn known(&self) -> Arc<Shelf> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
