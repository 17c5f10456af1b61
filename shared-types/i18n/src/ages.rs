//! How long ago something happened, in words.

use jiff::Timestamp;

use crate::{Language, counted};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const MONTH: i64 = 30 * DAY;
const YEAR: i64 = 365 * DAY;

/// The texts for ages: for each unit one for 1, and one with `{}` for larger numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ages {
    /// Less than a minute ago.
    now: &'static str,
    minutes: [&'static str; 2],
    hours: [&'static str; 2],
    days: [&'static str; 2],
    months: [&'static str; 2],
    years: [&'static str; 2],
}

impl Ages {
    /// Returns the texts of a language.
    pub const fn of(language: Language) -> Self {
        match language {
            Language::English => ENGLISH,
            Language::Chinese => CHINESE,
            Language::French => FRENCH,
        }
    }

    /// Returns how long before `now` a moment was. Clocks differ, so a later moment counts as now.
    pub fn between(&self, moment: Timestamp, now: Timestamp) -> String {
        self.ago(now.as_second().saturating_sub(moment.as_second()))
    }

    /// Returns the age in words. *Unit*: seconds.
    pub fn ago(&self, seconds: i64) -> String {
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
            Some((unit, texts)) => counted(texts, (seconds / unit).unsigned_abs()),
        }
    }
}

const ENGLISH: Ages = Ages {
    now: "just now",
    minutes: ["a minute ago", "{} minutes ago"],
    hours: ["an hour ago", "{} hours ago"],
    days: ["a day ago", "{} days ago"],
    months: ["a month ago", "{} months ago"],
    years: ["a year ago", "{} years ago"],
};

const CHINESE: Ages = Ages {
    now: "刚刚",
    minutes: ["1 分钟前", "{} 分钟前"],
    hours: ["1 小时前", "{} 小时前"],
    days: ["1 天前", "{} 天前"],
    months: ["1 个月前", "{} 个月前"],
    years: ["1 年前", "{} 年前"],
};

const FRENCH: Ages = Ages {
    now: "à l’instant",
    minutes: ["il y a une minute", "il y a {} minutes"],
    hours: ["il y a une heure", "il y a {} heures"],
    days: ["il y a un jour", "il y a {} jours"],
    months: ["il y a un mois", "il y a {} mois"],
    years: ["il y a un an", "il y a {} ans"],
};
