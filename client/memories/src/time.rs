//! Times of other programs as ISO 8601.

use jiff::Timestamp;

/// Numbers from here on are milliseconds since 1970, smaller ones seconds.
const MILLISECONDS_FROM: f64 = 1e11;

/// Converts seconds or milliseconds since 1970; `None` for what is no time.
pub(crate) fn of_epoch(number: f64) -> Option<String> {
    let seconds = match number {
        number if !number.is_finite() || number <= 0.0 => return None,
        number if number >= MILLISECONDS_FROM => number / 1000.0,
        number => number,
    };
    // The fraction of a second says nothing about a memory.
    let time = Timestamp::from_second(seconds as i64).ok()?;
    Some(time.to_string())
}

/// Returns a text if it begins like a date.
pub(crate) fn of_text(text: &str) -> Option<String> {
    let text = text.trim();
    let date = text.get(..10)?;
    let is_date = date.char_indices().all(|(at, c)| match at {
        4 | 7 => c == '-',
        _ => c.is_ascii_digit(),
    });
    is_date.then(|| text.chars().take(40).collect())
}
