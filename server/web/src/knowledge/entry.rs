//! The page of an entry: its text, its properties, and its links in both directions.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use jiff::Timestamp;
use maud::{Markup, html};
use recall_kit_core::knowledge::{
    Knowledge,
    entries::{self, Reading},
};
use recall_kit_shared_types::knowledge::{CitedFile, EntryData, RelationType};
use serde::Deserialize;

use super::edit;
use crate::{
    http::{address::with_query, failure::Failure},
    i18n::words::counted,
    layout::{
        markdown::markdown,
        page::{Page, Section},
        plain::visible,
    },
    visitor::Visitor,
};

/// How many characters of a hash are shown.
const HASH_CHARS: usize = 12;

/// The parameters of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Params {
    /// The action that was just performed.
    done: String,
}

/// Answers with the page.
pub(crate) async fn entry(
    State(knowledge): State<Arc<Knowledge>>,
    visitor: Visitor,
    Path(id): Path<String>,
    Query(params): Query<Params>,
) -> Response {
    let made = make(&knowledge, &visitor, (&id, &params)).await;
    visitor.answer(made)
}

async fn make(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    (id, params): (&str, &Params),
) -> Result<Page, Failure> {
    let entry = entries::show(knowledge, &visitor.caller, (id, Reading::Opening)).await?;
    let words = visitor.words;
    let around = with_query("/knowledge/graph", [("around", entry.id.as_str())]);
    let title = visible(&entry.title);
    let main = html! {
        (edit::notice(visitor, (&entry.id, entry.status), &params.done))
        article.record {
            h1 dir="auto" { (title) }
            (facts(visitor, &entry))
            (edit::buttons(visitor, &entry.id, entry.status))
            div.text dir="auto" { (markdown(&entry.content)) }
            (citations(visitor, &entry.citations))
            @if let Some(from) = &entry.promoted_from {
                p { (words.knowledge.promoted_from) (words.colon) " "
                    a href={ "/experiences/" (from.id) } dir="auto" { (visible(&from.title)) } }
            }
        }
        (links(visitor, &entry))
        p { a href=(around) { (words.knowledge.around_this) } }
    };
    Ok(Page::new(title, Section::Knowledge, main))
}

fn facts(visitor: &Visitor, entry: &EntryData) -> Markup {
    let (words, colon) = (&visitor.words.knowledge, visitor.words.colon);
    let kind = entry.r#type.as_str().parse().ok();
    let age = |moment: &str| {
        let moment: Option<Timestamp> = moment.parse().ok();
        moment.map(|moment| visitor.words.ages.between(moment, visitor.now))
    };
    html! {
        p.facts {
            @if let Some(kind) = kind { span.kind { (words.kind(kind)) } }
            span { (words.status_of(entry.status)) }
            @if let Some(project) = &entry.project {
                span { (visitor.words.search.project) (colon) " " bdi { (visible(project)) } }
            }
            span { (words.memory) (colon) " " (words.memory_of(entry.memory_type)) }
            span { (words.confidence) (colon) " " (entry.confidence) "/5" }
            span { (words.remembered) (colon) " " (format!("{:.2}", entry.consolidation_score)) }
            span { (counted(visitor.words.search.seen, entry.access_count)) }
            span { (words.updated) " "
                time datetime=(entry.updated_at) { (age(&entry.updated_at).unwrap_or_default()) } }
            @for tag in &entry.tags { span.label dir="auto" { (visible(tag)) } }
        }
    }
}

/// Lists the files that the entry is about, with the beginnings of their hashes.
fn citations(visitor: &Visitor, citations: &[CitedFile]) -> Markup {
    html! {
        @if !citations.is_empty() {
            section {
                h2 { (visitor.words.knowledge.citations) }
                ul {
                    @for file in citations {
                        @let short = file.sha256.get(..HASH_CHARS).unwrap_or_default();
                        li { code { (visible(&file.path)) } " " span.hint title=(file.sha256) { (short) } }
                    }
                }
            }
        }
    }
}

fn links(visitor: &Visitor, entry: &EntryData) -> Markup {
    let words = &visitor.words.knowledge;
    let outgoing = entry.links.outgoing.iter();
    let outgoing = outgoing.map(|link| (link.relation_type, &link.target_id, &link.target_title));
    let incoming = entry.links.incoming.iter();
    let incoming = incoming.map(|link| (link.relation_type, &link.source_id, &link.source_title));
    html! {
        section {
            h2 { (words.links_from) }
            (linked(visitor, outgoing))
            h2 { (words.links_to) }
            (linked(visitor, incoming))
        }
    }
}

fn linked<'a>(
    visitor: &Visitor,
    links: impl ExactSizeIterator<Item = (RelationType, &'a String, &'a String)>,
) -> Markup {
    let words = &visitor.words.knowledge;
    html! {
        @if links.len() == 0 {
            p.hint { (words.no_links) }
        } @else {
            ul {
                @for (relation, id, title) in links {
                    li { (words.relation_of(relation)) " "
                        a href={ "/knowledge/" (id) } dir="auto" { (visible(title)) } }
                }
            }
        }
    }
}
