//! The web pages for people, rendered on the server and usable without JavaScript.
//!
//! There is one folder for each group of pages. Pages call the use cases of `recall-kit-core` directly and
//! decide only what is shown. A visitor is identified by a cookie (`visitor`), not by an API key as at the
//! other endpoints.

mod account;
mod admin;
mod connect;
mod experience;
mod http;
mod i18n;
mod insights;
mod knowledge;
mod layout;
mod libraries;
mod search;
mod visitor;

use std::sync::Arc;

use axum::{
    Router,
    extract::{DefaultBodyLimit, FromRef, Request},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use recall_kit_core::{
    app::App,
    experiences::{Experiences, insights::Insights, outcomes::Outcomes},
    knowledge::Knowledge,
};
use recall_kit_libraries::Libraries;
use tower::ServiceExt as _;

use crate::{
    http::{address::own_path, failure, headers},
    layout::assets,
    visitor::preferences,
};

/// The first segments of all paths that belong to pages, besides the search page at `/`.
const SEGMENTS: [&str; 13] = [
    "account",
    "assets",
    "audit",
    "experiences",
    "insights",
    "keys",
    "knowledge",
    "libraries",
    "preferences",
    "set-up",
    "sign-in",
    "sign-out",
    "users",
];

/// The state that the handlers of all pages share.
#[derive(Clone)]
struct SiteState(Arc<Libraries>);

impl SiteState {
    fn app(&self) -> &Arc<App> {
        self.0.app()
    }

    fn libraries(&self) -> &Arc<Libraries> {
        &self.0
    }
}

impl FromRef<SiteState> for Arc<App> {
    fn from_ref(site: &SiteState) -> Self {
        Arc::clone(site.app())
    }
}

impl FromRef<SiteState> for Arc<Experiences> {
    fn from_ref(site: &SiteState) -> Self {
        Arc::clone(&site.app().experiences)
    }
}

impl FromRef<SiteState> for Arc<Outcomes> {
    fn from_ref(site: &SiteState) -> Self {
        Arc::clone(&site.app().outcomes)
    }
}

impl FromRef<SiteState> for Arc<Knowledge> {
    fn from_ref(site: &SiteState) -> Self {
        Arc::clone(&site.app().knowledge)
    }
}

impl FromRef<SiteState> for Arc<Insights> {
    fn from_ref(site: &SiteState) -> Self {
        Arc::clone(&site.app().insights)
    }
}

impl FromRef<SiteState> for Arc<Libraries> {
    fn from_ref(site: &SiteState) -> Self {
        Arc::clone(site.libraries())
    }
}

/// The router of all pages.
pub struct Pages(Router);

impl Pages {
    /// Creates the pages of an application and its libraries.
    pub fn new(libraries: &Arc<Libraries>) -> Self {
        let router = Router::new()
            .route("/", get(search::page))
            .route("/experiences/{id}", get(experience::page))
            .route("/experiences", get(experience::list))
            .route(
                "/experiences/{id}/edit",
                get(experience::form).post(experience::edit),
            )
            .route("/experiences/{id}/outcome", post(experience::report))
            .route(
                "/experiences/{id}/{format}",
                get(experience::export).post(experience::change),
            )
            .route("/knowledge", get(knowledge::list))
            .route("/knowledge/graph", get(knowledge::graph))
            .route("/knowledge/graph.json", get(knowledge::graph_data))
            .route(
                "/knowledge/suggestions",
                get(knowledge::suggestions).post(knowledge::decide),
            )
            .route(
                "/knowledge/stale",
                get(knowledge::stale).post(knowledge::mark),
            )
            .route("/knowledge/{id}", get(knowledge::entry))
            .route(
                "/knowledge/{id}/edit",
                get(knowledge::form).post(knowledge::edit),
            )
            .route("/knowledge/{id}/status", post(knowledge::set_status))
            .route("/libraries", get(libraries::list))
            .route("/insights", get(insights::page))
            .route("/insights/{table}", get(insights::table))
            .route(
                "/libraries/ingest",
                // `upload` has its own limit.
                get(libraries::ingest_form)
                    .post(libraries::begin_ingest)
                    .layer(DefaultBodyLimit::disable()),
            )
            .route("/libraries/jobs/{id}", get(libraries::job))
            .route("/libraries/jobs/{id}/events", get(libraries::job_events))
            .route("/libraries/jobs/{id}/cancel", post(libraries::cancel_job))
            .route("/libraries/{id}/{version}", get(libraries::reader))
            .route("/libraries/{id}/{version}/remove", post(libraries::remove))
            .route(
                "/sign-in",
                get(account::sign_in_page).post(account::sign_in),
            )
            .route("/sign-out", post(account::sign_out))
            .route(
                "/set-up/{token}",
                get(account::set_up_page).post(account::set_up),
            )
            .route("/account", get(account::own))
            .route("/account/password", post(account::change_password))
            .route(
                "/account/sign-out-everywhere",
                post(account::sign_out_everywhere),
            )
            .route("/keys", get(admin::keys).post(admin::create_key))
            .route("/keys/{id}/revoke", post(admin::revoke_key))
            .route("/users", get(admin::users).post(admin::create_user))
            .route("/users/{id}", post(admin::change_user))
            .route("/audit", get(admin::audit))
            .route("/preferences", post(preferences::save))
            .route("/assets/{name}", get(assets::asset))
            .fallback(failure::no_page)
            .layer(middleware::map_response(headers::protect))
            .with_state(SiteState(Arc::clone(libraries)));
        Self(router)
    }

    /// Answers a request for which [`is_page`] is true.
    pub async fn answer(&self, request: Request) -> Response {
        let response = self.0.clone().oneshot(request).await;
        response.unwrap_or_else(|never| match never {})
    }
}

/// Redirects the browser to a page of this server.
fn see_other(path: &str) -> Response {
    let to = HeaderValue::from_str(own_path(path)).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response()
}

/// Whether a request is for a page; `is_endpoint` is true if an endpoint has its path. The path `/` belongs
/// to MCP as well, so a browser is recognised by its `Accept` header there. The same applies to a path that
/// neither a page nor an endpoint has: a browser gets a page that says so.
pub fn is_page(request: &Request, is_endpoint: bool) -> bool {
    let path = request.uri().path().trim_start_matches('/');
    match path.split('/').next() {
        Some(segment) if SEGMENTS.contains(&segment) => true,
        None | Some("") => accepts_page(request.method(), request.headers()),
        Some(_) => !is_endpoint && accepts_page(request.method(), request.headers()),
    }
}

fn accepts_page(method: &Method, headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(header::ACCEPT).iter();
    let mut accepts = accepts.filter_map(|accepted| accepted.to_str().ok());
    matches!(*method, Method::GET | Method::HEAD)
        && accepts.any(|accepted| accepted.contains("text/html"))
}
