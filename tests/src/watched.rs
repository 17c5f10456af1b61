//! A folder whose changes are reported one by one by the system (Linux's inotify).

use std::{mem::MaybeUninit, os::fd::OwnedFd, path::Path, sync::Arc, thread};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use tokio::sync::mpsc;

/// A folder that is watched until this is dropped.
#[derive(Debug)]
pub struct WatchedFolder {
    inotify: Arc<OwnedFd>,
    watch: i32,
    changes: mpsc::UnboundedReceiver<()>,
}

impl WatchedFolder {
    /// Watches a folder from now on.
    pub fn new(folder: &Path) -> Self {
        let inotify = inotify::init(CreateFlags::CLOEXEC).expect("the system tells of changes");
        let kinds = WatchFlags::CREATE
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE;
        let watch = inotify::add_watch(&inotify, folder, kinds);
        let watch = watch.expect("the folder can be watched");
        let inotify = Arc::new(inotify);
        let (sender, changes) = mpsc::unbounded_channel();
        let watched = Arc::clone(&inotify);
        thread::spawn(move || {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = inotify::Reader::new(watched, &mut buffer);
            while let Ok(event) = reader.next() {
                let is_over = event.events().contains(ReadFlags::IGNORED);
                if is_over || sender.send(()).is_err() {
                    return;
                }
            }
        });
        Self {
            inotify,
            watch,
            changes,
        }
    }

    /// Waits until a file is created, written, renamed or removed.
    pub async fn change(&mut self) {
        let change = self.changes.recv().await;
        change.expect("the folder is watched");
    }
}

impl Drop for WatchedFolder {
    fn drop(&mut self) {
        // Ends the thread. If the folder was removed, it is not watched any more.
        let _ = inotify::remove_watch(&self.inotify, self.watch);
    }
}
