//! The reference server `@modelcontextprotocol/server-memory`: a knowledge graph in `memory.jsonl`.
//!
//! Format: version 2026.8.31, `dist/index.js` (`KnowledgeGraphManager.loadGraph`). An entity becomes an
//! entry with its observations; its relations become lines of the text, and links.

use std::path::{Path, PathBuf};

use recall_kit_shared_types::knowledge::EntryType;
use serde_json::Value;

use crate::{Base, ReadError, Reading, Record, Source, json, read_text, words::kind_of};

pub(crate) struct ServerMemory;

const NAME: &str = "server-memory";
/// Where npx keeps the package, in which the server writes unless `MEMORY_FILE_PATH` is set.
const PACKAGE: &str = "node_modules/@modelcontextprotocol/server-memory/dist/memory.jsonl";

struct Relation {
    from: String,
    to: String,
    kind: String,
}

impl Source for ServerMemory {
    fn name(&self) -> &'static str {
        NAME
    }

    fn places(&self, base: &Base) -> Vec<PathBuf> {
        if let Some(path) = (base.variable)("MEMORY_FILE_PATH") {
            return vec![PathBuf::from(path)];
        }
        let cached = std::fs::read_dir(base.home.join(".npm/_npx"));
        let folders = cached.into_iter().flatten().flatten();
        let mut places: Vec<PathBuf> = folders.map(|it| it.path().join(PACKAGE)).collect();
        places.sort();
        places
    }

    fn read(&self, path: &Path) -> Result<Reading, ReadError> {
        let path = match path.is_dir() {
            true => path.join("memory.jsonl"),
            false => path.to_owned(),
        };
        let text = read_text(&path, NAME)?;
        let mut found = Reading::default();
        let (mut entities, mut relations) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let Ok(value) = serde_json::from_str::<Value>(line) else {
                found.skip(format!("line {number}"), "it is damaged JSON");
                continue;
            };
            match read_line(&value) {
                Some(Line::Entity(name)) => entities.push((name, value)),
                Some(Line::Relation(relation)) => relations.push(relation),
                None => found.skip(
                    format!("line {number}"),
                    "it is neither entity nor relation",
                ),
            }
        }
        if entities.is_empty() && relations.is_empty() && !found.skipped.is_empty() {
            return Err(ReadError::Format {
                path,
                source_name: NAME,
                reason: "no line is an entity or a relation".to_owned(),
            });
        }
        for relation in &relations {
            if !entities.iter().any(|(name, _)| *name == relation.from) {
                let id = format!("{} {} {}", relation.from, relation.kind, relation.to);
                found.skip(id, "the relation begins at an entity that is not there");
            }
        }
        for (name, entity) in entities {
            let of_entity = relations.iter().filter(|it| it.from == name);
            match record(&name, &entity, &of_entity.collect::<Vec<_>>()) {
                Some(record) => found.records.push(record),
                None => found.skip(name, "it has neither observations nor relations"),
            }
        }
        Ok(found)
    }
}

enum Line {
    Entity(String),
    Relation(Relation),
}

fn read_line(value: &Value) -> Option<Line> {
    match value.get("type")?.as_str()? {
        "entity" => Some(Line::Entity(json::text(value, "name")?)),
        "relation" => Some(Line::Relation(Relation {
            from: json::text(value, "from")?,
            to: json::text(value, "to")?,
            kind: json::text(value, "relationType").unwrap_or_else(|| "relates to".to_owned()),
        })),
        _ => None,
    }
}

fn record(name: &str, entity: &Value, relations: &[&Relation]) -> Option<Record> {
    let kind = json::text(entity, "entityType").unwrap_or_default();
    let observations = entity.get("observations").and_then(Value::as_array);
    let observations = observations.into_iter().flatten().filter_map(Value::as_str);
    let mut lines: Vec<String> = observations.map(|text| format!("- {text}")).collect();
    lines.extend(
        relations
            .iter()
            .map(|it| format!("- {}: {}", it.kind, it.to)),
    );
    if lines.is_empty() {
        return None;
    }
    let title = match kind.is_empty() {
        true => name.to_owned(),
        false => format!("{name} ({kind})"),
    };
    let entry_kind = kind_of(&kind).unwrap_or(EntryType::Reference);
    Some(Record {
        tags: Some(kind)
            .filter(|kind| !kind.is_empty())
            .into_iter()
            .collect(),
        related: relations.iter().map(|it| it.to.clone()).collect(),
        ..Record::entry(name, &title, entry_kind, lines.join("\n"))
    })
}
