//! Log lines for programs: one JSON object each, with `timestamp` (RFC 3339), `level`, `message`, the
//! event's fields and the request's id, side by side.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

use super::REQUEST_ID;
use crate::request_id;

/// The format for programs.
pub(super) struct Json;

impl<S, N> FormatEvent<S, N> for Json
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
        let mut object = Object(head(event.metadata().level()));
        event.record(&mut object);
        if let Some(id) = request_id::current() {
            object.0.entry(REQUEST_ID).or_insert(json!(id.as_str()));
        }
        writeln!(line, "{}", Value::Object(object.0))
    }
}

/// Returns the line that reports how many lines were dropped.
pub(super) fn dropped(count: u64) -> String {
    let mut object = head(&Level::WARN);
    object.insert("message".to_owned(), json!("log lines were dropped"));
    object.insert("lines".to_owned(), json!(count));
    format!("{}\n", Value::Object(object))
}

fn head(level: &Level) -> Map<String, Value> {
    let mut object = Map::new();
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ");
    object.insert("timestamp".to_owned(), json!(now.to_string()));
    object.insert("level".to_owned(), json!(level.as_str()));
    // Reserves the place near the front, since people read these lines too.
    object.insert("message".to_owned(), json!(""));
    object
}

struct Object(Map<String, Value>);

impl Object {
    fn put(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().to_owned(), value);
    }
}

impl Visit for Object {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, json!(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, json!(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, json!(format!("{value:?}")));
    }
}
