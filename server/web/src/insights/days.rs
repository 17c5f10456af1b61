//! The daily figures: how many records were added, and how quickly queries were answered.

use jiff::civil::Date;
use maud::{Markup, html};
use recall_kit_core::experiences::insights::{self, DayOfGrowth, DayOfQuestions};
use recall_kit_store::{Day, LATENCY_BOUNDS_MS, QuestionFamily};

use super::{
    View,
    plot::{Plot, Series, Shape, Tick, round_ticks},
};
use crate::{
    http::failure::Failure,
    i18n::words::{InsightWords, filled},
};

/// Returns the days of the period, oldest first.
fn dates(view: View<'_>) -> Vec<Date> {
    let today = Day::of(view.visitor.now);
    let back = (0..view.filter.days).rev();
    back.map(|days| today.before(days).date()).collect()
}

/// Renders how many records were added on each day.
pub(super) async fn growth(view: View<'_>) -> Result<Markup, Failure> {
    let words = view.words();
    let days = insights::growth(view.insights, &view.visitor.caller, view.filter.days).await?;
    let dates = dates(view);
    let of = |family| -> Vec<&DayOfGrowth> {
        let days = days.iter();
        days.filter(|day| day.family == family).collect()
    };
    let families: Vec<_> = view.filter.families().map(|one| (one, of(one))).collect();
    let is_empty = families.iter().all(|(_, days)| days.is_empty());
    Ok(html! {
        section {
            (view.heading(words.growth, words.growth_hint, &[("growth", words.growth)]))
            @if is_empty { p.empty { (words.growth_empty) } }
            div.plots {
                @for (family, days) in families.iter().filter(|(_, days)| !days.is_empty()) {
                    (growth_of(view, *family, &dates, days))
                }
            }
        }
    })
}

fn growth_of(
    view: View<'_>,
    family: QuestionFamily,
    dates: &[Date],
    days: &[&DayOfGrowth],
) -> Markup {
    let words = view.words();
    let name = view.name_of(family);
    let most = days.iter().map(|day| day.records).max().unwrap_or_default();
    let all: u64 = days.iter().map(|day| day.records).sum();
    let (ticks, top) = round_ticks(most);
    let heights = dates.iter().map(|date| {
        let day = days.iter().find(|day| day.date == *date)?;
        Some(day.records as f64 / top as f64)
    });
    let plot = Plot {
        id: &format!("growth-{}", family.as_str()),
        title: &format!("{name}{} {}", view.visitor.words.colon, words.records_a_day),
        description: &filled(words.growth_says, &[&view.filter.days, &all, &most]),
        dates,
        ticks,
        series: vec![Series {
            name: words.records,
            heights: heights.collect(),
        }],
        shape: Shape::Bars,
    };
    let rows = days
        .iter()
        .map(|day| vec![day.date.to_string(), day.records.to_string()]);
    html! {
        div {
            h3 { (name) }
            (plot.draw())
            (as_table(words, &view.name_in(words.growth, family), &[words.day, words.records], rows.collect()))
        }
    }
}

/// Renders how quickly queries were answered on each day.
pub(super) fn latency(view: View<'_>, days: &[DayOfQuestions]) -> Markup {
    let words = view.words();
    let dates = dates(view);
    let has_queries = |family| days.iter().any(|day| day.family == family);
    html! {
        section {
            (view.heading(words.latency, words.latency_hint, &[("latency", words.latency)]))
            @if days.is_empty() { p.empty { (words.latency_empty) } }
            div.plots {
                @for family in view.filter.families().filter(|family| has_queries(*family)) {
                    @let of_family = days.iter().filter(|day| day.family == family);
                    (latency_of(view, family, &dates, &of_family.collect::<Vec<_>>()))
                }
            }
        }
    }
}

fn latency_of(
    view: View<'_>,
    family: QuestionFamily,
    dates: &[Date],
    days: &[&DayOfQuestions],
) -> Markup {
    let words = view.words();
    let name = view.name_of(family);
    let within = days.iter().flat_map(|day| day.within_ms);
    let top = within.map(level).max().unwrap_or_default();
    let [half, most, nearly_all] = words.percentiles;
    let series = [half, most, nearly_all].into_iter().zip(0..);
    let series = series.map(|(name, index)| Series {
        name,
        heights: heights(dates, days, index, top),
    });
    let worst = days.iter().filter_map(|day| day.within_ms.get(1));
    let worst = worst.max_by_key(|within| level(**within));
    let plot = Plot {
        id: &format!("latency-{}", family.as_str()),
        title: &format!("{name}{} {}", view.visitor.words.colon, words.milliseconds),
        description: &describe(words, view.filter.days, worst.copied().flatten()),
        dates,
        ticks: latency_ticks(top),
        series: series.collect(),
        shape: Shape::Lines,
    };
    let head = [
        words.day,
        words.asked,
        words.unanswered,
        half,
        most,
        nearly_all,
    ];
    let rows = days.iter().map(|day| {
        let mut row = vec![
            day.date.to_string(),
            day.asked.to_string(),
            day.unanswered.to_string(),
        ];
        row.extend(day.within_ms.map(label));
        row
    });
    html! {
        div {
            h3 { (name) }
            (plot.draw())
            (as_table(words, &view.name_in(words.latency, family), &head, rows.collect()))
        }
    }
}

/// Returns a sentence that says how long nearly all answers took on the worst day; `None` means longer than
/// the largest measured bound.
fn describe(words: &InsightWords, days: u32, worst_ms: Option<u32>) -> String {
    let last = LATENCY_BOUNDS_MS.last().copied().unwrap_or_default();
    let (sentence, bound) = match worst_ms {
        Some(within) => (words.latency_says, within),
        None => (words.slower_says, last),
    };
    filled(sentence, &[&days, &bound])
}

/// Returns the heights of one percentile; `None` for days without queries.
fn heights(dates: &[Date], days: &[&DayOfQuestions], index: usize, top: usize) -> Vec<Option<f64>> {
    let height = |date: &Date| {
        let day = days.iter().find(|day| day.date == *date)?;
        let within = day.within_ms.get(index).copied()?;
        Some((level(within) + 1) as f64 / (top + 1) as f64)
    };
    dates.iter().map(height).collect()
}

/// Returns the index of a latency among the bounds; the number of bounds if it is beyond all of them.
fn level(within_ms: Option<u32>) -> usize {
    let mut bounds = LATENCY_BOUNDS_MS.iter();
    let index = within_ms.and_then(|within| bounds.position(|bound| *bound == within));
    index.unwrap_or(LATENCY_BOUNDS_MS.len())
}

/// Returns a tick for each bound up to the highest one in the plot; each bound is about twice the previous.
fn latency_ticks(top: usize) -> Vec<Tick> {
    let ticks = (0..=top).map(|level| Tick {
        height: (level + 1) as f64 / (top + 1) as f64,
        label: label(LATENCY_BOUNDS_MS.get(level).copied()),
    });
    ticks.collect()
}

fn label(within_ms: Option<u32>) -> String {
    let last = LATENCY_BOUNDS_MS.last().copied().unwrap_or_default();
    within_ms.map_or_else(|| format!("> {last}"), |within| within.to_string())
}

/// Renders the figures of a plot as a table.
fn as_table(words: &InsightWords, name: &str, head: &[&str], rows: Vec<Vec<String>>) -> Markup {
    html! {
        details {
            summary { (words.as_table) span.visually-hidden { " " (name) } }
            div.wide tabindex="0" role="region" aria-label=(name) {
                table {
                    thead { tr { @for title in head { th scope="col" { (title) } } } }
                    tbody {
                        @for row in &rows {
                            tr { @for (column, cell) in row.iter().enumerate() {
                                @if column == 0 { th scope="row" { (cell) } }
                                @else { td.number { (cell) } }
                            } }
                        }
                    }
                }
            }
        }
    }
}
