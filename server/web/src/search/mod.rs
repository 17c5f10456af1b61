//! The search page: one search box for all families of records; every search has an address that can be
//! shared.
//!
//! Without JavaScript it is a form. With JavaScript the same page is requested while typing, and its results
//! replace the displayed ones.

mod asked;
mod results;

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    http::{HeaderName, HeaderValue},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_code::names as language_names;
use recall_kit_libraries::Libraries;
use recall_kit_shared_types::{knowledge::EntryType, libraries::DocsMode, limits::MAX_QUERY_CHARS};

pub(super) use self::asked::page_of;
use self::asked::{FEWER, MORE, Params, SearchQuery, Where};
use super::{connect::connect, visitor::Visitor};
use crate::{
    http::failure::Failure,
    layout::page::{Page, Section, select},
};

/// The header with the address that htmx shows in the browser.
const REPLACE_URL: HeaderName = HeaderName::from_static("hx-replace-url");

/// Answers with the search page.
pub(super) async fn page(
    State(libraries): State<Arc<Libraries>>,
    visitor: Visitor,
    Query(params): Query<Params>,
) -> Response {
    match SearchQuery::of(params).map_err(Failure::refused) {
        Ok(query) => {
            let mut answer = visitor.answer(make(&libraries, &visitor, &query).await);
            // The address of the search, without empty filters.
            let address = HeaderValue::from_str(&query.address(query.place, query.page));
            if let Ok(address) = address {
                answer.headers_mut().insert(REPLACE_URL, address);
            }
            answer
        }
        Err(failure) => visitor.fail(&failure),
    }
}

async fn make(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    query: &SearchQuery,
) -> Result<Page, Failure> {
    let words = &visitor.words.search;
    let found = async {
        match query.text.is_empty() {
            true => Ok(None),
            false => results::results(libraries, visitor, query).await.map(Some),
        }
    };
    let (form, found) = tokio::try_join!(form(libraries, visitor, query), found)?;
    let title = match query.text.is_empty() {
        true => words.title.to_owned(),
        false => format!("{} · {}", query.text, words.title),
    };
    let main = html! {
        h1.visually-hidden { (words.title) }
        (form)
        div #results {
            @match found {
                Some(found) => { (found) }
                None => { (connect(visitor)) }
            }
        }
    };
    Ok(Page::new(title, Section::Search, main))
}

/// Renders the search box and the filters.
async fn form(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    query: &SearchQuery,
) -> Result<Markup, Failure> {
    let words = &visitor.words.search;
    let families = [
        (Where::Everywhere, words.everything),
        (Where::Experiences, words.experiences),
        (Where::Knowledge, words.knowledge),
        (Where::Documentation, words.documentation),
    ];
    let filters = filters(libraries, visitor, query).await?;
    Ok(html! {
        search {
            form #search method="get" action="/" hx-get="/" hx-target="#results"
                hx-select="#results" hx-swap="outerHTML" hx-sync="this:replace"
                hx-trigger="input delay:120ms, submit" {
                label.visually-hidden for="q" { (words.label) }
                div.box {
                    input #q type="search" name="q" value=(query.text) placeholder=(words.placeholder)
                        maxlength=(MAX_QUERY_CHARS) autocomplete="off" spellcheck="false" dir="auto"
                        autofocus[query.text.is_empty()];
                    button type="submit" { (words.submit) }
                }
                fieldset.families {
                    legend.visually-hidden { (words.family) }
                    @for (family, name) in families {
                        label {
                            input type="radio" name="in" value=(family.as_str())
                                checked[family == query.place];
                            span { (name) }
                        }
                    }
                }
                details.filters open[query.has_filters()] {
                    summary { (words.filters) }
                    div { (filters) }
                }
                p.hint { (words.keys_hint) }
            }
        }
    })
}

/// Renders the filters, grouped by the family that they apply to.
async fn filters(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    query: &SearchQuery,
) -> Result<Markup, Failure> {
    let words = &visitor.words.search;
    let knowledge = &visitor.words.knowledge;
    let types = EntryType::ALL.iter();
    let types = types.map(|kind| (kind.as_str(), knowledge.kind(*kind)));
    let projects = libraries
        .app()
        .knowledge
        .labels
        .projects(&visitor.caller.projects);
    let projects = projects.iter().map(|name| (&**name, &**name));
    let view = libraries.view().await?;
    let libraries = view.libraries().iter();
    let libraries = libraries.map(|library| (library.name.as_str(), library.name.as_str()));
    let modes = [
        (DocsMode::Code.as_str(), words.code),
        (DocsMode::Info.as_str(), words.text),
    ];
    let kind = query.kind.map_or("", EntryType::as_str);
    let mode = query.mode.map_or("", DocsMode::as_str);
    let languages = language_names().map(|name| (name, name));
    let language = query.language.unwrap_or_default();
    let project = query.project.as_deref().unwrap_or_default();
    let library = query.library.as_deref().unwrap_or_default();
    let more = MORE.to_string();
    let size = if query.size == MORE {
        more.as_str()
    } else {
        ""
    };
    let fewer = FEWER.to_string();
    Ok(html! {
        fieldset {
            legend { (words.knowledge) }
            (select(words.kind, "type", words.any, types, kind))
            (select(words.project, "project", words.any, projects, project))
        }
        fieldset {
            legend { (words.documentation) }
            (select(words.library, "library", words.any, libraries, library))
            (select(words.content, "mode", words.any, modes, mode))
            (select(words.language, "language", words.any, languages, language))
        }
        fieldset {
            legend { (words.page) }
            (select(words.size, "n", &fewer, [(more.as_str(), more.as_str())], size))
        }
    })
}
