//! Grid tables, simple tables, and tables of directives as lists or CSV.

use super::{Line, indented, inline::plain, joined};

/// Returns the rows of the table that begins here, and how many lines it has.
pub(super) fn read(lines: &[Line<'_>]) -> Option<(Vec<Vec<String>>, usize)> {
    let first = lines.first()?.text;
    if first.starts_with("+-") && first.ends_with('+') {
        Some(grid(lines))
    } else if first.starts_with("==")
        && first.contains(' ')
        && first.chars().all(|it| matches!(it, '=' | ' '))
    {
        simple(lines)
    } else {
        None
    }
}

fn grid(lines: &[Line<'_>]) -> (Vec<Vec<String>>, usize) {
    let end = lines
        .iter()
        .position(|it| !it.text.starts_with(['+', '|']))
        .unwrap_or(lines.len());
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    for line in lines.get(..end).unwrap_or_default() {
        if line.text.starts_with('+') {
            if !row.is_empty() {
                rows.push(finish(std::mem::take(&mut row)));
            }
            continue;
        }
        let text = line.text.trim_matches('|');
        for (at, cell) in text.split('|').take(64).enumerate() {
            add(&mut row, at, cell);
        }
    }
    (rows, end)
}

fn simple(lines: &[Line<'_>]) -> Option<(Vec<Vec<String>>, usize)> {
    let rule = lines.first()?.text;
    let columns = columns(rule);
    let is_rule = |line: &Line<'_>| {
        line.text.starts_with("==") && line.text.chars().all(|it| matches!(it, '=' | ' '))
    };
    let rules: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, it)| is_rule(it))
        .map(|(at, _)| at)
        .take(3)
        .collect();
    // With a header there are three rules; a table with two ends at an empty line.
    let second = *rules.get(1)?;
    let ends = lines.get(second + 1).is_none_or(Line::is_empty);
    let end = if ends {
        second
    } else {
        *rules.get(2).unwrap_or(&second)
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines.get(1..end)? {
        let separates = line.text.starts_with("--") || is_rule(line);
        if line.is_empty() || separates {
            continue;
        }
        let cells: Vec<&str> = columns.iter().map(|it| cell(line.text, it)).collect();
        // A line without a first cell continues the previous row.
        let goes_on = cells.first().is_some_and(|it| it.trim().is_empty());
        if !goes_on || rows.is_empty() {
            rows.push(Vec::new());
        }
        let row = rows.last_mut()?;
        for (at, text) in cells.into_iter().enumerate() {
            add(row, at, text);
        }
    }
    Some((rows.into_iter().map(finish).collect(), end + 1))
}

/// Returns the start and end of each column; the last one has no end.
fn columns(rule: &str) -> Vec<(usize, usize)> {
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, char) in rule.char_indices() {
        if char == '=' && before == ' ' {
            starts.push(at);
        }
        before = char;
    }
    let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
    starts.iter().copied().zip(ends).take(64).collect()
}

fn cell<'a>(text: &'a str, (start, end): &(usize, usize)) -> &'a str {
    // Columns are counted in characters; most tables are ASCII.
    if text.is_ascii() {
        return text.get(*start..(*end).min(text.len())).unwrap_or_default();
    }
    let place = |column: usize| {
        text.char_indices()
            .nth(column)
            .map_or(text.len(), |(at, _)| at)
    };
    text.get(place(*start)..place(*end)).unwrap_or_default()
}

fn add(row: &mut Vec<String>, at: usize, text: &str) {
    if row.len() <= at {
        row.resize(at + 1, String::new());
    }
    if let Some(cell) = row.get_mut(at) {
        if !cell.is_empty() {
            cell.push(' ');
        }
        cell.push_str(text.trim());
    }
}

fn finish(row: Vec<String>) -> Vec<String> {
    row.iter().map(|it| plain(it.trim())).collect()
}

/// Returns the rows of a `list-table`: items of items.
pub(super) fn list_table(lines: &[Line<'_>]) -> Vec<Vec<String>> {
    items(lines, '*')
        .iter()
        .map(|row| {
            let cells = items(row, '-');
            cells
                .iter()
                .map(|it| plain(&joined(it).replace('\n', " ")))
                .collect()
        })
        .collect()
}

fn items<'a>(lines: &[Line<'a>], mark: char) -> Vec<Vec<Line<'a>>> {
    let mut out = Vec::new();
    let mut rest = lines;
    while let Some((first, after)) = rest.split_first() {
        let marked = first
            .text
            .strip_prefix([mark, if mark == '*' { '-' } else { '*' }]);
        let Some(text) = marked else {
            rest = after;
            continue;
        };
        let (mut body, taken) = indented(after);
        body.insert(
            0,
            Line {
                number: first.number,
                text: text.trim_start(),
            },
        );
        out.push(body);
        rest = after.get(taken..).unwrap_or_default();
    }
    out
}

/// Returns the cells of a row of a `csv-table`.
pub(super) fn csv_row(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for char in line.chars() {
        match char {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(char);
                }
            }
        }
    }
    finish(cells)
}
