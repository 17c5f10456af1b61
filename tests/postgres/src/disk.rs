//! A small disk of its own, that can be full.

use std::{path::Path, process::Command};

use tempfile::TempDir;

use crate::binaries::unprivileged;

/// A file system in memory, unmounted when dropped.
#[derive(Debug)]
pub struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    /// Mounts one of so many MiB; `None` where this user may not.
    pub fn mount(mib: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args([
                "-t",
                "tmpfs",
                "-o",
                &format!("size={mib}m"),
                "recall-kit-test",
            ])
            .arg(folder.path())
            .output();
        let is_mounted = mounted.is_ok_and(|output| output.status.success());
        is_mounted.then(|| {
            unprivileged::give(folder.path());
            Self { folder }
        })
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Takes all the room that is left.
    pub fn fill(&self) {
        let zeros = vec![0; 1 << 16];
        let mut ballast = std::fs::File::create(self.ballast()).unwrap();
        while std::io::Write::write_all(&mut ballast, &zeros).is_ok() {}
    }

    /// Gives it back.
    pub fn make_room(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> std::path::PathBuf {
        self.path().join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // What still stands open there goes with its process.
        Command::new("umount")
            .arg("--lazy")
            .arg(self.path())
            .status()
            .ok();
    }
}
