//! How long ago something happened, in words.

use jiff::Timestamp;

use super::filled;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const MONTH: i64 = 30 * DAY;
const YEAR: i64 = 365 * DAY;

/// The texts for ages: for each unit one for 1, and one with `{}` for larger numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ages {
    /// Less than a minute ago.
    pub(crate) now: &'static str,
    pub(crate) minutes: [&'static str; 2],
    pub(crate) hours: [&'static str; 2],
    pub(crate) days: [&'static str; 2],
    pub(crate) months: [&'static str; 2],
    pub(crate) years: [&'static str; 2],
}

impl Ages {
    /// Returns how long before `now` an ISO 8601 time was; `None` if it is not a time. Clocks differ, so a time
    /// in the future counts as now.
    pub(crate) fn of(&self, time: &str, now: Timestamp) -> Option<String> {
        let time: Timestamp = time.parse().ok()?;
        Some(self.ago(now.as_second().saturating_sub(time.as_second())))
    }

    /// Returns the age in words. *Unit*: seconds.
    pub(crate) fn ago(&self, seconds: i64) -> String {
        let units = [
            (YEAR, self.years),
            (MONTH, self.months),
            (DAY, self.days),
            (HOUR, self.hours),
            (MINUTE, self.minutes),
        ];
        let unit = units.into_iter().find(|(unit, _)| seconds >= *unit);
        match unit {
            None => self.now.to_owned(),
            Some((unit, [one, several])) => match seconds / unit {
                1 => one.to_owned(),
                many => filled(several, &[&many]),
            },
        }
    }
}
