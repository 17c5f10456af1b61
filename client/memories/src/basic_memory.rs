//! basic-memory: Markdown notes with observations (`- [category] text #tag (context)`) and relations
//! (`- relation [[Target]]`).
//!
//! Format: version 0.24.1, `basic_memory/markdown/entity_parser.py` and `plugins.py`. A note becomes an
//! entry with its whole text; the categories of its observations say what it is, and relations become links.

use std::path::{Path, PathBuf};

use recall_kit_shared_types::knowledge::EntryType;

use crate::{
    Base, ReadError, Reading, Record, Source, files_below, markdown::Document, read_text, time,
    words::kind_of,
};

pub(crate) struct BasicMemory;

const NAME: &str = "basic-memory";

impl Source for BasicMemory {
    fn name(&self) -> &'static str {
        NAME
    }

    fn places(&self, base: &Base) -> Vec<PathBuf> {
        vec![base.named_or("BASIC_MEMORY_HOME", "basic-memory")]
    }

    fn read(&self, path: &Path) -> Result<Reading, ReadError> {
        let mut found = Reading::default();
        let (root, files) = match path.is_dir() {
            true => {
                let is_note = |file: &Path| file.extension().is_some_and(|it| it == "md");
                (path.to_owned(), files_below(path, &is_note, &mut found)?)
            }
            false => {
                let folder = path.parent().unwrap_or(Path::new(""));
                (folder.to_owned(), vec![path.to_owned()])
            }
        };
        let project = root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        // The default folder has the program's name, not a project's.
        let project = project.filter(|name| name != NAME);
        for file in files {
            let id = file.strip_prefix(&root).unwrap_or(&file);
            let id = id.to_string_lossy().replace('\\', "/");
            match read_text(&file, NAME) {
                Ok(text) => read_note(&id, &text, project.clone(), &mut found),
                // A single note that was named has to be there.
                Err(error) if path == file => return Err(error),
                Err(error) => found.skip(id, error.to_string()),
            }
        }
        Ok(found)
    }
}

fn read_note(file: &str, text: &str, project: Option<String>, found: &mut Reading) {
    let document = Document::read(text);
    if document.text.trim().is_empty() {
        return found.skip(file, "the note has no text");
    }
    let id = document.value("permalink").unwrap_or(file);
    let stem = file.rsplit('/').next().unwrap_or(file);
    let title = document.value("title");
    let title = title.unwrap_or(stem.strip_suffix(".md").unwrap_or(stem));
    let mut tags: Vec<String> = document.values("tags").to_vec();
    let mut kind = document.value("type").and_then(kind_of);
    let mut related = Vec::new();
    let mut in_fence = false;
    for line in document.text.lines() {
        in_fence ^= line.trim_start().starts_with("```");
        if in_fence {
            continue;
        }
        if let Some((category, observed)) = observation(line) {
            kind = kind.or_else(|| kind_of(category));
            tags.extend(tags_in(observed));
        }
        related.extend(targets_in(line));
    }
    tags.dedup();
    let written = document.value("created").and_then(time::of_text);
    found.records.push(Record {
        written_at: written,
        project,
        tags,
        related,
        ..Record::entry(
            id,
            title,
            kind.unwrap_or(EntryType::Reference),
            document.text.trim().to_owned(),
        )
    });
}

/// Returns the category and the text of an observation.
fn observation(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("- [")?;
    let (category, text) = rest.split_once(']')?;
    // `- [ ]` and `- [x]` are tasks, `- [text](address)` is a link, `- [[Target]]` a relation.
    let is_task = category.trim().is_empty() || ["x", "X", "-"].contains(&category);
    let is_link = text.starts_with('(') || category.starts_with('[');
    (!is_task && !is_link).then_some((category, text))
}

fn tags_in(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split_whitespace();
    let tags = words.filter_map(|word| word.strip_prefix('#'));
    tags.map(|tag| tag.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .filter(|tag| !tag.is_empty())
}

/// Returns the targets of `[[links]]`.
fn targets_in(line: &str) -> impl Iterator<Item = String> + '_ {
    let parts = line.split("[[").skip(1);
    let targets = parts.filter_map(|part| part.split_once("]]").map(|(target, _)| target));
    targets.map(|target| {
        // `[[Target|shown text]]`
        let target = target.split('|').next().unwrap_or(target);
        target.trim().to_owned()
    })
}
