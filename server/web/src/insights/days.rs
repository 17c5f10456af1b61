//! What is told day by day: how many records came, and how quickly questions were answered.

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

/// The days of the period, oldest first.
fn dates(view: View<'_>) -> Vec<Date> {
    let today = Day::of(view.visitor.now);
    let back = (0..view.wanted.days).rev();
    back.map(|days| today.before(days).date()).collect()
}

/// How many records came on each day.
pub(super) async fn growth(view: View<'_>) -> Result<Markup, Failure> {
    let words = view.words();
    let days = insights::growth(view.app, &view.visitor.caller, view.wanted.days).await?;
    let dates = dates(view);
    let of = |family| -> Vec<&DayOfGrowth> {
        let days = days.iter();
        days.filter(|day| day.family == family).collect()
    };
    let families: Vec<_> = view.wanted.families().map(|one| (one, of(one))).collect();
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
        description: &filled(
            words.growth_says,
            &[
                &view.wanted.days.to_string(),
                &all.to_string(),
                &most.to_string(),
            ],
        ),
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

/// How quickly questions were answered on each day.
pub(super) fn latency(view: View<'_>, days: &[DayOfQuestions]) -> Markup {
    let words = view.words();
    let dates = dates(view);
    let asked = |family| days.iter().any(|day| day.family == family);
    html! {
        section {
            (view.heading(words.latency, words.latency_hint, &[("latency", words.latency)]))
            @if days.is_empty() { p.empty { (words.latency_empty) } }
            div.plots {
                @for family in view.wanted.families().filter(|family| asked(*family)) {
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
    let series = series.map(|(name, place)| Series {
        name,
        heights: heights(dates, days, place, top),
    });
    let worst = days.iter().filter_map(|day| day.within_ms.get(1));
    let worst = worst.max_by_key(|within| level(**within));
    let plot = Plot {
        id: &format!("latency-{}", family.as_str()),
        title: &format!("{name}{} {}", view.visitor.words.colon, words.milliseconds),
        description: &says(words, view.wanted.days, worst.copied().flatten()),
        dates,
        ticks: latency_ticks(top),
        series: series.collect(),
        shape: Shape::Lines,
    };
    let head = [
        words.day,
        words.asked,
        words.in_vain,
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
        row.extend(day.within_ms.map(shown));
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

/// Says how long nearly all answers took on the worst day; where nothing is told, longer than is
/// measured.
fn says(words: &InsightWords, days: u32, worst_ms: Option<u32>) -> String {
    let last = LATENCY_BOUNDS_MS.last().copied().unwrap_or_default();
    let (sentence, bound) = match worst_ms {
        Some(within) => (words.latency_says, within),
        None => (words.slower_says, last),
    };
    filled(sentence, &[&days.to_string(), &bound.to_string()])
}

/// The heights of one percentile on the days with questions.
fn heights(dates: &[Date], days: &[&DayOfQuestions], place: usize, top: usize) -> Vec<Option<f64>> {
    let height = |date: &Date| {
        let day = days.iter().find(|day| day.date == *date)?;
        let within = day.within_ms.get(place).copied()?;
        Some((level(within) + 1) as f64 / (top + 1) as f64)
    };
    dates.iter().map(height).collect()
}

/// Which of the bounds a latency is; one more than there are for what is beyond them all.
fn level(within_ms: Option<u32>) -> usize {
    let mut bounds = LATENCY_BOUNDS_MS.iter();
    let place = within_ms.and_then(|within| bounds.position(|bound| *bound == within));
    place.unwrap_or(LATENCY_BOUNDS_MS.len())
}

/// One tick for each bound up to the highest that was reached: from one to the next it is about twice
/// as long.
fn latency_ticks(top: usize) -> Vec<Tick> {
    let ticks = (0..=top).map(|level| Tick {
        height: (level + 1) as f64 / (top + 1) as f64,
        label: shown(LATENCY_BOUNDS_MS.get(level).copied()),
    });
    ticks.collect()
}

fn shown(within_ms: Option<u32>) -> String {
    let last = LATENCY_BOUNDS_MS.last().copied().unwrap_or_default();
    within_ms.map_or_else(|| format!("> {last}"), |within| within.to_string())
}

/// The same as a plot, for who wants numbers or cannot see it.
fn as_table(words: &InsightWords, name: &str, head: &[&str], rows: Vec<Vec<String>>) -> Markup {
    html! {
        details {
            summary { (words.as_table) span.visually-hidden { " " (name) } }
            div.wide tabindex="0" role="region" aria-label=(name) {
                table {
                    thead { tr { @for title in head { th scope="col" { (title) } } } }
                    tbody {
                        @for row in &rows {
                            tr { @for (place, cell) in row.iter().enumerate() {
                                @if place == 0 { th scope="row" { (cell) } }
                                @else { td.number { (cell) } }
                            } }
                        }
                    }
                }
            }
        }
    }
}
