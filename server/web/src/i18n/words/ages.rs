//! Texts for how long ago something happened.

use jiff::Timestamp;

use super::counted;

/// Texts for how long ago something happened; each in the singular, and in the plural with a number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ages {
    pub(crate) now: &'static str,
    pub(crate) minutes: [&'static str; 2],
    pub(crate) hours: [&'static str; 2],
    pub(crate) days: [&'static str; 2],
    pub(crate) months: [&'static str; 2],
    pub(crate) years: [&'static str; 2],
}

impl Ages {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * Self::MINUTE;
    const DAY: i64 = 24 * Self::HOUR;
    const MONTH: i64 = 30 * Self::DAY;
    const YEAR: i64 = 365 * Self::DAY;

    /// Returns how long before `now` a moment was. A later moment counts as now, since clocks differ.
    pub(crate) fn of(&self, moment: Timestamp, now: Timestamp) -> String {
        let seconds = now.as_second().saturating_sub(moment.as_second());
        let units = [
            (Self::YEAR, self.years),
            (Self::MONTH, self.months),
            (Self::DAY, self.days),
            (Self::HOUR, self.hours),
            (Self::MINUTE, self.minutes),
        ];
        let unit = units.into_iter().find(|(unit, _)| seconds >= *unit);
        match unit {
            None => self.now.to_owned(),
            Some((unit, words)) => counted(words, (seconds / unit).unsigned_abs()),
        }
    }
}

pub(super) const ENGLISH: Ages = Ages {
    now: "just now",
    minutes: ["a minute ago", "{} minutes ago"],
    hours: ["an hour ago", "{} hours ago"],
    days: ["a day ago", "{} days ago"],
    months: ["a month ago", "{} months ago"],
    years: ["a year ago", "{} years ago"],
};

pub(super) const CHINESE: Ages = Ages {
    now: "刚刚",
    minutes: ["1 分钟前", "{} 分钟前"],
    hours: ["1 小时前", "{} 小时前"],
    days: ["1 天前", "{} 天前"],
    months: ["1 个月前", "{} 个月前"],
    years: ["1 年前", "{} 年前"],
};

pub(super) const FRENCH: Ages = Ages {
    now: "à l’instant",
    minutes: ["il y a une minute", "il y a {} minutes"],
    hours: ["il y a une heure", "il y a {} heures"],
    days: ["il y a un jour", "il y a {} jours"],
    months: ["il y a un mois", "il y a {} mois"],
    years: ["il y a un an", "il y a {} ans"],
};
