//! Ranges for people: `<19`, `1.9`, `≥1.9 and <2.0`.

use super::{Interval, Range};

/// The most intervals that are written out.
const MAX_WRITTEN: usize = 4;

impl Range {
    /// Describes the range for people.
    ///
    /// *Shape*: `<19`, `1.9` (the versions that start with it, or only it), `≥1.9 and <2.0`, `<1.2.8 or 1.3`.
    pub fn describe(&self) -> String {
        let intervals = self.intervals();
        let mut words: Vec<String> = intervals.iter().take(MAX_WRITTEN).map(described).collect();
        if intervals.len() > MAX_WRITTEN {
            words.push(format!("{} more", intervals.len() - MAX_WRITTEN));
        }
        words.join(" or ")
    }
}

fn described(interval: &Interval) -> String {
    if let Some(version) = interval.exact().or_else(|| interval.prefix()) {
        return version.text().to_owned();
    }
    let low = interval.low.as_ref().map(|low| {
        format!(
            "{}{}",
            if low.inclusive { "≥" } else { ">" },
            low.version.text()
        )
    });
    let high = interval.high.as_ref().map(|high| {
        format!(
            "{}{}",
            if high.inclusive { "≤" } else { "<" },
            high.version.text()
        )
    });
    match (low, high) {
        (Some(low), Some(high)) => format!("{low} and {high}"),
        (Some(bound), None) | (None, Some(bound)) => bound,
        (None, None) => "any version".to_owned(),
    }
}
