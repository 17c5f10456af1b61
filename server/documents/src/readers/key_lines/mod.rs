//! Finds the line of a key in a JSON or YAML text, for readers whose parser does not report lines.
//!
//! This relies on indentation, since such files are mostly formatted. In a text without it, the line of a key is
//! that of the nearest key above it that begins a line.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

/// The depth of keys whose lines are recorded; lines of deeper keys are not needed.
const DEPTH: usize = 3;

/// The lines of the outer keys of a text.
pub(super) struct KeyLines(HashMap<Vec<String>, u32>);

impl KeyLines {
    pub(super) fn of(text: &str) -> Self {
        let mut lines = HashMap::new();
        let mut above: Vec<(usize, String)> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let Some((indent, key)) = key_of(text) else {
                continue;
            };
            while above.last().is_some_and(|(outer, _)| *outer >= indent) {
                above.pop();
            }
            above.push((indent, key));
            if above.len() <= DEPTH {
                let path = above.iter().map(|(_, key)| key.clone()).collect();
                lines.entry(path).or_insert(line);
            }
        }
        Self(lines)
    }

    /// Returns the line of a key, given with its parents from the outermost on, counted from 1.
    pub(super) fn line(&self, path: &[&str]) -> u32 {
        let mut path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
        while !path.is_empty() {
            if let Some(line) = self.0.get(&path) {
                return *line;
            }
            path.pop();
        }
        1
    }
}

/// Returns the key that a line begins with, and its indentation.
fn key_of(line: &str) -> Option<(usize, String)> {
    let key = line.trim_start_matches([' ', '\t', '-']);
    let indent = line.len() - key.len();
    let (key, rest) = match key.chars().next()? {
        '"' => {
            let mut parsed = serde_json::Deserializer::from_str(key).into_iter::<String>();
            let name = parsed.next()?.ok()?;
            (name, key.get(parsed.byte_offset()..)?)
        }
        '\'' => {
            let (name, rest) = key.get(1..)?.split_once('\'')?;
            (name.to_owned(), rest)
        }
        '#' => return None,
        _ => {
            let end = key
                .find(": ")
                .or_else(|| key.trim_end().strip_suffix(':').map(str::len))?;
            (key.get(..end)?.trim_end().to_owned(), key.get(end..)?)
        }
    };
    rest.trim_start().starts_with(':').then_some((indent, key))
}
