//! The catalogue of programs, resources and prompts from the settings, with notifications of changes.
//!
//! It is replaced as a whole when the settings file changes: a call sees the old catalogue or the new one.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use arc_swap::ArcSwap;
use recall_kit_settings::{IngestSources, Settings, ToolProfile};
use recall_kit_shared_types::ToolName;
use tokio::sync::broadcast;

use crate::{
    programs::Program,
    prompts::{self, Prompt},
    resources::Resource,
};

/// How many changes a slow listener may lag behind. One that lags further learns only that it missed some, and
/// has to assume that everything changed.
const CHANGES_CAPACITY: usize = 256;
/// Resources watched at once, over all listeners.
const MAX_WATCHED: usize = 10_000;

/// Why an entry of the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// One entry is wrong.
    #[error("{kind} `{name}`: {reason}")]
    Entry {
        /// `tools.programs`, `resources` or `prompts`.
        kind: &'static str,
        /// The entry's name or address.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Two entries have the same name.
    #[error("{kind} `{name}` appears twice; each name must be unique")]
    Twice {
        /// `tools.programs`, `resources` or `prompts`.
        kind: &'static str,
        /// The name or address.
        name: String,
    },
}

/// What changed, for clients that cache a list or a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of resources.
    Resources,
    /// The list of prompts.
    Prompts,
    /// The text of one resource, by its address.
    Resource(Arc<str>),
}

/// All entries of a catalogue.
#[derive(Debug, Default)]
pub struct Entries {
    /// Which of the server's own tools are listed.
    pub profile: ToolProfile,
    /// Whether every list of tools has the schemas of answers and the icons.
    pub output_schemas: bool,
    /// Whether the example tool is offered.
    pub calculator: bool,
    /// Which sources callers with the scope `admin` may ingest into libraries.
    pub ingest: IngestSources,
    /// External programs, as tools.
    pub programs: Vec<Arc<Program>>,
    /// Resources: texts, files, folders.
    pub resources: Vec<Resource>,
    /// Prompt templates: the server's own, then those of the settings.
    pub prompts: Vec<Prompt>,
}

impl Entries {
    /// Creates the entries from the settings.
    ///
    /// *Errors*: the first unusable entry, with the reason.
    pub fn of(settings: &Settings) -> Result<Self, CatalogueError> {
        let programs: Vec<Arc<Program>> = settings
            .tools
            .programs
            .iter()
            .map(|program| Program::new(program).map(Arc::new))
            .collect::<Result<_, _>>()?;
        let resources: Vec<Resource> = settings
            .resources
            .iter()
            .map(Resource::new)
            .collect::<Result<_, _>>()?;
        let mut prompts = prompts::own();
        for prompt in &settings.prompts {
            prompts.push(Prompt::new(prompt)?);
        }
        let own = ToolName::reserved();
        let names = programs.iter().map(|program| program.name());
        refuse_twice(
            "tools.programs",
            own.map(|tool| -> &str { tool.as_str() }).chain(names),
        )?;
        refuse_twice("resources", resources.iter().map(Resource::uri))?;
        refuse_twice("prompts", prompts.iter().map(|prompt| prompt.name.as_str()))?;
        Ok(Self {
            profile: settings.tools.profile,
            output_schemas: settings.tools.output_schemas,
            calculator: settings.tools.calculator,
            ingest: settings.libraries.ingest,
            programs,
            resources,
            prompts,
        })
    }
}

fn refuse_twice<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), CatalogueError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(CatalogueError::Twice {
                kind,
                name: name.to_owned(),
            });
        }
    }
    Ok(())
}

/// A resource with subscribers.
struct Watched {
    /// The number of subscriptions.
    by: usize,
    /// Modification time and size of its file at the last check.
    state: Option<(SystemTime, u64)>,
}

/// The current entries, and a channel for changes.
pub struct Catalogue {
    entries: ArcSwap<Entries>,
    changes: broadcast::Sender<Change>,
    watched: Mutex<HashMap<Arc<str>, Watched>>,
}

impl Catalogue {
    /// Creates a catalogue with these entries.
    pub fn new(entries: Entries) -> Self {
        Self {
            entries: ArcSwap::from_pointee(entries),
            changes: broadcast::channel(CHANGES_CAPACITY).0,
            watched: Mutex::default(),
        }
    }

    /// Returns the current entries.
    pub fn entries(&self) -> Arc<Entries> {
        self.entries.load_full()
    }

    /// Replaces the entries and announces which lists and texts changed.
    pub fn replace(&self, entries: Entries) {
        let new = Arc::new(entries);
        let old = self.entries.swap(Arc::clone(&new));
        let tools = |entries: &Entries| {
            let Entries {
                profile,
                output_schemas,
                calculator,
                ingest,
                ..
            } = entries;
            (*profile, *output_schemas, *calculator, *ingest)
        };
        if tools(&old) != tools(&new) || old.programs != new.programs {
            self.announce(Change::Tools);
        }
        if old.resources != new.resources {
            self.announce(Change::Resources);
            for resource in &new.resources {
                let before = old.resources.iter().find(|was| was.uri() == resource.uri());
                if before.is_some_and(|before| before != resource) {
                    self.announce(Change::Resource(resource.uri().into()));
                }
            }
        }
        if old.prompts != new.prompts {
            self.announce(Change::Prompts);
        }
    }

    /// Sends a change to all listeners.
    pub fn announce(&self, change: Change) {
        // Fails only without listeners, which is fine.
        drop(self.changes.send(change));
    }

    /// Returns a receiver for changes from now on.
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    /// Returns whether there are listeners.
    pub fn has_listeners(&self) -> bool {
        self.changes.receiver_count() > 0
    }

    /// Subscribes to a resource; `false` if too many are watched.
    pub fn watch(&self, uri: &str) -> bool {
        let state = self.state(uri);
        let mut all = self.watched();
        if let Some(watched) = all.get_mut(uri) {
            watched.by += 1;
            return true;
        }
        if all.len() >= MAX_WATCHED {
            return false;
        }
        all.insert(uri.into(), Watched { by: 1, state });
        true
    }

    /// Takes back one [`Catalogue::watch`].
    pub fn unwatch(&self, uri: &str) {
        let mut all = self.watched();
        if let Some(watched) = all.get_mut(uri) {
            watched.by -= 1;
            if watched.by == 0 {
                all.remove(uri);
            }
        }
    }

    /// Returns the addresses of the watched resources.
    pub fn watched_uris(&self) -> Vec<Arc<str>> {
        self.watched().keys().cloned().collect()
    }

    /// Checks the watched resources and returns those whose file changed since the last check.
    pub fn changed_files(&self) -> Vec<Arc<str>> {
        let mut changed = Vec::new();
        for uri in self.watched_uris() {
            let state = self.state(&uri);
            if let Some(watched) = self.watched().get_mut(&uri)
                && watched.state != state
            {
                watched.state = state;
                changed.push(uri);
            }
        }
        changed
    }

    fn state(&self, uri: &str) -> Option<(SystemTime, u64)> {
        let entries = self.entries();
        entries.resources.iter().find_map(|r| r.state(uri))
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<Arc<str>, Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
