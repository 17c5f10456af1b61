//! The pages of documentation libraries: the list of libraries and versions, the reader, and ingest jobs.

mod ingest;
mod job;
mod piece;
mod reader;

use std::sync::Arc;

use axum::{extract::State, response::Response};
use maud::{Markup, html};
use recall_kit_core::access::Scope;
use recall_kit_libraries::{Libraries, is_stale};
use recall_kit_shared_types::libraries::EmbeddingProgress;
use recall_kit_store::{Library, LibraryVersion};

pub(super) use self::{
    ingest::{begin_ingest, ingest_form},
    job::{cancel_job, job, job_events},
    reader::{reader, remove},
};
use super::visitor::Visitor;
use crate::{
    http::{
        address::{segment, with_query},
        failure::Failure,
    },
    i18n::words::filled,
    layout::{
        page::{Page, Section},
        plain::visible,
    },
};

/// The command that ingests documentation.
const INGEST: &str = "recall-kit-server ingest NAME PATH-OR-GIT-URL";

/// Answers with the list.
pub(super) async fn list(State(libraries): State<Arc<Libraries>>, visitor: Visitor) -> Response {
    let made = make(&libraries, &visitor).await;
    visitor.answer(made)
}

async fn make(libraries: &Arc<Libraries>, visitor: &Visitor) -> Result<Page, Failure> {
    let view = libraries.view().await?;
    let words = &visitor.words.libraries;
    let main = html! {
        h1 { (words.title) }
        @if visitor.may(Scope::Write) {
            p { a href="/libraries/ingest" { (visitor.words.ingest.title) } }
        }
        @if view.libraries().is_empty() {
            p.empty role="status" { (words.empty) }
            pre tabindex="0" { code { (INGEST) } }
        }
        (embedded(libraries, visitor))
        @for library in view.libraries() { (section(visitor, library)) }
    };
    Ok(Page::new(words.title, Section::Libraries, main))
}

/// Renders how many chunks have vectors, while some have none yet.
fn embedded(libraries: &Libraries, visitor: &Visitor) -> Markup {
    let progress = libraries
        .embedding_progress()
        .map(|EmbeddingProgress { embedded, total }| {
            let (embedded, total) = (embedded.to_string(), total.to_string());
            filled(visitor.words.libraries.embedded, &[&embedded, &total])
        });
    html! {
        @if let Some(progress) = progress { p role="status" { (progress) } }
    }
}

fn section(visitor: &Visitor, library: &Library) -> Markup {
    let words = &visitor.words.libraries;
    let inside = [("in", "documentation"), ("library", library.name.as_str())];
    html! {
        section {
            h2 dir="auto" { (visible(&library.name)) }
            p dir="auto" { (visible(&library.description)) }
            div.wide tabindex="0" role="region" aria-label=(visible(&library.name)) {
                table {
                    thead {
                        tr {
                            th scope="col" { (words.version) }
                            th scope="col" { (words.files) }
                            th scope="col" { (words.chunks) }
                            th scope="col" { (words.ingested) }
                            th scope="col" { (words.source) }
                        }
                    }
                    tbody {
                        @for version in &library.versions { (row(visitor, library, version)) }
                    }
                }
            }
            p { a href=(with_query("/", inside)) { (words.search_inside) } }
        }
    }
}

fn row(visitor: &Visitor, library: &Library, version: &LibraryVersion) -> Markup {
    let words = &visitor.words.libraries;
    let ages = &visitor.words.ages;
    html! {
        tr {
            th scope="row" dir="auto" {
                a href=(version_address(library.id, &version.version)) {
                    (visible(&version.version)) }
                @if version.version == library.default_version { " " span.label { (words.default_version) } } }
            td.number { (version.files) }
            td.number { (version.chunks) }
            td { time datetime=(version.ingested_at) { (ages.between(version.ingested_at, visitor.now)) }
                @if is_stale(version.ingested_at, visitor.now) { " " span.label { (words.stale) } } }
            td dir="auto" { (visible(&version.source)) }
        }
    }
}

/// Returns the address of a version's pages.
fn version_address(library: u64, version: &str) -> String {
    format!("/libraries/{library}/{}", segment(version))
}
