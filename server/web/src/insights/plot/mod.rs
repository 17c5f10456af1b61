//! Plots of days, drawn as SVG by the server: without script, in the colours of the style sheet, with
//! words for who cannot see them.

use jiff::civil::Date;
use maud::{Markup, html};

/// The drawing, in units that are about a pixel on a phone.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 220.0;
/// The field inside the axes.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 398.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 194.0;
/// Where the dates stand.
const DATES: f64 = 212.0;
/// Dates that stand at the axis, at most.
const MOST_DATES: usize = 5;
/// Steps of an axis, at most.
const MOST_STEPS: u64 = 5;
/// Classes of the series, which give them colours and dashes.
const CLASSES: [&str; 3] = ["one", "two", "three"];

/// Days, and what was on them.
pub(super) struct Plot<'a> {
    /// Of the page, for what refers to it.
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    /// What it says, in a sentence.
    pub(super) description: &'a str,
    /// Oldest first.
    pub(super) dates: &'a [Date],
    pub(super) ticks: Vec<Tick>,
    pub(super) series: Vec<Series<'a>>,
    pub(super) shape: Shape,
}

/// How values are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Bars,
    Lines,
}

/// A height of the axis that has a name.
pub(super) struct Tick {
    /// 0–1.
    pub(super) height: f64,
    pub(super) label: String,
}

/// One value a day.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    /// One for each day, 0–1; none where nothing is known.
    pub(super) heights: Vec<Option<f64>>,
}

/// Returns the ticks of an axis of counts, and the number at its end: round ones.
pub(super) fn round_ticks(most: u64) -> (Vec<Tick>, u64) {
    let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.saturating_pow(power)));
    let mut steps = steps.filter(|step| most.div_ceil(*step) <= MOST_STEPS);
    let step = steps.next().unwrap_or(1);
    let count = most.div_ceil(step).max(1);
    let ticks = (0..=count).map(|number| Tick {
        height: number as f64 / count as f64,
        label: (number * step).to_string(),
    });
    (ticks.collect(), count * step)
}

impl Plot<'_> {
    /// Draws it, with a legend where there is more than one series.
    pub(super) fn draw(&self) -> Markup {
        let [title, description] = ["title", "says"].map(|part| format!("{}-{part}", self.id));
        html! {
            figure.plot {
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img"
                    aria-labelledby=(title) aria-describedby=(description) {
                    title #(title) { (self.title) }
                    desc #(description) { (self.description) }
                    (self.axes())
                    @for (series, class) in self.series.iter().zip(CLASSES) {
                        @match self.shape {
                            Shape::Bars => { (self.bars(series, class)) }
                            Shape::Lines => { (self.line(series, class)) }
                        }
                    }
                }
                @if self.series.len() > 1 { (self.legend()) }
            }
        }
    }

    fn axes(&self) -> Markup {
        html! {
            @for tick in &self.ticks {
                line.grid x1=(LEFT) x2=(RIGHT) y1=(y(tick.height)) y2=(y(tick.height)) {}
                text.value x=(LEFT - 6.0) y=(y(tick.height)) { (tick.label) }
            }
            line.axis x1=(LEFT) x2=(RIGHT) y1=(BOTTOM) y2=(BOTTOM) {}
            @for (place, date) in self.shown_dates() {
                line.axis x1=(self.x(place)) x2=(self.x(place)) y1=(BOTTOM) y2=(BOTTOM + 4.0) {}
                text.date x=(self.x(place)) y=(DATES) { (date.strftime("%m-%d")) }
            }
        }
    }

    /// A few of the days, evenly apart, the last one among them.
    fn shown_dates(&self) -> impl Iterator<Item = (usize, &Date)> {
        let apart = self.dates.len().div_ceil(MOST_DATES).max(1);
        let last = self.dates.len().saturating_sub(1);
        let dates = self.dates.iter().enumerate();
        dates.filter(move |(place, _)| (last - place).is_multiple_of(apart))
    }

    fn bars(&self, series: &Series<'_>, class: &str) -> Markup {
        let width = self.slot() * 0.7;
        let heights = series.heights.iter().enumerate();
        let known = heights.filter_map(|(place, height)| Some((place, (*height)?)));
        html! {
            @for (place, height) in known {
                rect.bar.(class) x=(rounded(self.x(place) - width / 2.0)) y=(y(height))
                    width=(rounded(width)) height=(rounded(BOTTOM - y(height))) {}
            }
        }
    }

    /// A line through the days that follow each other, and a point on each.
    fn line(&self, series: &Series<'_>, class: &str) -> Markup {
        let mut path = String::new();
        let mut points = Vec::new();
        let mut pen = 'M';
        for (place, height) in series.heights.iter().enumerate() {
            match height {
                None => pen = 'M',
                Some(height) => {
                    let (x, y) = (self.x(place), y(*height));
                    path.push_str(&format!("{pen}{x} {y}"));
                    points.push((x, y));
                    pen = 'L';
                }
            }
        }
        html! {
            path.line.(class) d=(path) {}
            @for (x, y) in points { circle.point.(class) cx=(x) cy=(y) r="2.2" {} }
        }
    }

    fn legend(&self) -> Markup {
        html! {
            figcaption {
                @for (series, class) in self.series.iter().zip(CLASSES) {
                    span {
                        svg viewBox="0 0 28 10" aria-hidden="true" {
                            path.line.(class) d="M0 5L28 5" {}
                        }
                        (series.name)
                    }
                }
            }
        }
    }

    /// Room of a day.
    fn slot(&self) -> f64 {
        (RIGHT - LEFT) / self.dates.len().max(1) as f64
    }

    fn x(&self, place: usize) -> f64 {
        rounded(LEFT + self.slot() * (place as f64 + 0.5))
    }
}

fn y(height: f64) -> f64 {
    rounded(BOTTOM - (BOTTOM - TOP) * height.clamp(0.0, 1.0))
}

/// To a tenth of a unit, so that drawings stay small.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests;
