//! Notices that files behind resources changed, and libraries, by whatever process, for those who
//! subscribed.
//!
//! Looks once a second at the files that somebody wants to hear about, and at the libraries where the
//! database can have changed.

use std::{sync::Arc, time::Duration};

use recall_kit_core::{
    catalogue::Change,
    libraries::{Shelf, watch::Changes},
};
use recall_kit_telemetry::chain;

use crate::tools::Features;

/// How often is looked.
const INTERVAL: Duration = Duration::from_secs(1);

/// Looks for as long as it is awaited.
pub async fn resources(features: Arc<Features>) {
    let mut libraries = Libraries::default();
    loop {
        libraries.look(&features).await;
        tokio::time::sleep(INTERVAL).await;
        if !features.app().catalogue.has_listeners() {
            continue;
        }
        let looking = Arc::clone(&features);
        let looked = tokio::task::spawn_blocking(move || look(&looking));
        if looked.await.is_err() {
            return tracing::error!("watching resources broke down");
        }
    }
}

fn look(features: &Features) {
    let catalogue = &features.app().catalogue;
    for uri in catalogue.changed_files() {
        catalogue.announce(Change::Resource(uri));
    }
    if features.refresh_resources() {
        catalogue.announce(Change::Resources);
    }
}

/// The libraries that clients were told of last, and when the database was read.
#[derive(Default)]
struct Libraries {
    told: Option<Arc<Shelf>>,
    revision: Option<u64>,
}

impl Libraries {
    /// Compares the libraries with those of the last look and tells of what changed. Looks also while
    /// nobody listens: who comes later hears of later changes only.
    async fn look(&mut self, features: &Features) {
        let app = features.app();
        let revision = app.store.revision();
        if revision.is_some() && revision == self.revision && self.told.is_some() {
            return;
        }
        let new = match app.shelf.now(app).await {
            Ok(new) => new,
            Err(error) => {
                return tracing::warn!(error = chain(&error), "the libraries could not be read");
            }
        };
        self.revision = revision;
        let Some(old) = self.told.replace(Arc::clone(&new)) else {
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
