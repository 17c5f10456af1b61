//! A database that is replaced keeps servers out until it is.

#![allow(clippy::unwrap_used)]

use std::os::unix::fs::MetadataExt as _;

use super::*;
use crate::store::{StoreOptions, open};

/// Whether this process has a lock on a file, as other processes see it.
fn is_locked(file: &Path) -> bool {
    let inode = format!(":{} ", fs::metadata(file).unwrap().ino());
    let own = format!(" {} ", std::process::id());
    let locks = fs::read_to_string("/proc/locks").unwrap();
    let mut locks = locks.lines();
    locks.any(|lock| lock.contains(&inode) && lock.contains(&own) && lock.contains("POSIX"))
}

#[tokio::test]
async fn a_file_that_gets_no_second_name_stays_locked_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Duration::from_secs(5);
    // With anything before it or behind it the name is longer than a name may be.
    let long = folder.path().join("n".repeat(246));
    for file in [&folder.path().join("backup.db"), &long] {
        let url = format!("sqlite:{}", file.display());
        let store = open(&StoreOptions::new(url.as_str(), patience)).await;
        store.unwrap().close().await;
    }
    let held = HeldFile::take(&long, patience).await.unwrap();
    assert!(is_locked(&long), "/proc/locks tells");
    let aside = Aside::take(&long).unwrap();
    assert!(is_locked(&long), "still");
    assert!(aside.moved.is_empty(), "there is no second name");
    aside.put_back();
    held.release().await;

    let backup = folder.path().join("backup.db");
    let holdings = check_file(&backup, patience).await.unwrap();
    let restored = restore(&backup, &long, true, patience, |_| Ok(())).await;
    assert_eq!(restored.unwrap(), holdings);
    assert_eq!(check_file(&long, patience).await.unwrap(), holdings);
}
