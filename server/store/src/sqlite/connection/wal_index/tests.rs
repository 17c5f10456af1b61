//! The header as it is, half written and replaced; and SQLite's locks, which must survive.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path, time::Duration};

use super::{HEADER, IS_INIT, WalIndex};
use crate::{StoreOptions, open};

/// Both copies of a header that differs by `change`.
fn header(change: u8) -> [u8; 2 * HEADER] {
    let mut both = [0; 2 * HEADER];
    for copy in both.chunks_mut(HEADER) {
        copy[8] = change;
        copy[IS_INIT] = 1;
    }
    both
}

#[test]
fn only_a_whole_header_of_the_file_in_use_counts() {
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
    for unfit in [&half[..], &header(3)[..HEADER], &[0; 2 * HEADER]] {
        fs::write(&file, unfit).unwrap();
        assert_eq!(index.revision(), None, "{unfit:?}");
    }

    fs::remove_file(&file).unwrap();
    assert_eq!(index.revision(), None, "a file that is gone says nothing");
    fs::write(&file, header(2)).unwrap();
    assert_eq!(index.revision(), second, "the new file is read");
}

#[tokio::test]
async fn a_store_that_goes_leaves_the_locks_of_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("x.db").display());
    let stays = open(&StoreOptions::new(url.as_str(), Duration::from_secs(5)))
        .await
        .unwrap();
    let goes = open(&StoreOptions::new(url.as_str(), Duration::from_secs(5)))
        .await
        .unwrap();
    assert!(goes.revision().is_some() && goes.revision() == stays.revision());
    let file = folder.path().join("x.db-shm");
    goes.close().await;
    drop(goes);
    assert!(
        locks(&file) > 0,
        "closing any descriptor would take all of them"
    );
    assert!(stays.revision().is_some());
    stays.close().await;
    assert_eq!(stays.revision(), None, "nobody has the database open");
}

/// How many locks this process has on a file, as its open descriptors tell. The table of all locks
/// would skip some while other processes come and go.
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
