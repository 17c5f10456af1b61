//! The tables of the insights as files for spreadsheets.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use recall_kit_core::{
    app::App,
    experiences::insights::{self, csv},
};
use recall_kit_store::QuestionFamily;

use super::{Typed, View, Wanted};
use crate::{http::failure::Failure, visitor::Visitor};

/// What tells spreadsheets that a file is UTF-8 (U+FEFF, the byte order mark).
const BOM: &str = "\u{feff}";
/// Rows of a file, at most.
const MOST_ROWS: u32 = 1_000;

/// Names the file of what helps in a family, where that is counted.
pub(super) fn of_helpful(family: QuestionFamily) -> Option<&'static str> {
    match family {
        QuestionFamily::Experiences => Some("experiences"),
        QuestionFamily::Knowledge => Some("entries"),
        QuestionFamily::Libraries => None,
    }
}

/// A table as a file.
pub(crate) async fn table(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(file): Path<String>,
    Query(typed): Query<Typed>,
) -> Response {
    let made = make(&app, &visitor, &file, &typed).await;
    made.unwrap_or_else(|failure| visitor.fail(&failure))
}

async fn make(
    app: &Arc<App>,
    visitor: &Visitor,
    file: &str,
    typed: &Typed,
) -> Result<Response, Failure> {
    let name = file.strip_suffix(".csv").ok_or(Failure::NotFound)?;
    let wanted = Wanted::of(typed)?;
    let view = View {
        app,
        visitor,
        wanted,
    };
    let text = written(view, name).await?;
    let saved = format!("attachment; filename=\"{name}-{}-days.csv\"", wanted.days);
    let saved = HeaderValue::from_str(&saved).map_err(|_| Failure::NotFound)?;
    let media_type = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
    let described = [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_DISPOSITION, saved),
    ];
    Ok((described, format!("{BOM}{text}")).into_response())
}

async fn written(view: View<'_>, name: &str) -> Result<String, Failure> {
    let View {
        app,
        visitor,
        wanted,
    } = view;
    let Wanted { days, family } = wanted;
    let is_wanted = |one: QuestionFamily| family.is_none_or(|family| family == one);
    Ok(match name {
        "gaps" => {
            let gaps = insights::gaps(app, &visitor.caller, wanted.listed(MOST_ROWS)).await?;
            csv(&gaps.ok_or(Failure::Forbidden)?)
        }
        "asked" => {
            let listed = wanted.listed(MOST_ROWS);
            let asked = insights::most_asked(app, &visitor.caller, listed).await?;
            csv(&asked.ok_or(Failure::Forbidden)?)
        }
        "experiences" | "entries" => {
            let found = insights::helpful(app, &visitor.caller, days, MOST_ROWS).await?;
            match name {
                "experiences" => csv(&found.experiences),
                _ => csv(&found.entries),
            }
        }
        "growth" => {
            let mut rows = insights::growth(app, &visitor.caller, days).await?;
            rows.retain(|day| is_wanted(day.family));
            csv(&rows)
        }
        "latency" => {
            let mut rows = insights::latency(app, days).await?;
            rows.retain(|day| is_wanted(day.family));
            csv(&rows)
        }
        _ => return Err(Failure::NotFound),
    })
}
