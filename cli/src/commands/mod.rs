//! One module per command.

pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod generated;
pub(crate) mod hook;
pub(crate) mod import_from;
pub(crate) mod init;
pub(crate) mod keys;
pub(crate) mod mcp;
pub(crate) mod outbox;
pub(crate) mod reading;
pub(crate) mod sanitize;
pub(crate) mod submit;
pub(crate) mod summarize;
pub(crate) mod trust;

use recall_kit_client::{RecallKitClient, Servers};

use crate::terminal::interrupt::or_interrupted;

/// Closes the connection; a second Ctrl-C stops waiting for it.
async fn close(client: &RecallKitClient) {
    let _ = or_interrupted(client.close(), "").await;
}

/// Closes every connection; a second Ctrl-C stops waiting for them.
async fn close_all(servers: &Servers) {
    let _ = or_interrupted(servers.close(), "").await;
}
