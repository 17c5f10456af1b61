//! The reader: a version's documentation in order, or a search in it; and removing a version.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::access::Scope;
use recall_kit_libraries::{
    DocsQuery, Libraries, LibraryView, Reading, docs, is_stale, no_library, remove_version,
    version_named,
};
use recall_kit_shared_types::{
    libraries::{DocsMode, library_limits},
    limits::MAX_QUERY_CHARS,
};
use recall_kit_store::{Library, LibraryVersion, Page as Part};
use serde::Deserialize;
use url::Url;

use super::{embedded, piece::Piece, version_address};
use crate::{
    http::{
        address::with_query,
        failure::Failure,
        form::{SessionForm, token_field},
    },
    i18n::words::{counted, filled},
    layout::{
        page::{Page, Section, paging},
        plain::visible,
    },
    see_other,
    visitor::Visitor,
};

/// The number of chunks on a page.
const PAGE: u32 = 30;

/// The parameters of the reader, not checked yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Params {
    mode: String,
    q: String,
    page: String,
}

/// The part of a version to show.
struct View<'a> {
    library: &'a Library,
    version: &'a LibraryVersion,
    mode: Option<DocsMode>,
    /// The text of a search; empty when reading in order.
    text: String,
    /// The number of the page, counted from 1.
    page: u64,
}

impl<'a> View<'a> {
    fn of(
        params: &Params,
        (library, version): (&'a Library, &'a LibraryVersion),
    ) -> Result<Self, Failure> {
        let text = params.q.trim().to_owned();
        if text.chars().count() > MAX_QUERY_CHARS {
            let message = format!("q must not be longer than {MAX_QUERY_CHARS} characters");
            return Err(Failure::refused(message));
        }
        let last = match text.is_empty() {
            true => u64::from(u32::MAX),
            false => u64::from(library_limits::MAX_PAGE),
        };
        Ok(Self {
            library,
            version,
            mode: mode_of(&params.mode)?,
            text,
            page: page_of(&params.page, last)?,
        })
    }

    fn address(&self, mode: Option<DocsMode>, page: u64) -> String {
        let page = match page {
            1 => String::new(),
            later => later.to_string(),
        };
        let path = version_address(self.library.id, &self.version.version);
        let mode = mode.map_or("", DocsMode::as_str);
        with_query(&path, [("q", &*self.text), ("mode", mode), ("page", &page)])
    }
}

fn mode_of(param: &str) -> Result<Option<DocsMode>, Failure> {
    let known = DocsMode::ALL
        .into_iter()
        .find(|mode| mode.as_str() == param);
    match known.is_some() || param.is_empty() {
        true => Ok(known),
        false => Err(Failure::refused("mode must be code or info".to_owned())),
    }
}

fn page_of(param: &str, last: u64) -> Result<u64, Failure> {
    let page = match param {
        "" => Some(1),
        number => number.parse().ok(),
    };
    let page = page.filter(|page| (1..=last).contains(page));
    let refused = || Failure::refused(format!("page must be a whole number from 1 to {last}"));
    page.ok_or_else(refused)
}

/// Answers with a page of a version.
pub(crate) async fn reader(
    State(libraries): State<Arc<Libraries>>,
    visitor: Visitor,
    Path((library, version)): Path<(String, String)>,
    Query(params): Query<Params>,
) -> Response {
    let made = make(&libraries, &visitor, (&library, &version), &params).await;
    visitor.answer(made)
}

/// Removes a version.
pub(crate) async fn remove(
    State(libraries): State<Arc<Libraries>>,
    Path((library, version)): Path<(String, String)>,
    SessionForm { visitor, .. }: SessionForm,
) -> Response {
    let Ok(library) = library.parse() else {
        return visitor.fail(&Failure::NotFound);
    };
    match remove_version(&libraries, &visitor.caller, (library, &version)).await {
        Ok(()) => see_other("/libraries"),
        Err(error) => visitor.fail(&error.into()),
    }
}

async fn make(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    named: (&str, &str),
    params: &Params,
) -> Result<Page, Failure> {
    let library_view = libraries.view().await?;
    let view = View::of(params, find(&library_view, named)?)?;
    let pieces = match view.text.is_empty() {
        true => read_through(libraries, visitor, &view).await?,
        false => found(libraries, visitor, &view).await?,
    };
    let (library, version) = (view.library, view.version);
    let title = visible(&format!("{} {}", library.name, version.version));
    let main = html! {
        h1 dir="auto" { (title) }
        (about(visitor, &view))
        (embedded(libraries, visitor))
        (search_form(visitor, &view))
        (tabs(visitor, &view))
        (pieces)
        @if visitor.may(Scope::Write) { (removal(visitor, &view)) }
    };
    Ok(Page::new(title, Section::Libraries, main))
}

fn find<'a>(
    library_view: &'a LibraryView,
    (library, version): (&str, &str),
) -> Result<(&'a Library, &'a LibraryVersion), Failure> {
    let id = library.parse().map_err(|_| Failure::NotFound)?;
    let library = library_view.library(id).ok_or_else(|| no_library(id))?;
    Ok((library, version_named(library, version)?))
}

fn about(visitor: &Visitor, view: &View<'_>) -> Markup {
    let (words, ages) = (&visitor.words.libraries, &visitor.words.ages);
    let View {
        library, version, ..
    } = view;
    html! {
        @if !library.description.is_empty() {
            p dir="auto" { (visible(&library.description)) }
        }
        p.facts {
            span { (words.files) " " (version.files) }
            span { (words.tokens) " " (version.tokens) }
            span { (words.ingested) " "
                time datetime=(version.ingested_at) {
                    (ages.between(version.ingested_at, visitor.now)) }
                @if is_stale(version.ingested_at, visitor.now) {
                    " " span.label { (words.stale) } } }
            span dir="auto" { (words.source) " " (source(&version.source)) }
        }
    }
}

/// Renders the source of a version; as a link if it is a web address.
fn source(source: &str) -> Markup {
    let address = source.strip_prefix("git+").unwrap_or(source);
    let is_web = Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    html! {
        @if is_web {
            a href=(address) rel="nofollow noopener noreferrer" { (visible(source)) }
        } @else { (visible(source)) }
    }
}

fn search_form(visitor: &Visitor, view: &View<'_>) -> Markup {
    let (words, search) = (&visitor.words.libraries, &visitor.words.search);
    let path = version_address(view.library.id, &view.version.version);
    html! {
        search {
            form method="get" action=(path) {
                label.visually-hidden for="q" { (words.search_inside) }
                div.box {
                    input #q type="search" name="q" value=(view.text) dir="auto"
                        placeholder=(words.search_inside) maxlength=(MAX_QUERY_CHARS)
                        autocomplete="off" spellcheck="false";
                    @if let Some(mode) = view.mode {
                        input type="hidden" name="mode" value=(mode.as_str());
                    }
                    button type="submit" { (search.submit) }
                }
            }
        }
    }
}

fn tabs(visitor: &Visitor, view: &View<'_>) -> Markup {
    let (words, search) = (&visitor.words.libraries, &visitor.words.search);
    let tabs = [
        (None, words.all),
        (Some(DocsMode::Code), search.code),
        (Some(DocsMode::Info), search.text),
    ];
    html! {
        nav.tabs aria-label=(words.shown) {
            ul {
                @for (mode, name) in tabs {
                    @let current = (mode == view.mode).then_some("page");
                    li { a href=(view.address(mode, 1)) aria-current=[current] { (name) } }
                }
            }
        }
    }
}

/// Renders a page of the version in order.
async fn read_through(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    view: &View<'_>,
) -> Result<Markup, Failure> {
    let reading = Reading {
        library: view.library.id,
        version: view.version.version.clone(),
        kind: view.mode,
        page: Part {
            offset: (view.page - 1) * u64::from(PAGE),
            limit: PAGE,
        },
    };
    let (chunks, total) = recall_kit_libraries::read_through(libraries, &reading).await?;
    let pages = total.div_ceil(u64::from(PAGE));
    if view.page > pages.max(1) {
        return Err(Failure::NotFound);
    }
    let words = &visitor.words.libraries;
    Ok(html! {
        @if total == 0 {
            p.empty role="status" { (words.nothing) }
        } @else {
            h2.visually-hidden { (words.chunks) }
            p.total { (counted(words.pieces, total)) }
        }
        (list(chunks.iter().map(Piece::from)))
        (paging(&visitor.words.shell, (view.page, pages), |page| view.address(view.mode, page)))
    })
}

/// Renders a page of the results of a search in the version.
async fn found(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    view: &View<'_>,
) -> Result<Markup, Failure> {
    let query = DocsQuery {
        topics: vec![view.text.clone()],
        library: Some(view.library.id),
        version: Some(view.version.version.clone()),
        mode: view.mode,
        language: None,
        size: library_limits::PAGE_SIZE,
        max_tokens: None,
        page: u32::try_from(view.page).unwrap_or(library_limits::MAX_PAGE),
    };
    let found = docs(libraries, query).await?;
    // The total number of results is not known.
    let pages = view.page + u64::from(found.has_more);
    let search = &visitor.words.search;
    Ok(html! {
        @if found.documents.is_empty() {
            div.empty role="status" {
                p { strong { (search.nothing) } }
                p { (search.nothing_hint) }
            }
        } @else {
            h2.visually-hidden { (visitor.words.libraries.chunks) }
        }
        (list(found.documents.iter().map(Piece::from)))
        (paging(&visitor.words.shell, (view.page, pages), |page| view.address(view.mode, page)))
    })
}

fn list<'a>(pieces: impl Iterator<Item = Piece<'a>>) -> Markup {
    html! {
        ol.results.read { @for piece in pieces { li { (piece.render()) } } }
    }
}

fn removal(visitor: &Visitor, view: &View<'_>) -> Markup {
    let words = &visitor.words.libraries;
    let (library, version) = (&view.library.name, &view.version.version);
    let path = version_address(view.library.id, version);
    html! {
        details.card {
            summary { (words.remove) }
            form method="post" action={ (path) "/remove" } {
                (token_field(visitor))
                p dir="auto" { (visible(&filled(words.remove_why, &[&library, &version]))) }
                button type="submit" { (words.remove_now) }
            }
        }
    }
}
