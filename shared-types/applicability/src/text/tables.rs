//! Tables in Markdown with a row for each package: `| package | affected | fixed |`.

use super::{
    grammar::expression,
    items::{Item, items},
    meaning::{Role, meaning},
    names::Names,
    statements::{Stated, Statement},
    tokens::tokens,
};
use crate::{purl::PackageName, subject::Subject};

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Name,
    Affected,
    Fixed,
    /// Whether it works with the version of the row.
    Works,
    Other,
}

/// The most columns and rows that are read.
const MAX_COLUMNS: usize = 12;
const MAX_ROWS: usize = 100;

/// Returns what the tables of a text state.
pub(super) fn statements(text: &str, names: &Names<'_>) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    let mut rows = 0;
    // The package of a table that is about one: `| bcrypt | works |`.
    let mut about = None;
    for line in text.lines().map(str::trim) {
        if !line.starts_with('|') || line.len() > 2000 {
            columns.clear();
            continue;
        }
        let cells: Vec<&str> = line
            .trim_matches('|')
            .split('|')
            .take(MAX_COLUMNS)
            .map(str::trim)
            .collect();
        if columns.is_empty() {
            columns = cells.iter().map(|cell| column(cell)).collect();
            about = match columns.as_slice() {
                [Column::Other, rest @ ..] if rest.contains(&Column::Works) => {
                    cells.first().and_then(|cell| subject_of(cell, names))
                }
                _ => None,
            };
            if about.is_some() {
                continue;
            }
            if !columns.contains(&Column::Name) {
                columns = vec![Column::Other];
            }
            continue;
        }
        rows += 1;
        if let Some(subject) = about.as_ref().filter(|_| rows <= MAX_ROWS) {
            statements.extend(works_row(subject, &columns, &cells, names));
        } else if rows <= MAX_ROWS && columns.contains(&Column::Name) {
            statements.extend(row(&columns, &cells, names));
        }
    }
    statements
}

/// Reads the head of a column.
fn column(cell: &str) -> Column {
    let cell = cell.trim_matches(['*', '_', '`', ' ']).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| cell.contains(word));
    if matches!(
        cell.as_str(),
        "works"
            | "work"
            | "works?"
            | "ok"
            | "ok?"
            | "supported"
            | "compatible"
            | "funktioniert"
            | "fonctionne"
            | "funciona"
            | "работает"
            | "可用"
            | "動作"
            | "작동"
    ) {
        Column::Works
    } else if has(&[
        "fix",
        "patch",
        "resolved",
        "solution",
        "corrig",
        "behoben",
        "修复",
        "修正",
        "исправ",
    ]) {
        Column::Fixed
    } else if has(&[
        "affect",
        "vulnerab",
        "broken",
        "fails",
        "version",
        "range",
        "betroffen",
        "受影响",
        "影響",
        "затрон",
        "afect",
        "afet",
    ]) {
        Column::Affected
    } else if has(&[
        "package",
        "name",
        "library",
        "module",
        "dependency",
        "artifact",
        "component",
        "crate",
        "gem",
        "paket",
        "paquet",
        "包",
        "パッケージ",
        "пакет",
        "bibliothe",
        "bibliote",
    ]) {
        Column::Name
    } else {
        Column::Other
    }
}

/// Reads a row of a table that says which versions of a package work.
fn works_row(
    subject: &Subject,
    columns: &[Column],
    cells: &[&str],
    names: &Names<'_>,
) -> Option<Statement> {
    let place = columns.iter().position(|column| *column == Column::Works)?;
    let role = match answer(cells.get(place)?)? {
        true => Role::Stated,
        false => Role::Denied,
    };
    let tokens = tokens(cells.first()?);
    let items = items(&tokens, names);
    let found = (0..items.len().min(8)).find_map(|at| expression(&items, at))?;
    Some(Statement {
        subject: subject.clone(),
        bound: meaning(subject.scheme(), &found.elements, role)?,
    })
}

/// Reads yes or no at the start of a cell.
fn answer(cell: &str) -> Option<bool> {
    const YES: [&str; 14] = [
        "yes", "ok", "works", "✅", "✓", "✔", "oui", "ja", "sí", "sim", "да", "是", "はい", "예",
    ];
    const NO: [&str; 13] = [
        "no",
        "fails",
        "broken",
        "❌",
        "✗",
        "✘",
        "non",
        "nein",
        "não",
        "нет",
        "否",
        "いいえ",
        "아니",
    ];
    let cell = cell.trim_matches(['*', '_', '`', ' ']).to_lowercase();
    let starts = |word: &&str| {
        cell.strip_prefix(*word)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    match (YES.iter().any(starts), NO.iter().any(starts)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// Reads a row.
fn row(columns: &[Column], cells: &[&str], names: &Names<'_>) -> Vec<Statement> {
    let cell_of = |wanted: Column| {
        columns
            .iter()
            .zip(cells)
            .filter(move |(column, _)| **column == wanted)
            .map(|(_, cell)| *cell)
    };
    let Some(subject) = cell_of(Column::Name).find_map(|cell| subject_of(cell, names)) else {
        return Vec::new();
    };
    let mut statements = Vec::new();
    for (column, role) in [
        (Column::Affected, Role::Stated),
        (Column::Fixed, Role::Fixed),
    ] {
        for cell in cell_of(column) {
            let tokens = tokens(cell);
            let items = items(&tokens, names);
            let found = (0..items.len().min(8)).find_map(|at| expression(&items, at));
            let bound = found.and_then(|found| meaning(subject.scheme(), &found.elements, role));
            // A version in the column of what is affected is no mere name.
            let bound = bound.map(|bound| match bound {
                Stated::Named(range) if column == Column::Affected => Stated::Affected(range),
                bound => bound,
            });
            statements.extend(bound.map(|bound| Statement {
                subject: subject.clone(),
                bound,
            }));
        }
    }
    statements
}

/// Returns what a cell names: a package URL, or a known name.
fn subject_of(cell: &str, names: &Names<'_>) -> Option<Subject> {
    let cell = cell.trim_matches(['*', '_', '`', ' ']);
    if let Ok(package) = PackageName::parse(cell) {
        return Some(Subject::Package(package));
    }
    let tokens = tokens(cell);
    let items = items(&tokens, names);
    items.iter().take(3).find_map(|item| match item {
        Item::Name(mention) => Some(mention.subject.clone()),
        Item::Word(word) => names.guess(word, 3).map(Subject::Package),
        _ => None,
    })
}
