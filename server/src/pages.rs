//! Connects the web pages with the transports, since the crates `mcp` and `web` do not depend on each other.

use std::sync::Arc;

use axum::{extract::Request, response::Response};
use futures::future::BoxFuture;
use recall_kit_libraries::Libraries;
use recall_kit_mcp::transports::BrowserPages;
use recall_kit_web::{Pages, is_page};

/// The pages of `web`, as a type on which this crate can implement the transports' trait.
pub(crate) struct WebPages(Pages);

impl WebPages {
    /// Creates the pages of an application and its libraries.
    pub(crate) fn new(libraries: &Arc<Libraries>) -> Self {
        Self(Pages::new(libraries))
    }
}

impl BrowserPages for WebPages {
    fn is_page(&self, request: &Request, is_endpoint: bool) -> bool {
        is_page(request, is_endpoint)
    }

    fn answer(&self, request: Request) -> BoxFuture<'_, Response> {
        Box::pin(self.0.answer(request))
    }
}
