//! Detects changes of files and libraries behind resources, made by any process, and announces them to
//! subscribers.
//!
//! Once a second it checks the files that clients subscribed to, and the libraries if the database may
//! have changed.

use std::{sync::Arc, time::Duration};

use recall_kit_catalogue::Change;
use recall_kit_libraries::{LibraryView, watch::Changes};
use recall_kit_telemetry::chain;

use crate::tools::Features;

/// The time between two checks.
const INTERVAL: Duration = Duration::from_secs(1);

/// Checks for changes until the future is dropped.
pub async fn resources(features: Arc<Features>) {
    let mut announced = AnnouncedLibraries::default();
    loop {
        announced.check(&features).await;
        tokio::time::sleep(INTERVAL).await;
        if !features.app().catalogue.has_listeners() {
            continue;
        }
        let for_check = Arc::clone(&features);
        let checked = tokio::task::spawn_blocking(move || check_files(&for_check));
        if checked.await.is_err() {
            return tracing::error!(
                "watching resources panicked; clients are no longer notified of changes"
            );
        }
    }
}

fn check_files(features: &Features) {
    let catalogue = &features.app().catalogue;
    for uri in catalogue.changed_files() {
        catalogue.announce(Change::Resource(uri));
    }
    if features.refresh_resources() {
        catalogue.announce(Change::Resources);
    }
}

/// The libraries at the last check, and the database's revision at that time.
#[derive(Default)]
struct AnnouncedLibraries {
    last: Option<Arc<LibraryView>>,
    revision: Option<u64>,
}

impl AnnouncedLibraries {
    /// Compares the libraries with those of the last check and announces the changes. It runs even if
    /// nobody is subscribed, so that a later subscriber is notified only of later changes.
    async fn check(&mut self, features: &Features) {
        let app = features.app();
        let revision = app.store.revision();
        if revision.is_some() && revision == self.revision && self.last.is_some() {
            return;
        }
        let new = match features.libraries().view().await {
            Ok(new) => new,
            Err(error) => {
                return tracing::warn!(error = chain(&error), "the libraries could not be read");
            }
        };
        self.revision = revision;
        let Some(old) = self.last.replace(Arc::clone(&new)) else {
            return;
        };
        if Arc::ptr_eq(&old, &new) {
            return;
        }
        let changes = Changes::between(&old, &new);
        let watched = app.catalogue.watched_uris().into_iter();
        for uri in watched.filter(|uri| changes.concern(uri)) {
            app.catalogue.announce(Change::Resource(uri));
        }
        if changes.list {
            app.catalogue.announce(Change::Resources);
        }
    }
}
