//! A folder's entries, listed once.

use std::path::{Path, PathBuf};

/// The most entries of one folder.
const MAX_ENTRIES: usize = 5_000;

/// A folder and the names of its entries.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) names: Vec<String>,
    /// The names of its folders.
    pub(crate) folders: Vec<String>,
    /// Whether these are all of its entries.
    is_complete: bool,
}

impl Folder {
    /// Lists a folder; links are not followed.
    pub(crate) fn list(path: &Path) -> Self {
        let (mut names, mut folders) = (Vec::new(), Vec::new());
        let entries = path.read_dir();
        let mut is_complete = entries.is_ok();
        for (count, entry) in entries.into_iter().flatten().enumerate() {
            // After an error there may be more that is not known.
            let Some(entry) = entry.ok().filter(|_| count < MAX_ENTRIES) else {
                is_complete = false;
                break;
            };
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(name.clone());
            }
            names.push(name);
        }
        names.sort_unstable();
        folders.sort_unstable();
        Self {
            path: path.to_owned(),
            names,
            folders,
            is_complete,
        }
    }

    /// Returns whether it certainly has no entry of this name, in whatever case: some systems do not tell cases apart.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        let mut names = self.names.iter();
        self.is_complete && !names.any(|it| it.eq_ignore_ascii_case(name))
    }

    /// Returns whether it has an entry.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names
            .binary_search_by(|it| it.as_str().cmp(name))
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    #[allow(clippy::unwrap_used)]
    fn only_a_folder_that_was_listed_whole_certainly_lacks_a_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cargo.lock"), "").unwrap();
        let listed = Folder::list(folder.path());
        assert!(listed.lacks("yarn.lock"));
        assert!(!listed.lacks("Cargo.lock"), "in another case");
        // Not even root can list a file.
        let unlisted = Folder::list(&folder.path().join("cargo.lock"));
        assert!(!unlisted.lacks("yarn.lock"));
        for number in 0..=MAX_ENTRIES {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        assert!(!Folder::list(folder.path()).lacks("yarn.lock"), "too many");
    }
}
