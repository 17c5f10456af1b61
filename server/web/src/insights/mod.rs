//! Insights: queries of agents with and without results, the most helpful records, growth, and latency.
//!
//! Every visitor of the pages sees the counts. The texts of queries are shown only to visitors who have
//! signed in and may see all projects.

mod csv;
mod days;
mod files;
mod plot;
mod questions;
mod recovery;

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::experiences::insights::{self, DayOfQuestions, Insights, Listed};
use recall_kit_store::{QuestionFamily, ReturnedRecord};
use recall_kit_telemetry::chain;
use serde::Deserialize;

pub(super) use self::files::table;
use super::visitor::Visitor;
use crate::{
    http::{address::with_query, failure::Failure},
    i18n::words::{InsightWords, counted, filled},
    layout::{
        page::{Page, Section, select},
        plain::visible,
    },
};

/// The choices of a period, in days.
const PERIODS: [u32; 3] = [7, 30, 90];
/// The default period.
const PERIOD: u32 = 30;
/// The most rows of a table.
const ROWS: u32 = 20;

/// The parameters of the page, not checked yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    days: String,
    family: String,
}

/// The selected period and family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Filter {
    /// The number of days, including today.
    days: u32,
    /// One family; `None` for all.
    family: Option<QuestionFamily>,
}

impl Filter {
    /// Checks the parameters of an address.
    ///
    /// *Errors*: [`Failure::Refused`] with a message that says which parameter is wrong.
    fn of(params: &Params) -> Result<Self, Failure> {
        let mut periods = PERIODS.into_iter();
        let days = match params.days.as_str() {
            "" => Some(PERIOD),
            days => periods.find(|period| period.to_string() == days),
        };
        let mut families = QuestionFamily::ALL.into_iter().map(Some);
        let family = match params.family.as_str() {
            "" => Some(None),
            word => families.find(|family| family.is_some_and(|family| family.as_str() == word)),
        };
        let days = days.ok_or_else(|| {
            let days = visible(&params.days);
            Failure::refused(format!("days must be 7, 30 or 90, not {days:?}"))
        })?;
        let family = family.ok_or_else(|| {
            let word = visible(&params.family);
            Failure::refused(format!(
                "family must be one of the listed values, not {word:?}"
            ))
        })?;
        Ok(Self { days, family })
    }

    /// Returns the selection of queries for a table or a file.
    fn listed(self, limit: u32) -> Listed {
        let Self { days, family } = self;
        Listed {
            days,
            family,
            limit,
        }
    }

    /// Returns the selected families.
    fn families(self) -> impl Iterator<Item = QuestionFamily> {
        let all = QuestionFamily::ALL.into_iter();
        all.filter(move |family| self.family.is_none_or(|selected| selected == *family))
    }

    /// Returns the address of one of the tables as a file.
    fn file(self, name: &str) -> String {
        let days = self.days.to_string();
        let family = self.family.map_or("", QuestionFamily::as_str);
        let path = format!("/insights/{name}.csv");
        with_query(&path, [("days", days.as_str()), ("family", family)])
    }
}

/// The data that every section is rendered from.
#[derive(Clone, Copy)]
struct View<'a> {
    insights: &'a Insights,
    visitor: &'a Visitor,
    filter: Filter,
}

impl View<'_> {
    fn words(&self) -> &'static InsightWords {
        &self.visitor.words.insights
    }

    /// Returns the name of a family.
    fn name_of(&self, family: QuestionFamily) -> &'static str {
        let words = &self.visitor.words.search;
        match family {
            QuestionFamily::Experiences => words.experiences,
            QuestionFamily::Knowledge => words.knowledge,
            QuestionFamily::Libraries => words.documentation,
        }
    }

    /// Returns the name of a section's part about a family, which is unique on the page.
    fn name_in(&self, section: &str, family: QuestionFamily) -> String {
        format!(
            "{section}{} {}",
            self.visitor.words.colon,
            self.name_of(family)
        )
    }

    /// Returns a section, or a note that it is not available at the moment, so that one slow or failing
    /// database query does not hide the other sections.
    fn section(&self, title: &str, result: Result<Markup, Failure>) -> Result<Markup, Failure> {
        let Err(Failure::Service(error)) = result else {
            return result;
        };
        tracing::error!(
            error = chain(&error),
            "a section of the insights could not be rendered"
        );
        Ok(html! {
            section {
                h2 { (title) }
                p.empty { (self.words().not_now) }
            }
        })
    }

    /// Renders the heading of a section, its hint, and links to its tables as files; each file has a name in
    /// its address and a name on the page.
    fn heading(&self, title: &str, hint: &str, files: &[(&str, &str)]) -> Markup {
        let words = self.words();
        html! {
            div.heading {
                h2 { (title) }
                span.actions {
                    @for (file, name) in files {
                        a href=(self.filter.file(file)) download {
                            (words.download)
                            span.visually-hidden[files.len() == 1] { " " (name) }
                        }
                    }
                }
            }
            p.hint { (hint) }
        }
    }
}

/// Answers with the page.
pub(super) async fn page(
    State(insights): State<Arc<Insights>>,
    visitor: Visitor,
    Query(params): Query<Params>,
) -> Response {
    let made = make(&insights, &visitor, &params).await;
    visitor.answer(made)
}

async fn make(insights: &Insights, visitor: &Visitor, params: &Params) -> Result<Page, Failure> {
    let filter = Filter::of(params)?;
    let view = View {
        insights,
        visitor,
        filter,
    };
    let words = view.words();
    let mut days = insights::latency(insights, filter.days).await?;
    days.retain(|day| filter.families().any(|family| family == day.family));
    let main = html! {
        h1 { (words.title) }
        (filters(view))
        p.total role="status" { (summary(words, &days)) }
        @if let Some(hint) = retention_hint(view) { p.hint { (hint) } }
        (view.section(words.gaps, questions::gaps(view, &days).await)?)
        (view.section(words.most_asked, questions::most_asked(view, &days).await)?)
        (view.section(words.helpful, helpful(view).await)?)
        @if filter.families().any(|family| family == QuestionFamily::Experiences) {
            (view.section(words.recovery, recovery::recovery(view).await)?)
        }
        (view.section(words.growth, days::growth(view).await)?)
        (days::latency(view, &days))
    };
    Ok(Page::new(words.title, Section::Insights, main))
}

fn filters(view: View<'_>) -> Markup {
    let words = view.words();
    let search = &view.visitor.words.search;
    let families = QuestionFamily::ALL.into_iter();
    let families = families.map(|family| (family.as_str(), view.name_of(family)));
    let chosen = view.filter.family.map_or("", QuestionFamily::as_str);
    html! {
        form.filters method="get" action="/insights" {
            label.choice { span { (words.period) }
                select name="days" {
                    @for days in PERIODS {
                        option value=(days) selected[days == view.filter.days] {
                            (filled(words.days, &[&days])) }
                    }
                }
            }
            (select(search.family, "family", search.everything, families, chosen))
            button type="submit" { (view.visitor.words.knowledge.filter) }
        }
    }
}

/// Returns a hint how long texts of queries are stored, if that is shorter than the period.
fn retention_hint(view: View<'_>) -> Option<String> {
    let stored = view.insights.keep_days();
    let caller = &view.visitor.caller;
    let may_read = view.visitor.session.is_some() && caller.projects.is_all();
    let is_shorter = (1..view.filter.days).contains(&stored);
    (may_read && is_shorter).then(|| counted(view.words().stored_days, stored.into()))
}

/// Returns the number of queries, and of those without results.
fn summary(words: &InsightWords, days: &[DayOfQuestions]) -> String {
    let asked: u64 = days.iter().map(|day| day.asked).sum();
    let unanswered: u64 = days.iter().map(|day| day.unanswered).sum();
    let asked = counted(words.asked_times, asked);
    let unanswered = counted(words.asked_times, unanswered);
    filled(words.summary, &[&asked, &unanswered])
}

/// Renders the records that were returned most often.
async fn helpful(view: View<'_>) -> Result<Markup, Failure> {
    let View {
        insights,
        visitor,
        filter,
    } = view;
    let words = view.words();
    let found = insights::helpful(insights, &visitor.caller, filter.days, ROWS).await?;
    let records_of = |family| match family {
        QuestionFamily::Experiences => Some(("/experiences/", linked(&found.experiences))),
        QuestionFamily::Knowledge => Some(("/knowledge/", linked(&found.entries))),
        QuestionFamily::Libraries => None,
    };
    let files = filter.families();
    let files = files.filter_map(|family| Some((files::of_helpful(family)?, view.name_of(family))));
    let files: Vec<_> = files.collect();
    Ok(html! {
        section {
            (view.heading(words.helpful, words.helpful_hint, &files))
            @for family in filter.families() {
                h3 { (view.name_of(family)) }
                @match records_of(family) {
                    None => { p.hint { (words.not_counted) } }
                    Some((_, rows)) if rows.is_empty() => { p.empty { (words.helpful_empty) } }
                    Some((folder, rows)) => { (records(view, &view.name_in(words.helpful, family), folder, &rows)) }
                }
            }
        }
    })
}

/// A record that was returned: its id, its title and how often.
type Linked<'a> = (String, &'a str, u64);

fn linked<Id: ToString>(records: &[ReturnedRecord<Id>]) -> Vec<Linked<'_>> {
    let records = records.iter();
    records
        .map(|one| (one.id.to_string(), one.title.as_str(), one.count))
        .collect()
}

fn records(view: View<'_>, name: &str, folder: &str, rows: &[Linked<'_>]) -> Markup {
    let words = view.words();
    html! {
        div.wide tabindex="0" role="region" aria-label=(name) {
            table {
                thead { tr {
                    th scope="col" { (words.record) }
                    th scope="col" { (words.returned) }
                } }
                tbody {
                    @for (id, title, count) in rows {
                        tr {
                            th scope="row" dir="auto" {
                                a href={ (folder) (id) } { (visible(title)) } }
                            td.number { (count) }
                        }
                    }
                }
            }
        }
    }
}
