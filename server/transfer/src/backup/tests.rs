//! A database that is replaced keeps servers out until it is.

#![allow(clippy::unwrap_used)]

use std::os::unix::fs::MetadataExt as _;

use recall_kit_store::{StoreOptions, open};

use super::*;

/// Whether this process has a lock on a file, as other processes see it.
fn is_locked(file: &Path) -> bool {
    let inode = format!(":{} ", fs::metadata(file).unwrap().ino());
    let own = format!(" {} ", std::process::id());
    let locks = fs::read_to_string("/proc/locks").unwrap();
    let mut locks = locks.lines();
    locks.any(|lock| lock.contains(&inode) && lock.contains(&own) && lock.contains("POSIX"))
}

#[tokio::test]
async fn a_file_that_gets_no_second_name_stays_locked_until_it_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    let patience = Duration::from_secs(5);
    let url = format!("sqlite:{}", file.display());
    let store = open(&StoreOptions::new(url.as_str(), patience)).await;
    store.unwrap().close().await;
    let held = HeldFile::take(&file, patience).await.unwrap();
    assert!(is_locked(&file), "/proc/locks tells");
    // As file systems without hard links answer.
    let no_links = |_: &Path, _: &Path| Err(io::ErrorKind::Unsupported.into());
    let aside = Aside::take(&file, no_links).unwrap();
    assert!(is_locked(&file), "still");
    aside.put_back();
    held.release().await;
    let whole = check_file(&file, patience).await;
    assert!(whole.is_ok(), "{whole:?}");
}
