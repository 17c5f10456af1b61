//! The tables of the insights as CSV files for spreadsheets.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use recall_kit_core::experiences::insights::{self, Insights};
use recall_kit_store::QuestionFamily;

use super::{Filter, Params, View, csv::csv};
use crate::{http::failure::Failure, visitor::Visitor};

/// The byte order mark U+FEFF, by which spreadsheets recognise UTF-8.
const BOM: &str = "\u{feff}";
/// The most rows of a file.
const MOST_ROWS: u32 = 1_000;

/// Returns the name of the file with the helpful records of a family; `None` if they are not counted.
pub(super) fn of_helpful(family: QuestionFamily) -> Option<&'static str> {
    match family {
        QuestionFamily::Experiences => Some("experiences"),
        QuestionFamily::Knowledge => Some("entries"),
        QuestionFamily::Libraries => None,
    }
}

/// Answers with a table as a file.
pub(crate) async fn table(
    State(insights): State<Arc<Insights>>,
    visitor: Visitor,
    Path(file): Path<String>,
    Query(params): Query<Params>,
) -> Response {
    let made = make(&insights, &visitor, &file, &params).await;
    made.unwrap_or_else(|failure| visitor.fail(&failure))
}

async fn make(
    insights: &Insights,
    visitor: &Visitor,
    file: &str,
    params: &Params,
) -> Result<Response, Failure> {
    let name = file.strip_suffix(".csv").ok_or(Failure::NotFound)?;
    let filter = Filter::of(params)?;
    let view = View {
        insights,
        visitor,
        filter,
    };
    let text = csv_text(view, name).await?;
    let disposition = format!("attachment; filename=\"{name}-{}-days.csv\"", filter.days);
    let disposition = HeaderValue::from_str(&disposition).map_err(|_| Failure::NotFound)?;
    let media_type = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, format!("{BOM}{text}")).into_response())
}

async fn csv_text(view: View<'_>, name: &str) -> Result<String, Failure> {
    let View {
        insights,
        visitor,
        filter,
    } = view;
    let Filter { days, family } = filter;
    let is_selected = |one: QuestionFamily| family.is_none_or(|family| family == one);
    Ok(match name {
        "gaps" => {
            let gaps = insights::gaps(insights, &visitor.caller, filter.listed(MOST_ROWS)).await?;
            csv(&gaps.ok_or(Failure::Forbidden)?)
        }
        "asked" => {
            let listed = filter.listed(MOST_ROWS);
            let asked = insights::most_asked(insights, &visitor.caller, listed).await?;
            csv(&asked.ok_or(Failure::Forbidden)?)
        }
        "experiences" | "entries" => {
            let found = insights::helpful(insights, &visitor.caller, days, MOST_ROWS).await?;
            match name {
                "experiences" => csv(&found.experiences),
                _ => csv(&found.entries),
            }
        }
        "growth" => {
            let mut rows = insights::growth(insights, &visitor.caller, days).await?;
            rows.retain(|day| is_selected(day.family));
            csv(&rows)
        }
        "latency" => {
            let mut rows = insights::latency(insights, days).await?;
            rows.retain(|day| is_selected(day.family));
            csv(&rows)
        }
        _ => return Err(Failure::NotFound),
    })
}
