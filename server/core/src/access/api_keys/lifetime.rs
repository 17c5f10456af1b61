//! How long a key is valid: `12h`, `90d`, `2w`, `1y`, or until a date.

use std::str::FromStr;

use jiff::{Span, Timestamp, civil::Date, tz::TimeZone};

/// How long a key is valid.
#[derive(Debug, Clone, Copy)]
pub enum Lifetime {
    /// For a time after its creation; a year ends on the same day of the next year.
    For(Span),
    /// Until the beginning of a day, UTC.
    Until(Date),
}

/// Why a lifetime cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LifetimeError {
    /// The text is not a lifetime.
    #[error(
        "expected a number with h, d, w or y (hours, days, weeks, years) such as 12h, 90d, 2w, 1y, \
         or a date such as 2031-12-31"
    )]
    Unreadable,
    /// The end is not in the future.
    #[error("the key would expire at {0}, which is not in the future")]
    Past(Timestamp),
    /// The end is beyond the range of dates.
    #[error(
        "the key would expire after the year 9999; leave the expiry out for a key that never does"
    )]
    TooLong,
}

impl FromStr for Lifetime {
    type Err = LifetimeError;

    fn from_str(text: &str) -> Result<Self, LifetimeError> {
        // Only the plain form of 10 characters: the parser also accepts forms with a time.
        if let (10, Ok(date)) = (text.len(), text.parse()) {
            return Ok(Self::Until(date));
        }
        let unit = text.find(|c: char| !c.is_ascii_digit());
        let (number, unit) = text.split_at(unit.unwrap_or(text.len()));
        if number.is_empty() {
            return Err(LifetimeError::Unreadable);
        }
        let number: i64 = number.parse().map_err(|_| LifetimeError::TooLong)?;
        let span = match unit {
            "h" => Span::new().try_hours(number),
            "d" => Span::new().try_days(number),
            "w" => Span::new().try_weeks(number),
            "y" => Span::new().try_years(number),
            _ => return Err(LifetimeError::Unreadable),
        };
        span.map(Self::For).map_err(|_| LifetimeError::TooLong)
    }
}

impl Lifetime {
    /// Returns the end of a lifetime that begins now.
    ///
    /// *Errors*: [`LifetimeError::Past`] or [`LifetimeError::TooLong`].
    pub fn end(self, now: Timestamp) -> Result<Timestamp, LifetimeError> {
        let end = match self {
            Self::For(span) => now.to_zoned(TimeZone::UTC).checked_add(span),
            Self::Until(date) => date.to_zoned(TimeZone::UTC),
        };
        let end = end.map_err(|_| LifetimeError::TooLong)?.timestamp();
        if end > now {
            Ok(end)
        } else {
            Err(LifetimeError::Past(end))
        }
    }
}
