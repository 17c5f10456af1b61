//! Insights: what agents ask and do not find, what helps, how the memory grows and how quickly it
//! answers.
//!
//! Counts are for everybody who may look; the texts of questions only for who signed in and may see
//! every project.

mod days;
mod files;
mod plot;
mod questions;

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    app::App,
    experiences::insights::{self, DayOfQuestions, Listed},
};
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

/// Days of a period: the choices.
const PERIODS: [u32; 3] = [7, 30, 90];
/// The period where none is chosen.
const PERIOD: u32 = 30;
/// Rows of a table.
const ROWS: u32 = 20;

/// The parameters, as they come.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Typed {
    days: String,
    family: String,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted {
    /// Of how many days, today included.
    days: u32,
    /// Of one family, else of all.
    family: Option<QuestionFamily>,
}

impl Wanted {
    /// Reads what an address asks for.
    ///
    /// *Errors*: what is wrong with it, in words.
    fn of(typed: &Typed) -> Result<Self, Failure> {
        let mut periods = PERIODS.into_iter();
        let days = match typed.days.as_str() {
            "" => Some(PERIOD),
            days => periods.find(|period| period.to_string() == days),
        };
        let mut families = QuestionFamily::ALL.into_iter().map(Some);
        let family = match typed.family.as_str() {
            "" => Some(None),
            word => families.find(|family| family.is_some_and(|family| family.as_str() == word)),
        };
        let days = days.ok_or_else(|| {
            let days = visible(&typed.days);
            Failure::refused(format!("days must be 7, 30 or 90, not {days:?}"))
        })?;
        let family = family.ok_or_else(|| {
            let word = visible(&typed.family);
            Failure::refused(format!("family knows no {word:?}; choose one of the list"))
        })?;
        Ok(Self { days, family })
    }

    /// Which questions a table or a file has.
    fn listed(self, limit: u32) -> Listed {
        let Self { days, family } = self;
        Listed {
            days,
            family,
            limit,
        }
    }

    /// The families that are asked for.
    fn families(self) -> impl Iterator<Item = QuestionFamily> {
        let all = QuestionFamily::ALL.into_iter();
        all.filter(move |family| self.family.is_none_or(|wanted| wanted == *family))
    }

    /// Returns the address of one of the tables as a file.
    fn file(self, name: &str) -> String {
        let days = self.days.to_string();
        let family = self.family.map_or("", QuestionFamily::as_str);
        let path = format!("/insights/{name}.csv");
        with_query(&path, [("days", days.as_str()), ("family", family)])
    }
}

/// What a section is rendered for.
#[derive(Clone, Copy)]
struct View<'a> {
    app: &'a Arc<App>,
    visitor: &'a Visitor,
    wanted: Wanted,
}

impl View<'_> {
    fn words(&self) -> &'static InsightWords {
        &self.visitor.words.insights
    }

    /// Names a family.
    fn name_of(&self, family: QuestionFamily) -> &'static str {
        let words = &self.visitor.words.search;
        match family {
            QuestionFamily::Experiences => words.experiences,
            QuestionFamily::Knowledge => words.knowledge,
            QuestionFamily::Libraries => words.documentation,
        }
    }

    /// Names what a section says of a family: no two of the page have one name.
    fn name_in(&self, section: &str, family: QuestionFamily) -> String {
        format!(
            "{section}{} {}",
            self.visitor.words.colon,
            self.name_of(family)
        )
    }

    /// A section, or that there is none at the moment: what the database does not say in time is no
    /// reason to keep back what it says.
    fn section(&self, title: &str, made: Result<Markup, Failure>) -> Result<Markup, Failure> {
        let Err(Failure::Service(error)) = made else {
            return made;
        };
        tracing::error!(
            error = chain(&error),
            "a section of the insights could not be made"
        );
        Ok(html! {
            section {
                h2 { (title) }
                p.empty { (self.words().not_now) }
            }
        })
    }

    /// The heading of a section, what it says, and its tables as files: what each is called in addresses
    /// and on the page.
    fn heading(&self, title: &str, hint: &str, files: &[(&str, &str)]) -> Markup {
        let words = self.words();
        html! {
            div.heading {
                h2 { (title) }
                span.actions {
                    @for (file, name) in files {
                        a href=(self.wanted.file(file)) download {
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

/// The page.
pub(super) async fn page(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(typed): Query<Typed>,
) -> Response {
    let made = make(&app, &visitor, &typed).await;
    visitor.answer(made)
}

async fn make(app: &Arc<App>, visitor: &Visitor, typed: &Typed) -> Result<Page, Failure> {
    let wanted = Wanted::of(typed)?;
    let view = View {
        app,
        visitor,
        wanted,
    };
    let words = view.words();
    let mut days = insights::latency(app, wanted.days).await?;
    days.retain(|day| wanted.families().any(|family| family == day.family));
    let main = html! {
        h1 { (words.title) }
        (filters(view))
        p.total role="status" { (summary(words, &days)) }
        @if let Some(hint) = kept_days(view) { p.hint { (hint) } }
        (view.section(words.gaps, questions::gaps(view, &days).await)?)
        (view.section(words.most_asked, questions::most_asked(view, &days).await)?)
        (view.section(words.helpful, helpful(view).await)?)
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
    let chosen = view.wanted.family.map_or("", QuestionFamily::as_str);
    html! {
        form.filters method="get" action="/insights" {
            label.choice { span { (words.period) }
                select name="days" {
                    @for days in PERIODS {
                        option value=(days) selected[days == view.wanted.days] {
                            (filled(words.days, &[&days.to_string()])) }
                    }
                }
            }
            (select(search.family, "family", search.everything, families, chosen))
            button type="submit" { (view.visitor.words.knowledge.filter) }
        }
    }
}

/// Says for how long texts of questions are kept, where that is not the whole period.
fn kept_days(view: View<'_>) -> Option<String> {
    let kept = view.app.settings.insights.keep_days;
    let caller = &view.visitor.caller;
    let reads = view.visitor.session.is_some() && caller.projects.is_all();
    let is_part = (1..view.wanted.days).contains(&kept);
    (reads && is_part).then(|| counted(view.words().kept_days, kept.into()))
}

/// How often was asked, and how often in vain.
fn summary(words: &InsightWords, days: &[DayOfQuestions]) -> String {
    let asked: u64 = days.iter().map(|day| day.asked).sum();
    let unanswered: u64 = days.iter().map(|day| day.unanswered).sum();
    let asked = counted(words.asked_times, asked);
    let unanswered = counted(words.asked_times, unanswered);
    filled(words.summary, &[&asked, &unanswered])
}

/// The records that help most.
async fn helpful(view: View<'_>) -> Result<Markup, Failure> {
    let View {
        app,
        visitor,
        wanted,
    } = view;
    let words = view.words();
    let found = insights::helpful(app, &visitor.caller, wanted.days, ROWS).await?;
    let shown = |family| match family {
        QuestionFamily::Experiences => Some(("/experiences/", linked(&found.experiences))),
        QuestionFamily::Knowledge => Some(("/knowledge/", linked(&found.entries))),
        QuestionFamily::Libraries => None,
    };
    let files = wanted.families();
    let files = files.filter_map(|family| Some((files::of_helpful(family)?, view.name_of(family))));
    let files: Vec<_> = files.collect();
    Ok(html! {
        section {
            (view.heading(words.helpful, words.helpful_hint, &files))
            @for family in wanted.families() {
                h3 { (view.name_of(family)) }
                @match shown(family) {
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
