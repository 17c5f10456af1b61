//! Pending suggestions, to accept or reject one by one or many at once.

use std::sync::Arc;

use axum::{extract::State, http::StatusCode, response::Response};
use maud::{Markup, html};
use recall_kit_core::{
    access::Scope,
    error::ServiceError,
    knowledge::{
        Knowledge,
        suggestions::{self, GeneralizationReason, Likeness, LinkReason, SuggestedEntries},
    },
};
use recall_kit_shared_types::knowledge::{EntryName, GeneralizeSuggestion, LinkSuggestion};

use crate::{
    http::{
        failure::Failure,
        form::{Fields, SessionForm, alert, token_field},
    },
    i18n::words::{KnowledgeWords, counted, filled},
    layout::{
        page::{Page, Section},
        plain::visible,
    },
    visitor::Visitor,
};

/// The most suggestions of each kind on the page, the best first.
const SHOWN: u32 = 50;

/// The result of the decisions of one form.
#[derive(Debug, Default)]
struct Decided {
    /// The number of decided suggestions.
    done: u64,
    /// Commands that create the semantic entries of accepted generalisations.
    commands: Vec<String>,
    /// Messages about suggestions that could not be decided.
    refused: Vec<String>,
}

/// Answers with the page.
pub(crate) async fn suggestions(
    State(knowledge): State<Arc<Knowledge>>,
    visitor: Visitor,
) -> Response {
    let page = render(&knowledge, &visitor, html! {}).await;
    visitor.answer(page)
}

/// Accepts or rejects suggestions: the one beside the pressed button, else all chosen ones.
pub(crate) async fn decide(
    State(knowledge): State<Arc<Knowledge>>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let notice = match decide_all(&knowledge, &visitor, &fields).await {
        Ok(decided) => decided_notice(&visitor, &decided),
        Err(Failure::Refused(why)) => {
            let page = render(&knowledge, &visitor, alert(&why.message(visitor.words))).await;
            return visitor.answer_with(StatusCode::BAD_REQUEST, page);
        }
        Err(failure) => return visitor.fail(&failure),
    };
    let page = render(&knowledge, &visitor, notice).await;
    visitor.answer(page)
}

async fn decide_all(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    fields: &Fields,
) -> Result<Decided, Failure> {
    let caller = &visitor.caller;
    caller.require(Scope::Write).map_err(ServiceError::from)?;
    let words = &visitor.words.knowledge;
    // The value of a button is `accept` or `reject`, followed by an id if it belongs to one suggestion.
    let (decision, one) = fields
        .get("decision")
        .split_once(' ')
        .unwrap_or((fields.get("decision"), ""));
    let chosen: Vec<&str> = match one {
        "" => fields.all("id").collect(),
        one => vec![one],
    };
    if chosen.is_empty() {
        return Err(Failure::refused(words.none_chosen.to_owned()));
    }
    let mut decided = Decided::default();
    for id in chosen {
        let outcome = match decision {
            "accept" => suggestions::accept(knowledge, caller, id)
                .await
                .map(|data| data.generalize_command),
            "reject" => suggestions::reject(knowledge, caller, id)
                .await
                .map(|_| None),
            _ => {
                return Err(Failure::refused(
                    "decision must be accept or reject".to_owned(),
                ));
            }
        };
        match outcome {
            Ok(command) => {
                decided.done += 1;
                decided.commands.extend(command);
            }
            Err(error) if error.is_fault() => return Err(error.into()),
            Err(error) => decided.refused.push(error.body().message),
        }
    }
    Ok(decided)
}

/// Renders the result of the decisions.
fn decided_notice(visitor: &Visitor, decided: &Decided) -> Markup {
    let words = &visitor.words.knowledge;
    html! {
        div.done role="status" {
            p { (counted(words.decided, decided.done)) }
            @if !decided.commands.is_empty() {
                p { (words.generalize_next) }
                @for command in &decided.commands { pre tabindex="0" { code { (command) } } }
            }
        }
        @for why in &decided.refused { (alert(why)) }
    }
}

async fn render(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    notice: Markup,
) -> Result<Page, Failure> {
    let words = &visitor.words.knowledge;
    let caller = &visitor.caller;
    let links = suggestions::pending_links(knowledge, caller, SHOWN).await?;
    let generalizations = suggestions::pending_generalizations(knowledge, caller, SHOWN).await?;
    let total = links.total_pending + generalizations.total_pending;
    let (links, others) = (&links.suggestions, &generalizations.suggestions);
    let entries = SuggestedEntries::of(knowledge, links, others).await?;
    let main = html! {
        h1 { (words.suggestions) }
        (notice)
        @if total == 0 {
            p.empty role="status" { (words.no_suggestions) }
        } @else {
            p.total { (filled(words.waiting, &[&total])) }
            form method="post" action="/knowledge/suggestions" {
                (token_field(visitor))
                @if visitor.may(Scope::Write) { (bulk_buttons(visitor)) }
                ul.plain {
                    @for one in links { (link(visitor, &entries, one)) }
                    @for one in others { (generalization(visitor, &entries, one)) }
                }
            }
        }
    };
    Ok(Page::new(words.suggestions, Section::Knowledge, main))
}

/// Renders the buttons for all chosen suggestions.
fn bulk_buttons(visitor: &Visitor) -> Markup {
    let words = &visitor.words.knowledge;
    html! {
        p.actions {
            button type="button" data-choose-all hidden { (words.choose_all) }
            button type="submit" name="decision" value="accept" { (words.accept_chosen) }
            button type="submit" name="decision" value="reject" { (words.reject_chosen) }
        }
    }
}

fn link(visitor: &Visitor, known: &SuggestedEntries, one: &LinkSuggestion) -> Markup {
    let words = &visitor.words.knowledge;
    let entries = [&one.entry_a, &one.entry_b];
    let reason = known.link_reason(one);
    let reason = reason.map_or_else(|| one.reason.clone(), |why| link_reason(words, &why));
    let shown = (one.score, reason.as_str());
    suggestion(visitor, (&one.id, words.link_suggestion), &entries, shown)
}

fn generalization(
    visitor: &Visitor,
    known: &SuggestedEntries,
    one: &GeneralizeSuggestion,
) -> Markup {
    let words = &visitor.words.knowledge;
    let entries: Vec<&EntryName> = one.entries.iter().collect();
    let reason = known.generalization_reason(one);
    let reason = reason.map_or_else(
        || one.reason.clone(),
        |why| generalization_reason(words, &why),
    );
    let (kind, shown) = (words.generalize_suggestion, (one.score, reason.as_str()));
    suggestion(visitor, (&one.id, kind), &entries, shown)
}

fn link_reason(words: &KnowledgeWords, why: &LinkReason) -> String {
    let [nearly_same, very_similar, similar] = words.likeness;
    let likeness = match why.likeness {
        Likeness::NearlySame => nearly_same,
        Likeness::VerySimilar => very_similar,
        Likeness::Similar => similar,
    };
    let mut parts = vec![likeness.to_owned()];
    if !why.words.is_empty() {
        parts.push(filled(words.both_mention, &[&why.words.join(", ")]));
    }
    if !why.tags.is_empty() {
        parts.push(filled(words.same_tags, &[&why.tags.join(", ")]));
    }
    if let Some(project) = &why.project {
        parts.push(filled(words.same_project, &[&project]));
    }
    parts.join("; ")
}

fn generalization_reason(words: &KnowledgeWords, why: &GeneralizationReason) -> String {
    let mut parts = vec![filled(words.much_the_same, &[&why.entries])];
    if !why.words.is_empty() {
        parts.push(filled(words.most_mention, &[&why.words.join(", ")]));
    }
    if why.projects > 1 {
        parts.push(filled(words.of_projects, &[&why.projects]));
    }
    parts.join("; ")
}

fn suggestion(
    visitor: &Visitor,
    (id, kind): (&str, &str),
    entries: &[&EntryName],
    (score, reason): (f64, &str),
) -> Markup {
    let words = &visitor.words.knowledge;
    html! {
        li.card {
            @if visitor.may(Scope::Write) {
                label { input type="checkbox" name="id" value=(id); " " (kind) }
            } @else {
                p { (kind) }
            }
            ul {
                @for entry in entries {
                    li { a href={ "/knowledge/" (entry.id) } dir="auto" { (visible(&entry.title)) } }
                }
            }
            p.facts {
                span { (visitor.words.search.score) " " (format!("{score:.2}")) }
                span dir="auto" { (visible(reason)) }
            }
            @if visitor.may(Scope::Write) {
                p.actions {
                    button type="submit" name="decision" value={ "accept " (id) } { (words.accept) }
                    button type="submit" name="decision" value={ "reject " (id) } { (words.reject) }
                }
            }
        }
    }
}
