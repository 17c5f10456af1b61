//! cq by mozilla-ai: knowledge units in a local SQLite database, or as JSON.
//!
//! Format: cq-sdk 0.20.2, `cq/store.py` (table `knowledge_units`) and `cq/models.py` (`KnowledgeUnit`); the JSON is
//! what `cq query --format json` prints (`cli/cmd/query.go`: a list of units). A unit says what is the case and what to
//! do about it, so it becomes an experience.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{
    Base, Body, ReadError, Reading, Record, Source,
    database::{Database, Table, is_database},
    json, one_line,
};

pub(crate) struct Cq;

const NAME: &str = "cq";
const UNITS: Table = Table {
    name: "knowledge_units",
    needed: &["id", "data"],
    optional: &[],
};

impl Source for Cq {
    fn name(&self) -> &'static str {
        NAME
    }

    fn places(&self, base: &Base) -> Vec<PathBuf> {
        match (base.variable)("CQ_LOCAL_DB_PATH") {
            Some(path) => vec![PathBuf::from(path)],
            None => vec![base.data_folder().join("cq/local.db")],
        }
    }

    fn read(&self, path: &Path) -> Result<Reading, ReadError> {
        let mut found = Reading::default();
        if !is_database(path) {
            for (number, unit) in (1..).zip(units_in(path)?) {
                read_unit(format!("number {number}"), unit.as_ref(), &mut found);
            }
            return Ok(found);
        }
        for row in Database::open(path, NAME)?.rows(&UNITS, &mut found)? {
            let id = json::text(&row, "id").unwrap_or_default();
            let data = json::text(&row, "data").unwrap_or_default();
            let unit = serde_json::from_str(&data).ok();
            read_unit(id, unit.as_ref(), &mut found);
        }
        Ok(found)
    }
}

/// Returns the units of a file: a list of them, the answer of a query, one unit, or one on each line; `None` for a
/// damaged line.
fn units_in(path: &Path) -> Result<Vec<Option<Value>>, ReadError> {
    let mut values = json::read_values(path, NAME)?;
    if let [Some(document)] = values.as_mut_slice() {
        let list = match document.get_mut("units") {
            Some(units) => units.take(),
            None => document.take(),
        };
        values = match list {
            Value::Array(units) => units.into_iter().map(Some).collect(),
            unit => vec![Some(unit)],
        };
    }
    let is_unit = |unit: &Value| unit.get("insight").is_some();
    match values.is_empty() || values.iter().flatten().any(is_unit) {
        true => Ok(values),
        false => Err(ReadError::Format {
            path: path.to_owned(),
            source_name: NAME,
            reason: "it is neither a database nor a list of knowledge units".to_owned(),
        }),
    }
}

fn read_unit(place: String, unit: Option<&Value>, found: &mut Reading) {
    let Some(unit) = unit else {
        return found.skip(place, "it is damaged JSON");
    };
    let id = json::text(unit, "id").unwrap_or(place);
    if json::text(unit, "superseded_by").is_some() {
        return found.skip(id, "a newer unit replaces it there");
    }
    let insight = unit.get("insight").unwrap_or(&Value::Null);
    let parts = ["summary", "detail", "action"].map(|key| json::text(insight, key));
    let [Some(summary), Some(detail), Some(action)] = parts else {
        return found.skip(id, "it lacks summary, detail or action");
    };
    let context = unit.get("context").unwrap_or(&Value::Null);
    let named = [
        ("Languages", json::texts(context, "languages").join(", ")),
        ("Frameworks", json::texts(context, "frameworks").join(", ")),
        (
            "Pattern",
            json::text(context, "pattern").unwrap_or_default(),
        ),
    ];
    let lines = named.iter().filter(|(_, text)| !text.is_empty());
    let lines: Vec<String> = lines
        .map(|(name, text)| format!("{name}: {text}"))
        .collect();
    let evidence = unit.get("evidence").unwrap_or(&Value::Null);
    found.records.push(Record {
        id,
        written_at: json::time(evidence, "first_observed"),
        title: one_line(&summary),
        project: None,
        tags: json::texts(unit, "domains"),
        body: Body::Experience {
            problem: detail,
            root_cause: None,
            solution: action,
            context: Some(lines.join("\n")).filter(|text| !text.is_empty()),
        },
        related: Vec::new(),
    });
}
