//! A home directory for one test, with its own configuration, data and database; removed afterwards.

use std::{
    fs::Permissions,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// A temporary home; everything that the programs write during a test is inside it.
#[derive(Debug)]
pub struct Home {
    dir: TempDir,
    database_url: Option<String>,
}

impl Home {
    /// Creates an empty home.
    #[expect(clippy::new_without_default, reason = "creates a directory")]
    pub fn new() -> Self {
        let dir = tempfile::Builder::new()
            .prefix("recall-kit-test-")
            .tempdir()
            .expect("a temporary directory can be made");
        Self {
            dir,
            database_url: None,
        }
    }

    /// Creates an empty home whose database is at this address instead of in a file of its own.
    pub fn with_database(url: &str) -> Self {
        Self {
            database_url: Some(url.to_owned()),
            ..Self::new()
        }
    }

    /// Returns the address of the database if it is not the default one.
    pub(crate) fn database_url(&self) -> Option<&str> {
        self.database_url.as_deref()
    }

    /// Returns the directory that `HOME` names.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the servers' data directory, which exists only after a server has created it.
    pub fn data_dir(&self) -> PathBuf {
        self.path().join("data")
    }

    /// Returns the path of the default database.
    pub fn database(&self) -> PathBuf {
        self.data_dir().join("recall-kit.db")
    }

    /// Returns the folder of the index of experiences, which the first start of a server creates.
    pub fn index(&self) -> PathBuf {
        let folders = std::fs::read_dir(self.data_dir().join("index"));
        let mut folders = folders.expect("a server was started").flatten();
        let of_database = folders.next().expect("the index has a folder").path();
        of_database.join("experiences-3")
    }

    /// Returns a home with a copy of this one's database and nothing else; no process may have the database
    /// open.
    pub fn with_database_alone(&self) -> Self {
        let copy = Self::new();
        std::fs::create_dir_all(copy.data_dir()).expect("the home is writable");
        // The latest commits may still be in the write-ahead log.
        for name in ["recall-kit.db", "recall-kit.db-wal"] {
            let from = self.data_dir().join(name);
            if from.exists() {
                let copied = std::fs::copy(from, copy.data_dir().join(name));
                copied.expect("the homes are readable and writable");
            }
        }
        copy
    }

    /// Lets every user read and write the home and everything in it.
    pub fn open_to_all(&self) {
        let mut open = vec![self.path().to_path_buf()];
        while let Some(path) = open.pop() {
            set_mode(&path, 0o777);
            if path.is_dir() {
                let entries = std::fs::read_dir(&path).expect("the home is readable");
                open.extend(entries.flatten().map(|entry| entry.path()));
            }
        }
    }

    /// Makes the default database read-only, also for its owner.
    pub fn make_database_read_only(&self) {
        set_mode(&self.database(), 0o444);
    }

    /// Writes a file below the home, with its parents, and returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        let parent = path.parent().expect("a joined path has a parent");
        std::fs::create_dir_all(parent).expect("the home is writable");
        std::fs::write(&path, content).expect("the home is writable");
        path
    }

    /// Writes the client configuration of this home's user, and returns its path.
    pub fn configure_client(&self, settings: impl AsRef<[u8]>) -> PathBuf {
        self.write(".config/recall-kit/recall-kit-client.config.json", settings)
    }

    /// Writes an executable script below the home, and returns its path.
    pub fn write_program(&self, name: &str, script: impl AsRef<[u8]>) -> PathBuf {
        let path = self.write(name, script);
        set_mode(&path, 0o755);
        path
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("the test owns its home");
}
