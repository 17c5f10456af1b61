//! Notices that files behind resources changed, and libraries, by whatever process, for those who
//! subscribed.
//!
//! Looks once a second at the files that somebody wants to hear about, and at the libraries where the
//! database can have changed.

use std::{sync::Arc, time::Duration};

use recall_kit_catalogue::Change;
use recall_kit_libraries::{LibraryView, watch::Changes};
use recall_kit_telemetry::chain;

use crate::tools::Features;

/// How often is looked.
const INTERVAL: Duration = Duration::from_secs(1);

/// Looks for as long as it is awaited.
pub async fn resources(features: Arc<Features>) {
    let mut announced = Announced::default();
    loop {
        announced.announce_changes(&features).await;
        tokio::time::sleep(INTERVAL).await;
        if !features.app().catalogue.has_listeners() {
            continue;
        }
        let watching = Arc::clone(&features);
        let checked = tokio::task::spawn_blocking(move || check_files(&watching));
        if checked.await.is_err() {
            return tracing::error!("watching resources broke down");
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

/// The libraries that were announced last, and the revision of the database at that time.
#[derive(Default)]
struct Announced {
    view: Option<Arc<LibraryView>>,
    revision: Option<u64>,
}

impl Announced {
    /// Compares the libraries with those announced last, and announces what changed. Does so while nobody
    /// listens, too: a client that subscribes later hears of later changes only.
    async fn announce_changes(&mut self, features: &Features) {
        let app = features.app();
        let revision = app.store.revision();
        if revision.is_some() && revision == self.revision && self.view.is_some() {
            return;
        }
        let new = match features.libraries().view().await {
            Ok(new) => new,
            Err(error) => {
                return tracing::warn!(error = chain(&error), "the libraries could not be read");
            }
        };
        self.revision = revision;
        let Some(old) = self.view.replace(Arc::clone(&new)) else {
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
