//! A small file system that can be filled.

use std::{path::Path, process::Command};

use tempfile::TempDir;

use crate::binaries::unprivileged;

/// A file system in memory, unmounted when dropped.
#[derive(Debug)]
pub struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    /// Mounts a file system of `mib` MiB; returns `None` if this user may not mount.
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

    /// Returns its mount point.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Fills all the remaining space.
    pub fn fill(&self) {
        let zeros = vec![0; 1 << 16];
        let mut ballast = std::fs::File::create(self.ballast()).unwrap();
        while std::io::Write::write_all(&mut ballast, &zeros).is_ok() {}
    }

    /// Frees the space that was filled.
    pub fn make_room(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> std::path::PathBuf {
        self.path().join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Files that are still open are released when their process ends.
        Command::new("umount")
            .arg("--lazy")
            .arg(self.path())
            .status()
            .ok();
    }
}
