//! A database stays locked while it is being replaced.

#![allow(clippy::unwrap_used)]

use std::os::unix::fs::MetadataExt as _;

use recall_kit_store::{StoreOptions, open};

use super::*;

/// Whether this process has a lock on a file, as seen by other processes.
fn is_locked(file: &Path) -> bool {
    let inode = format!(":{} ", fs::metadata(file).unwrap().ino());
    let own = format!(" {} ", std::process::id());
    let locks = fs::read_to_string("/proc/locks").unwrap();
    let mut locks = locks.lines();
    locks.any(|lock| lock.contains(&inode) && lock.contains(&own) && lock.contains("POSIX"))
}

#[tokio::test]
async fn without_hard_links_a_file_stays_locked_until_it_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    let patience = Duration::from_secs(5);
    let url = format!("sqlite:{}", file.display());
    let store = open(&StoreOptions::new(url.as_str(), patience)).await;
    store.unwrap().close().await;
    let held = HeldFile::take(&file, patience).await.unwrap();
    assert!(is_locked(&file), "listed in /proc/locks");
    // The error of file systems without hard links.
    let no_links = |_: &Path, _: &Path| Err(io::ErrorKind::Unsupported.into());
    let aside = Aside::move_old(&file, no_links).unwrap();
    assert!(is_locked(&file), "still");
    aside.put_back();
    held.release().await;
    let checked = check_file(&file, patience).await;
    assert!(checked.is_ok(), "{checked:?}");
}
