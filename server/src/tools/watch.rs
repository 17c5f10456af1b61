//! Notices that files behind resources changed, for those who subscribed.
//!
//! Looks once a second at what somebody wants to hear about, and at nothing else.

use std::{sync::Arc, time::Duration};

use super::Features;
use crate::service::catalogue::Change;

/// How often is looked.
const INTERVAL: Duration = Duration::from_secs(1);

/// Looks for as long as it is awaited.
pub async fn resources(features: Arc<Features>) {
    loop {
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
