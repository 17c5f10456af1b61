//! The files that entries cite, in the repository of the working directory: which ones a text cites, and whether they are as
//! they were when an entry was written.

use std::{
    env,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use recall_kit_citations::{Compared, Hashes, WorkingTree};
use recall_kit_client::{CitationsMode, ClientConfig};
use recall_kit_shared_types::knowledge::{
    Citation, CitedFile, FileState, citation_limits::MAX_CITATIONS,
};

/// How long files are read for an answer or an addition. What takes longer is left out.
const MAX_READING: Duration = Duration::from_secs(1);
/// How long an answer or an addition may wait for that, including the file that is being read at the end.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// The note for a file that has changed.
const CHANGED: &str =
    "this was written for another version of this file; check it against the file as it is";
/// The note for a file that differs, if nothing says that the entry is about this repository.
const DIFFERS: &str = "the file at this path differs from the one that the entry cites; the entry may be about another \
                       repository";
/// The note for a file that is not there.
const MISSING: &str = "this file is not in the working tree";

/// Reads cited files, and keeps their hashes.
#[derive(Debug, Clone, Default)]
pub(crate) struct CitedFiles {
    hashes: Arc<Hashes>,
    /// Whether it was logged that files take too long.
    is_slowness_logged: Arc<AtomicBool>,
}

/// The files that an entry cites, and its project.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cited {
    pub(crate) project: Option<String>,
    /// Those after the most that an entry can have do not count.
    pub(crate) files: Vec<CitedFile>,
}

impl CitedFiles {
    /// Returns the files of the repository that texts cite; none if the settings do not want it.
    pub(crate) async fn in_texts(
        &self,
        config: &ClientConfig,
        texts: Vec<String>,
        is_secret: impl Fn(&str) -> bool + Send + 'static,
    ) -> Vec<Citation> {
        let hashes = Arc::clone(&self.hashes);
        let found = self.read(config, move |tree, deadline| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            tree.cited_in(&texts, &hashes, deadline, is_secret)
        });
        found.await.unwrap_or_default()
    }

    /// Says how the cited files of entries are in the repository, in their order; fewer if that takes too long, and none if the
    /// settings do not want it.
    async fn comparisons(&self, config: &ClientConfig, entries: &[Cited]) -> Vec<Comparison> {
        if entries.iter().all(|entry| entry.files.is_empty()) {
            return Vec::new();
        }
        let entries = entries.to_vec();
        let hashes = Arc::clone(&self.hashes);
        let compared = self.read(config, move |tree, deadline| {
            let compare = |entry| Comparison::of(entry, tree, &hashes, deadline);
            entries.iter().map(compare).collect()
        });
        compared.await.unwrap_or_default()
    }

    /// Says of each cited file of an entry how it is, whatever was said of that before.
    pub(crate) async fn compare(
        &self,
        config: &ClientConfig,
        project: Option<&str>,
        files: &mut [CitedFile],
    ) {
        for file in files.iter_mut() {
            (file.state, file.note) = (None, None);
        }
        let entry = Cited {
            project: project.map(str::to_owned),
            files: files.to_vec(),
        };
        let compared = self.comparisons(config, &[entry]).await;
        let Some(compared) = compared.into_iter().next() else {
            return;
        };
        for (file, one) in files.iter_mut().zip(&compared.files) {
            file.state = one.state;
            file.note = one
                .state
                .and_then(|state| note(state, compared.is_about_this))
                .map(str::to_owned);
        }
    }

    /// Returns the cited files of each entry that are not as they were; as many as entries.
    pub(crate) async fn changes_of(
        &self,
        config: &ClientConfig,
        entries: &[Cited],
    ) -> Vec<FileChanges> {
        let compared = self.comparisons(config, entries).await;
        let mut compared = compared.into_iter();
        let changes = entries.iter().map(|entry| {
            let compared = compared.next().unwrap_or_default();
            FileChanges::of(&entry.files, &compared)
        });
        changes.collect()
    }

    async fn read<T: Send + 'static>(
        &self,
        config: &ClientConfig,
        read: impl FnOnce(&WorkingTree, Instant) -> T + Send + 'static,
    ) -> Option<T> {
        if config.citations == CitationsMode::Off {
            return None;
        }
        let folder = env::current_dir().ok()?;
        let deadline = Instant::now() + MAX_READING;
        let reading = tokio::task::spawn_blocking(move || {
            let tree = WorkingTree::find(&folder, home().as_deref())?;
            Some(read(&tree, deadline))
        });
        let done = tokio::time::timeout(MAX_WAIT, reading).await;
        let is_late = Instant::now() >= deadline;
        if is_late && !self.is_slowness_logged.swap(true, Ordering::Relaxed) {
            tracing::warn!("reading cited files takes too long; some of them are left out");
        }
        done.ok()?.ok()?
    }
}

fn home() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned())
}

/// Returns what a state means to an agent; nothing if there is nothing to heed. The same path exists in other repositories, too.
fn note(state: FileState, is_about_this: bool) -> Option<&'static str> {
    match state {
        FileState::Same => None,
        FileState::Changed if is_about_this => Some(CHANGED),
        FileState::Changed => Some(DIFFERS),
        FileState::Missing => Some(MISSING),
    }
}

/// How the files of an entry are.
#[derive(Debug, Default)]
struct Comparison {
    /// Whether the entry is about this repository: a file is the same, or its project has the name of the repository.
    is_about_this: bool,
    files: Vec<Compared>,
}

impl Comparison {
    /// Compares the files of an entry, up to as many as an entry can have.
    fn of(entry: &Cited, tree: &WorkingTree, hashes: &Hashes, deadline: Instant) -> Self {
        let files = entry.files.iter().take(MAX_CITATIONS);
        let files = files.map(|file| (file.path.as_str(), file.sha256.as_str()));
        let files = tree.compare(files, hashes, deadline);
        let has_same = files.iter().any(|file| file.state == Some(FileState::Same));
        let project = entry.project.as_deref();
        let is_of_project = project.is_some_and(|project| tree.is_named(project));
        Self {
            is_about_this: has_same || is_of_project,
            files,
        }
    }
}

/// The cited files of a result that are not as they were.
#[derive(Debug, Default)]
pub(crate) struct FileChanges {
    /// Those that differ.
    pub(crate) changed: Vec<String>,
    /// Those that are not there; none if no file is there and nothing says that the entry is about this repository.
    pub(crate) missing: Vec<String>,
}

impl FileChanges {
    /// Sorts files by how they are.
    fn of(files: &[CitedFile], compared: &Comparison) -> Self {
        let with_state = |state: FileState| {
            let files = files.iter().zip(&compared.files);
            let files = files.filter(move |(_, one)| one.state == Some(state));
            files.map(|(file, _)| file.path.clone()).collect()
        };
        let is_any_there = compared.files.iter().any(|one| one.is_there);
        let missing: Vec<String> = with_state(FileState::Missing);
        let is_told = is_any_there || compared.is_about_this;
        Self {
            changed: with_state(FileState::Changed),
            missing: if is_told { missing } else { Vec::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(states: &[(Option<FileState>, bool)]) -> Comparison {
        let files = states.iter();
        let files = files.map(|(state, is_there)| Compared {
            state: *state,
            is_there: *is_there,
        });
        Comparison {
            is_about_this: false,
            files: files.collect(),
        }
    }

    fn file(path: &str) -> CitedFile {
        CitedFile::from(Citation {
            path: path.to_owned(),
            sha256: String::new(),
        })
    }

    #[test]
    #[allow(clippy::unwrap_used)]
    fn of_each_entry_only_as_many_files_are_compared_as_it_can_have() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        let tree = WorkingTree::find(folder.path(), None).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        for count in [1, MAX_CITATIONS, 3 * MAX_CITATIONS] {
            let entry = Cited {
                project: None,
                files: (0..count)
                    .map(|number| file(&format!("{number}.rs")))
                    .collect(),
            };
            let compared = Comparison::of(&entry, &tree, &Hashes::default(), deadline);
            assert_eq!(compared.files.len(), count.min(MAX_CITATIONS));
            assert!(!compared.is_about_this);
        }
    }

    #[test]
    fn missing_files_are_named_if_another_file_is_there() {
        let files = [file("a.rs"), file("b.rs")];
        let missing = (Some(FileState::Missing), false);
        // One over the maximum size has no state, but it is there.
        for (other, expected) in [
            ((None, true), &["a.rs"][..]),
            ((None, false), &[]),
            (missing, &[]),
        ] {
            let changes = FileChanges::of(&files, &compared(&[missing, other]));
            assert_eq!(changes.missing, expected, "{other:?}");
        }
        let own = Comparison {
            is_about_this: true,
            ..compared(&[missing, missing])
        };
        assert_eq!(FileChanges::of(&files, &own).missing, ["a.rs", "b.rs"]);
    }

    #[test]
    fn a_file_of_perhaps_another_repository_has_no_other_version() {
        let note = |is_about_this| note(FileState::Changed, is_about_this);
        assert_eq!(note(true), Some(CHANGED));
        assert_eq!(note(false), Some(DIFFERS));
    }
}
