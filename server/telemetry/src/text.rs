//! Log lines for people: `2024-01-01 12:00:00 INFO - Message, field: value, request_id: req_123456`.
//!
//! The time is UTC. Characters that could break a line or change how it is displayed are escaped, so that
//! no value can look like a separate line.

use std::fmt::{self, Write as _};

use jiff::Timestamp;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

use super::REQUEST_ID;
use crate::request_id;

/// The format for people.
pub(super) struct Text;

impl<S, N> FormatEvent<S, N> for Text
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = EventText::default();
        event.record(&mut fields);
        write_head(&mut line, event.metadata().level())?;
        line.write_str(&fields.message)?;
        line.write_str(&fields.fields)?;
        if !fields.has_request_id
            && let Some(id) = request_id::current()
        {
            write!(line, ", {REQUEST_ID}: {id}")?;
        }
        line.write_char('\n')
    }
}

/// Returns the line that reports how many lines were dropped.
pub(super) fn dropped(count: u64) -> String {
    let mut line = String::new();
    // Writing to a string cannot fail.
    write_head(&mut line, &tracing::Level::WARN).ok();
    line + &format!("log lines were dropped, lines: {count}\n")
}

fn write_head(line: &mut impl fmt::Write, level: &tracing::Level) -> fmt::Result {
    let now = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S");
    write!(line, "{now} {level} - ")
}

/// The message and the fields of an event, escaped.
#[derive(Default)]
struct EventText {
    message: String,
    fields: String,
    has_request_id: bool,
}

impl EventText {
    fn put(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        let target = match field.name() {
            "message" => &mut self.message,
            name => {
                self.has_request_id |= name == REQUEST_ID;
                self.fields.push_str(", ");
                self.fields.push_str(name);
                self.fields.push_str(": ");
                &mut self.fields
            }
        };
        Escaped(target).write_fmt(value).ok();
    }
}

impl Visit for EventText {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format_args!("{value:?}"));
    }
}

/// A writer that escapes what it writes.
struct Escaped<'a>(&'a mut String);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            if breaks_lines(c) {
                self.0.extend(c.escape_default());
            } else {
                self.0.push(c);
            }
        }
        Ok(())
    }
}

/// Whether a character is a control character, ends a line or changes the writing direction.
fn breaks_lines(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
