//! Complete, partly written and replaced headers; and SQLite's locks, which must survive.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path, time::Duration};

use super::{HEADER, IS_INIT, WalIndex};
use crate::{StoreOptions, open};

/// Returns both copies of a header whose contents depend on `change`.
fn header(change: u8) -> [u8; 2 * HEADER] {
    let mut both = [0; 2 * HEADER];
    for copy in both.chunks_mut(HEADER) {
        copy[8] = change;
        copy[IS_INIT] = 1;
    }
    both
}

#[test]
fn only_a_complete_header_of_the_current_file_has_a_revision() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("x.db");
    let file = folder.path().join("x.db-shm");
    let index = WalIndex::open(&database);
    assert_eq!(index.revision(), None, "no file");

    fs::write(&file, header(1)).unwrap();
    let first = index.revision();
    assert!(first.is_some() && index.revision() == first);
    fs::write(&file, header(2)).unwrap();
    let second = index.revision();
    assert!(second.is_some() && second != first);

    let mut half = header(3);
    half[..HEADER].copy_from_slice(&header(2)[..HEADER]);
    for invalid in [&half[..], &header(3)[..HEADER], &[0; 2 * HEADER]] {
        fs::write(&file, invalid).unwrap();
        assert_eq!(index.revision(), None, "{invalid:?}");
    }

    fs::remove_file(&file).unwrap();
    assert_eq!(index.revision(), None, "a deleted file has no revision");
    fs::write(&file, header(2)).unwrap();
    assert_eq!(index.revision(), second, "the new file is read");
}

#[tokio::test]
async fn closing_a_store_keeps_the_locks_of_other_stores() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("x.db").display());
    let remaining = open(&StoreOptions::new(url.as_str(), Duration::from_secs(5)))
        .await
        .unwrap();
    let closed = open(&StoreOptions::new(url.as_str(), Duration::from_secs(5)))
        .await
        .unwrap();
    assert!(closed.revision().is_some() && closed.revision() == remaining.revision());
    let file = folder.path().join("x.db-shm");
    closed.close().await;
    drop(closed);
    assert!(
        locks(&file) > 0,
        "closing any descriptor would release all of them"
    );
    assert!(remaining.revision().is_some());
    remaining.close().await;
    assert_eq!(
        remaining.revision(),
        None,
        "no connection has the database open"
    );
}

/// Returns the number of locks that this process has on a file, from its open descriptors. The table of
/// all locks may skip some while other processes start and exit.
fn locks(file: &Path) -> usize {
    use std::os::unix::fs::MetadataExt as _;
    let inode = fs::metadata(file).unwrap().ino();
    fs::read_dir("/proc/self/fd")
        .unwrap()
        .map(|descriptor| descriptor.unwrap())
        .filter(|descriptor| fs::metadata(descriptor.path()).is_ok_and(|of| of.ino() == inode))
        .map(|descriptor| {
            let path = Path::new("/proc/self/fdinfo").join(descriptor.file_name());
            let facts = fs::read_to_string(path).unwrap();
            facts
                .lines()
                .filter(|line| line.starts_with("lock:"))
                .count()
        })
        .sum()
}
