//! The most frequent queries, and queries without results, for visitors who may read their texts.

use maud::{Markup, html};
use recall_kit_core::experiences::insights::{self, DayOfQuestions};
use recall_kit_store::{AskedQuestion, QuestionFamily};

use super::{ROWS, View};
use crate::{
    http::{address::with_query, failure::Failure},
    layout::plain::visible,
};

/// The queries that a table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    NotFound,
    MostAsked,
}

/// Renders the queries without relevant results.
pub(super) async fn gaps(view: View<'_>, days: &[DayOfQuestions]) -> Result<Markup, Failure> {
    let words = view.words();
    let unanswered: u64 = days.iter().map(|day| day.unanswered).sum();
    let why_empty = match (days.is_empty(), unanswered) {
        (true, _) => words.gaps_empty,
        (false, 0) => words.all_found,
        (false, _) => words.no_texts,
    };
    let listed = view.filter.listed(ROWS);
    let list = insights::gaps(view.insights, &view.visitor.caller, listed).await?;
    Ok(html! {
        section.card {
            (view.heading(words.gaps, words.gaps_hint, &[("gaps", words.gaps)]))
            (list_or_note(view, Kind::NotFound, list.as_deref(), why_empty))
        }
    })
}

/// Renders the most frequent queries.
pub(super) async fn most_asked(view: View<'_>, days: &[DayOfQuestions]) -> Result<Markup, Failure> {
    let words = view.words();
    let why_empty = match days.is_empty() {
        true => words.asked_empty,
        false => words.no_texts,
    };
    let listed = view.filter.listed(ROWS);
    let list = insights::most_asked(view.insights, &view.visitor.caller, listed).await?;
    Ok(html! {
        section {
            (view.heading(words.most_asked, words.most_asked_hint, &[("asked", words.most_asked)]))
            (list_or_note(view, Kind::MostAsked, list.as_deref(), why_empty))
        }
    })
}

/// Renders the table, or a note why there is none.
fn list_or_note(
    view: View<'_>,
    kind: Kind,
    list: Option<&[AskedQuestion]>,
    why_empty: &str,
) -> Markup {
    let words = view.words();
    html! {
        @match list {
            None if view.visitor.session.is_some() => { p.empty { (words.all_projects_to_read) } }
            None => {
                p.empty { (words.sign_in_to_read) " "
                    a href=(view.visitor.sign_in_address()) { (view.visitor.words.account.sign_in) } }
            }
            Some([]) => { p.empty { (why_empty) } }
            Some(list) => { (table(view, kind, list)) }
        }
    }
}

fn table(view: View<'_>, kind: Kind, list: &[AskedQuestion]) -> Markup {
    let words = view.words();
    let name = match kind {
        Kind::NotFound => words.gaps,
        Kind::MostAsked => words.most_asked,
    };
    html! {
        div.wide tabindex="0" role="region" aria-label=(name) {
            table {
                thead { tr {
                    th scope="col" { (words.question) }
                    th scope="col" { (view.visitor.words.search.family) }
                    th scope="col" { (words.asked) }
                    th scope="col" { (words.unanswered) }
                    th scope="col" { (words.last) }
                } }
                tbody { @for one in list { (row(view, one)) } }
            }
        }
    }
}

fn row(view: View<'_>, one: &AskedQuestion) -> Markup {
    let place = match one.family {
        QuestionFamily::Libraries => "documentation",
        family => family.as_str(),
    };
    let search = with_query("/", [("q", one.text.as_str()), ("in", place)]);
    let ages = &view.visitor.words.ages;
    html! {
        tr {
            th scope="row" dir="auto" { a href=(search) { (visible(&one.text)) } }
            td { (view.name_of(one.family)) }
            td.number { (one.asked) }
            td.number { (one.unanswered) }
            td { time datetime=(one.last_at) title=(one.last_at) {
                (ages.between(one.last_at, view.visitor.now)) } }
        }
    }
}
