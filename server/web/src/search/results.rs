//! The results of a search, by family.

use std::sync::Arc;

use futures::try_join;
use jiff::Timestamp;
use maud::{Markup, html};
use recall_kit_core::{
    app::App,
    experiences::{self, Query},
    indexing::labels::EntryFilter,
    knowledge::entries,
};
use recall_kit_libraries::{DocsQuery, Libraries, docs, library_named};
use recall_kit_search::SnippetTerms;
use recall_kit_shared_types::{
    ExperienceRecord, QueryExperiencesData, RelevanceParts,
    applicability::Environment,
    knowledge::{RecordType, SearchData, SearchResult},
    libraries::{LibraryDocsData, LibraryDocument, library_limits},
};

use super::asked::{SearchQuery, Where};
use crate::{
    http::failure::Failure,
    i18n::words::{SearchWords, counted, filled},
    layout::{
        highlight::highlighted,
        markdown::{examples, plain_text},
        page::paging,
        plain::visible,
    },
    visitor::Visitor,
};

/// The number of results of each family if all are searched.
const FEW: u32 = 5;
/// The most code examples shown of one section.
const EXAMPLES: usize = 3;
/// The bytes at the beginning of a text in which a snippet is searched.
const SNIPPET_SEARCH_BYTES: usize = 20_000;
/// The length of a snippet in characters.
const SNIPPET_CHARS: usize = 260;

/// Searches the chosen families and renders the results.
pub(super) async fn results(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    query: &SearchQuery,
) -> Result<Markup, Failure> {
    match query.place {
        Where::Everywhere => everywhere(libraries, visitor, query).await,
        Where::Experiences => {
            let found = experiences_page(libraries.app(), query, query.size, query.page).await?;
            let total = found.0.total;
            let shown = experience_list(visitor, query, &found);
            Ok(one_family(visitor, query, shown, Some((total, total))))
        }
        Where::Knowledge => {
            let found =
                knowledge_page(libraries.app(), visitor, query, query.size, query.page).await?;
            let reachable = found.total.min(entries::WINDOW as u64);
            let shown = knowledge_list(visitor, query, &found, query.size, query.page);
            Ok(one_family(
                visitor,
                query,
                shown,
                Some((found.total, reachable)),
            ))
        }
        Where::Documentation => {
            let found = documentation_page(libraries, query, query.size, query.page).await?;
            let shown = documentation_list(visitor, query, &found);
            let more = documentation_paging(visitor, query, &found);
            Ok(html! { (one_family(visitor, query, shown, None)) (more) })
        }
    }
}

/// Renders the best results of every family; with a filter of one family, only of the filtered families.
async fn everywhere(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    query: &SearchQuery,
) -> Result<Markup, Failure> {
    let words = &visitor.words.search;
    let of_knowledge = query.kind.is_some() || query.project.is_some();
    let of_documentation =
        query.library.is_some() || query.mode.is_some() || query.language.is_some();
    let includes = |filtered: bool| filtered || !(of_knowledge || of_documentation);
    let (experiences, knowledge, documentation) = try_join!(
        run_if(
            includes(false),
            experiences_page(libraries.app(), query, FEW, 1)
        ),
        run_if(
            includes(of_knowledge),
            knowledge_page(libraries.app(), visitor, query, FEW, 1)
        ),
        run_if(
            includes(of_documentation),
            documentation_page(libraries, query, FEW, 1)
        ),
    )?;
    let experiences = experiences.filter(|(found, _)| found.total > 0);
    let knowledge = knowledge.filter(|found| found.total > 0);
    let documentation = documentation.filter(|found| !found.documents.is_empty());
    let nothing = experiences.is_none() && knowledge.is_none() && documentation.is_none();
    Ok(html! {
        @if nothing { (nothing_found(words)) }
        @if let Some(found) = experiences {
            (family(query, words, words.experiences, Where::Experiences, Some(found.0.total),
                experience_list(visitor, query, &found)))
        }
        @if let Some(found) = knowledge {
            (family(query, words, words.knowledge, Where::Knowledge, Some(found.total),
                knowledge_list(visitor, query, &found, FEW, 1)))
        }
        @if let Some(found) = documentation {
            (family(query, words, words.documentation, Where::Documentation, None,
                documentation_list(visitor, query, &found)))
        }
    })
}

async fn run_if<T>(
    condition: bool,
    search: impl Future<Output = Result<T, Failure>>,
) -> Result<Option<T>, Failure> {
    match condition {
        true => search.await.map(Some),
        false => Ok(None),
    }
}

/// Renders a few results of one family, with a link to all of them.
fn family(
    query: &SearchQuery,
    words: &SearchWords,
    name: &str,
    place: Where,
    total: Option<u64>,
    list: Markup,
) -> Markup {
    html! {
        section {
            div.heading {
                h2 { (name) }
                a href=(query.address(place, 1)) {
                    @match total {
                        Some(total) => { (filled(words.all_of_them, &[&total])) },
                        None => { (words.documentation) " →" },
                    }
                }
            }
            (list)
        }
    }
}

/// Renders a page of one family; `totals` are the number of matches and how many of them pages can show.
fn one_family(
    visitor: &Visitor,
    query: &SearchQuery,
    list: Markup,
    totals: Option<(u64, u64)>,
) -> Markup {
    let words = &visitor.words.search;
    let (total, reachable) = totals.unwrap_or_default();
    let pages = reachable.div_ceil(u64::from(query.size));
    html! {
        section {
            h2.visually-hidden { (name_of(words, query.place)) }
            @if totals == Some((0, 0)) {
                (nothing_found(words))
            } @else if totals.is_some() {
                p.total role="status" { (counted(words.found, total)) }
            }
            (list)
            (paging(&visitor.words.shell, (query.page, pages), |page| query.address(query.place, page)))
        }
    }
}

fn name_of(words: &SearchWords, place: Where) -> &'static str {
    match place {
        Where::Everywhere => words.everything,
        Where::Experiences => words.experiences,
        Where::Knowledge => words.knowledge,
        Where::Documentation => words.documentation,
    }
}

fn nothing_found(words: &SearchWords) -> Markup {
    html! {
        div.empty role="status" {
            p { strong { (words.nothing) } }
            p { (words.nothing_hint) }
        }
    }
}

type Explained = (QueryExperiencesData, Vec<RelevanceParts>);

async fn experiences_page(
    app: &Arc<App>,
    query: &SearchQuery,
    limit: u32,
    page: u64,
) -> Result<Explained, Failure> {
    let query = Query {
        environment: Environment::default(),
        keywords: query.text.clone(),
        limit,
        offset: u32::try_from(page - 1).unwrap_or(0) * limit,
    };
    Ok(experiences::look_up(&app.experiences, query).await?)
}

fn experience_list(visitor: &Visitor, query: &SearchQuery, (found, parts): &Explained) -> Markup {
    let terms = SnippetTerms::of(&query.text);
    html! {
        ol.results {
            @for (record, parts) in found.experiences.iter().zip(parts) {
                li { (experience(visitor, &terms, record, parts)) }
            }
        }
    }
}

fn experience(
    visitor: &Visitor,
    terms: &SnippetTerms,
    record: &ExperienceRecord,
    parts: &RelevanceParts,
) -> Markup {
    let words = &visitor.words;
    let text =
        [&record.problem_description, &record.solution].map(|text| plain_text(beginning(text)));
    let added: Option<Timestamp> = record.created_at.parse().ok();
    html! {
        article {
            h3 { a href={ "/experiences/" (record.id) } dir="auto" { (visible(&record.title)) } }
            (excerpt(&text.join("\n"), terms))
            p.facts {
                (score(&words.search, &record.id, record.relevance_score, Some(parts)))
                span { (counted(words.search.seen, record.query_count)) }
                @if let Some(added) = added {
                    time datetime=(record.created_at) { (words.ages.between(added, visitor.now)) }
                }
                (labels(&record.keywords))
            }
        }
    }
}

/// Renders the score; its parts appear when it is hovered or focused.
fn score(words: &SearchWords, id: &str, score: f64, parts: Option<&RelevanceParts>) -> Markup {
    let Some(parts) = parts else {
        return html! {
            span.score title=(words.score_says) { (words.score) " " (format!("{score:.2}")) }
        };
    };
    let shown = [
        (words.parts.lexical, parts.lexical),
        (words.parts.semantic, parts.semantic),
        (words.parts.fingerprint, parts.fingerprint),
        (words.parts.popularity, parts.popularity),
        (words.parts.recency, parts.recency),
        (words.parts.rank, parts.rank),
    ];
    let described = format!("parts-{id}");
    html! {
        span.score.explained {
            button type="button" aria-describedby=(described) {
                (words.score) " " (format!("{score:.2}"))
            }
            span.parts #(described) role="tooltip" {
                span.says { (words.score_says) } " "
                @for (name, part) in shown {
                    span { (name) } " " b { (format!("{part:.2}")) } " "
                }
            }
        }
    }
}

/// Returns the part of a text in which a snippet is searched.
fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SNIPPET_SEARCH_BYTES))
        .unwrap_or(text)
}

/// Renders the best matching part of a text, with the query's words marked.
fn excerpt(text: &str, terms: &SnippetTerms) -> Markup {
    let shown = visible(&terms.snippet(text, SNIPPET_CHARS));
    html! {
        p.snippet dir="auto" {
            @for (piece, is_hit) in terms.marked(&shown) {
                @if is_hit { mark { (piece) } } @else { (piece) }
            }
        }
    }
}

fn labels(words: &[String]) -> Markup {
    html! {
        @for word in words.iter().take(8) { span.label dir="auto" { (visible(word)) } }
    }
}

async fn knowledge_page(
    app: &Arc<App>,
    visitor: &Visitor,
    query: &SearchQuery,
    limit: u32,
    page: u64,
) -> Result<SearchData, Failure> {
    let pages = u32::try_from(page).unwrap_or(1);
    let search = entries::Search {
        environment: Environment::default(),
        query: query.text.clone(),
        context: None,
        limit: limit.saturating_mul(pages),
        filter: EntryFilter {
            kind: query.kind,
            project: query.project.clone(),
            status: None,
        },
        note: None,
        citations: false,
    };
    Ok(entries::search(&app.knowledge, &visitor.caller, search).await?)
}

fn knowledge_list(
    visitor: &Visitor,
    query: &SearchQuery,
    found: &SearchData,
    limit: u32,
    page: u64,
) -> Markup {
    let skipped = usize::try_from((page - 1) * u64::from(limit)).unwrap_or(usize::MAX);
    let entries = found.results.iter().skip(skipped);
    // Experiences among the results are left out, since they have their own list here.
    let entries = entries.filter(|one| one.r#type != RecordType::Experience);
    let terms = SnippetTerms::of(&query.text);
    html! {
        ol.results {
            @for entry in entries { li { (knowledge_entry(visitor, &terms, entry)) } }
        }
    }
}

fn knowledge_entry(visitor: &Visitor, terms: &SnippetTerms, entry: &SearchResult) -> Markup {
    let words = &visitor.words;
    let kind = entry.r#type.as_str().parse().ok();
    html! {
        article {
            h3 { a href={ "/knowledge/" (entry.id) } dir="auto" { (visible(&entry.title)) } }
            (excerpt(&plain_text(&entry.snippet), terms))
            p.facts {
                (score(&words.search, &entry.id, entry.score, None))
                @if let Some(kind) = kind { span.kind { (words.knowledge.kind(kind)) } }
                @if let Some(by) = &entry.superseded_by {
                    a href={ "/knowledge/" (by) } { (words.knowledge.statuses[1]) }
                }
                (labels(&entry.tags))
            }
        }
    }
}

async fn documentation_page(
    libraries: &Arc<Libraries>,
    query: &SearchQuery,
    size: u32,
    page: u64,
) -> Result<LibraryDocsData, Failure> {
    let library = match &query.library {
        Some(name) => {
            let view = libraries.view().await?;
            Some(library_named(&view, name, "libraryName")?.id)
        }
        None => None,
    };
    let last = u64::from(library_limits::MAX_PAGE);
    let query = DocsQuery {
        topics: vec![query.text.clone()],
        library,
        version: None,
        // Only examples have a language, so a filter by language replaces the mode.
        mode: query.mode.filter(|_| query.language.is_none()),
        language: query.language,
        size: size as usize,
        max_tokens: None,
        page: u32::try_from(page.min(last)).unwrap_or(1),
    };
    Ok(docs(libraries, query).await?)
}

fn documentation_list(visitor: &Visitor, query: &SearchQuery, found: &LibraryDocsData) -> Markup {
    let terms = SnippetTerms::of(&query.text);
    html! {
        @if found.documents.is_empty() { (nothing_found(&visitor.words.search)) }
        ol.results {
            @for piece in &found.documents {
                li { (documentation(visitor, &terms, (found, piece))) }
            }
        }
    }
}

fn documentation(
    visitor: &Visitor,
    terms: &SnippetTerms,
    (found, piece): (&LibraryDocsData, &LibraryDocument),
) -> Markup {
    let words = &visitor.words.search;
    let library = piece.library_name.as_ref().or(found.library_name.as_ref());
    html! {
        article {
            h3 dir="auto" { (visible(&piece.title)) }
            @if let Some(description) = &piece.description {
                p dir="auto" { (visible(description)) }
            }
            @if let Some(code) = &piece.code {
                @let language = piece.language.as_deref().unwrap_or_default();
                pre tabindex="0" { code { (highlighted(&visible(code), language)) } }
            }
            @if let Some(text) = &piece.content {
                (excerpt(&plain_text(beginning(text)), terms))
                @for (language, code) in examples(beginning(text), EXAMPLES) {
                    pre tabindex="0" { code { (highlighted(&visible(&code), &language)) } }
                }
            }
            p.facts {
                (score(words, &piece.source, piece.relevance, None))
                @if let Some(library) = library { span.label dir="auto" { (visible(library)) } }
                span.label dir="auto" { (visible(&piece.source)) }
                span.label { (visible(&piece.version)) }
                @if let Some(language) = piece.language.as_deref().filter(|name| !name.is_empty()) {
                    span.label { (visible(language)) }
                }
            }
        }
    }
}

/// Renders the paging; the total number of results is not known.
fn documentation_paging(visitor: &Visitor, query: &SearchQuery, found: &LibraryDocsData) -> Markup {
    let shown = u64::from(found.page);
    let pages = shown + u64::from(found.has_more);
    paging(&visitor.words.shell, (shown, pages), |page| {
        query.address(Where::Documentation, page)
    })
}
