//! Notices that files behind resources changed, for those who subscribed.
//!
//! Looks once a second at what somebody wants to hear about, and at nothing else.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use super::Features;
use crate::service::{catalogue::Change, resources::Listed};

/// How often is looked.
const INTERVAL: Duration = Duration::from_secs(1);

/// When a file was written, and how large it is.
type State = Option<(SystemTime, u64)>;

/// Looks for as long as it is awaited.
pub async fn resources(features: Arc<Features>) {
    let mut seen = Seen::default();
    loop {
        tokio::time::sleep(INTERVAL).await;
        if !features.app().catalogue.has_listeners() {
            seen = Seen::default();
            continue;
        }
        let looking = Arc::clone(&features);
        let looked = tokio::task::spawn_blocking(move || {
            seen.look(&looking);
            seen
        });
        match looked.await {
            Ok(looked) => seen = looked,
            Err(_) => return tracing::error!("watching resources broke down"),
        }
    }
}

/// What was seen the last time.
#[derive(Default)]
struct Seen {
    files: HashMap<Arc<str>, State>,
    list: Option<Vec<String>>,
}

impl Seen {
    fn look(&mut self, features: &Features) {
        let catalogue = &features.app().catalogue;
        let entries = catalogue.entries();
        let mut files = HashMap::new();
        for uri in catalogue.watched() {
            let state = entries.resources.iter().find_map(|r| r.state(&uri));
            if self.files.get(&uri).is_some_and(|before| *before != state) {
                catalogue.announce(Change::Resource(Arc::clone(&uri)));
            }
            files.insert(uri, state);
        }
        self.files = files;
        // Only folders change by themselves; what the settings name changes with the settings.
        let folders = entries.resources.iter().filter(|r| r.template().is_some());
        let list: Vec<String> = folders
            .flat_map(|folder| folder.list())
            .map(|Listed { uri, .. }| uri)
            .collect();
        if self.list.as_ref().is_some_and(|before| *before != list) {
            features.forget_resources();
            catalogue.announce(Change::Resources);
        }
        self.list = Some(list);
    }
}
