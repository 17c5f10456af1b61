//! Plots of daily values, drawn by the server as SVG: they need no JavaScript, use the colours of the style
//! sheet, and have descriptions for screen readers.

use jiff::civil::Date;
use maud::{Markup, html};

/// The size of the drawing, in units of about one pixel on a phone.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 220.0;
/// The area inside the axes.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 398.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 194.0;
/// The vertical position of the dates.
const DATES: f64 = 212.0;
/// The most dates at the axis.
const MOST_DATES: usize = 5;
/// The most steps of an axis.
const MOST_STEPS: u64 = 5;
/// The CSS classes of the series, which determine their colours and dashes.
const CLASSES: [&str; 3] = ["one", "two", "three"];

/// A plot of daily values.
pub(super) struct Plot<'a> {
    /// Unique on the page, for references to parts of the plot.
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    /// A sentence that describes the values.
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

/// A labelled height of the axis.
pub(super) struct Tick {
    /// From 0 to 1.
    pub(super) height: f64,
    pub(super) label: String,
}

/// One value for each day.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    /// One height for each day, from 0 to 1; `None` for days without a value.
    pub(super) heights: Vec<Option<f64>>,
}

/// Returns the ticks of an axis of counts, at round numbers, and the number at its end.
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
    /// Renders the plot, with a legend if there is more than one series.
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
            @for (index, date) in self.shown_dates() {
                line.axis x1=(self.x(index)) x2=(self.x(index)) y1=(BOTTOM) y2=(BOTTOM + 4.0) {}
                text.date x=(self.x(index)) y=(DATES) { (date.strftime("%m-%d")) }
            }
        }
    }

    /// Returns a few of the days at even intervals, including the last one.
    fn shown_dates(&self) -> impl Iterator<Item = (usize, &Date)> {
        let apart = self.dates.len().div_ceil(MOST_DATES).max(1);
        let last = self.dates.len().saturating_sub(1);
        let dates = self.dates.iter().enumerate();
        dates.filter(move |(index, _)| (last - index).is_multiple_of(apart))
    }

    fn bars(&self, series: &Series<'_>, class: &str) -> Markup {
        let width = self.day_width() * 0.7;
        let heights = series.heights.iter().enumerate();
        let known = heights.filter_map(|(index, height)| Some((index, (*height)?)));
        html! {
            @for (index, height) in known {
                rect.bar.(class) x=(rounded(self.x(index) - width / 2.0)) y=(y(height))
                    width=(rounded(width)) height=(rounded(BOTTOM - y(height))) {}
            }
        }
    }

    /// Renders a line through consecutive days that have values, and a point on each.
    fn line(&self, series: &Series<'_>, class: &str) -> Markup {
        let mut path = String::new();
        let mut points = Vec::new();
        let mut pen = 'M';
        for (index, height) in series.heights.iter().enumerate() {
            match height {
                None => pen = 'M',
                Some(height) => {
                    let (x, y) = (self.x(index), y(*height));
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

    /// Returns the width of a day.
    fn day_width(&self) -> f64 {
        (RIGHT - LEFT) / self.dates.len().max(1) as f64
    }

    fn x(&self, index: usize) -> f64 {
        rounded(LEFT + self.day_width() * (index as f64 + 0.5))
    }
}

fn y(height: f64) -> f64 {
    rounded(BOTTOM - (BOTTOM - TOP) * height.clamp(0.0, 1.0))
}

/// Rounds to a tenth of a unit, so that drawings stay small.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests;
