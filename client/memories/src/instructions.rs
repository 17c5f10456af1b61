//! Instructions for agents in Markdown: CLAUDE.md and Claude Code's own memory, AGENTS.md, Cursor's rules,
//! GitHub Copilot's instructions. Each section becomes an entry.
//!
//! The places are those of the agents' documentation of November 2026: Claude Code 2.1 ("Manage Claude's
//! memory"), agents.md, Cursor 2.2 ("Rules"), GitHub Copilot ("repository custom instructions").

use std::path::{Component, Path, PathBuf};

use recall_kit_shared_types::knowledge::EntryType;

use crate::{
    Base, OUTSIDE, ReadError, Reading, Record, Source, files_below, leads_out,
    markdown::{Document, Section},
    read_text,
    words::kind_of,
};

/// An agent's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instructions {
    ClaudeCode,
    AgentsMd,
    Cursor,
    Copilot,
}

impl Instructions {
    /// The files and folders in a project.
    fn in_project(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[
                "CLAUDE.md",
                "CLAUDE.local.md",
                ".claude/CLAUDE.md",
                ".claude/rules",
            ],
            Self::AgentsMd => &["AGENTS.md"],
            Self::Cursor => &[".cursorrules", ".cursor/rules"],
            Self::Copilot => &[".github/copilot-instructions.md", ".github/instructions"],
        }
    }

    /// The files and folders in a home folder.
    fn in_home(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[".claude/CLAUDE.md", ".claude/rules", ".claude/projects"],
            Self::AgentsMd => &[".codex/AGENTS.md"],
            Self::Cursor | Self::Copilot => &[],
        }
    }

    /// Returns whether a file in a folder of instructions is one.
    fn accepts(self, file: &Path) -> bool {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        match self {
            // Besides the memory, this folder has the transcripts.
            Self::ClaudeCode if is_own(&names(file)) => {
                name.ends_with(".md") && names(file).contains(&"memory")
            }
            Self::ClaudeCode => name.ends_with(".md"),
            Self::AgentsMd => name == "AGENTS.md",
            Self::Cursor => name.ends_with(".mdc"),
            Self::Copilot => name.ends_with(".instructions.md"),
        }
    }

    /// Returns whether a file is one of these instructions below a folder that is no project of the agent.
    fn accepts_alone(self, folder: &Path, file: &Path) -> bool {
        let has_only = ["rules", "memory"]
            .iter()
            .any(|name| folder.ends_with(name));
        let named = ["CLAUDE.md", "CLAUDE.local.md"]
            .iter()
            .any(|name| file.ends_with(name));
        let told = has_only || named || is_own(&names(file));
        self.accepts(file) && (self != Self::ClaudeCode || told)
    }

    /// Returns the files of a folder: a project's, or one with nothing but instructions.
    fn files(self, folder: &Path, found: &mut Reading) -> Result<Vec<PathBuf>, ReadError> {
        let places = self.in_project().iter().map(|place| folder.join(place));
        let places: Vec<PathBuf> = places.filter(|place| place.exists()).collect();
        if places.is_empty() {
            let accept = |file: &Path| self.accepts_alone(folder, file);
            return files_below(folder, &accept, found);
        }
        let mut files = Vec::new();
        for place in places {
            if !place.is_dir() {
                files.push(place);
                continue;
            }
            match files_below(&place, &|file| self.accepts(file), found) {
                Ok(below) => files.extend(below),
                Err(error) => found.skip(place.display().to_string(), error.to_string()),
            }
        }
        Ok(files)
    }
}

impl Source for Instructions {
    fn name(&self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::AgentsMd => "agents-md",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
        }
    }

    fn places(&self, base: &Base) -> Vec<PathBuf> {
        let project = self.in_project().iter().map(|it| base.project.join(it));
        let home = self.in_home().iter().map(|it| base.home.join(it));
        let mut places: Vec<PathBuf> = project.collect();
        // The project may be the home folder.
        let home: Vec<PathBuf> = home.filter(|place| !places.contains(place)).collect();
        places.extend(home);
        places
    }

    fn read(&self, path: &Path) -> Result<Reading, ReadError> {
        let mut found = Reading::default();
        let files = match path.is_dir() {
            true => self.files(path, &mut found)?,
            false => vec![path.to_owned()],
        };
        for file in files {
            if path.is_dir() && leads_out(&file, path) {
                found.skip(file.display().to_string(), OUTSIDE);
                continue;
            }
            match read_text(&file, self.name()) {
                Ok(text) => read_file(&Place::of(&file), &text, &mut found),
                Err(error) if file == path => return Err(error),
                Err(error) => found.skip(file.display().to_string(), error.to_string()),
            }
        }
        Ok(found)
    }
}

/// Where a file is: its project, and its path from there.
struct Place {
    project: Option<String>,
    path: String,
    /// Its name without an extension.
    stem: String,
}

impl Place {
    fn of(file: &Path) -> Self {
        let absolute = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let names = names(&absolute);
        let stem = absolute.file_stem().unwrap_or_default().to_string_lossy();
        let hidden = names
            .iter()
            .rposition(|name| [".claude", ".codex", ".cursor", ".github"].contains(name));
        // In `.claude/projects/SLUG/memory/` the slug is the path of the project with dashes instead of
        // slashes: its name cannot be told from it.
        let memory = names.iter().rposition(|name| *name == "memory");
        if let (true, Some(memory)) = (is_own(&names), memory) {
            return Self {
                project: None,
                path: names.get(memory..).unwrap_or_default().join("/"),
                stem: stem.into_owned(),
            };
        }
        let root = hidden.unwrap_or(names.len().saturating_sub(1));
        let path = names.get(root..).unwrap_or_default().join("/");
        // The folder above `~/.claude` and `~/.codex` is the user's, not a project.
        let is_home = home_is(names.get(..root).unwrap_or_default());
        let project = root.checked_sub(1).and_then(|at| names.get(at));
        Self {
            project: project.filter(|_| !is_home).map(|name| (*name).to_owned()),
            path,
            stem: stem.into_owned(),
        }
    }
}

/// Returns the names of a path's folders and its file.
fn names(path: &Path) -> Vec<&str> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    parts.collect()
}

/// Returns whether a file belongs to what Claude Code itself keeps of projects.
fn is_own(names: &[&str]) -> bool {
    names.windows(2).any(|two| two == [".claude", "projects"])
}

fn home_is(folders: &[&str]) -> bool {
    let home = std::env::home_dir().unwrap_or_default();
    let home = home.canonicalize().unwrap_or(home);
    names(&home) == folders
}

fn read_file(place: &Place, text: &str, found: &mut Reading) {
    let document = Document::read(text);
    let mut ids: Vec<String> = Vec::new();
    for section in document.sections() {
        let path = &place.path;
        let project = place.project.as_deref().unwrap_or("~");
        let headings = section.headings.join(" > ");
        let id = match headings.is_empty() {
            true => format!("{project}/{path}"),
            false => format!("{project}/{path}#{headings}"),
        };
        let times = ids.iter().filter(|known| **known == id).count();
        ids.push(id.clone());
        let id = match times {
            0 => id,
            times => format!("{id} ({})", times + 1),
        };
        found.records.push(record(id, place, &document, section));
    }
    if ids.is_empty() {
        found.skip(&place.path, "it has no text");
    }
}

fn record(id: String, place: &Place, document: &Document, section: Section) -> Record {
    let described = document.value("name").or(document.value("description"));
    let own = described.unwrap_or(&place.stem);
    // The title of the document says nothing about one of its sections.
    let title = match section.headings.as_slice() {
        [] => own.to_owned(),
        [only] => only.clone(),
        [_, below @ ..] => below.join(": "),
    };
    // Claude Code's memory says what it is in `type`, which newer versions write below `metadata`.
    let word = document.value("type").or(document.value("metadata.type"));
    let kind = word.and_then(|kind| match kind {
        "reference" | "user" => Some(EntryType::Reference),
        "project" => Some(EntryType::Decision),
        kind => kind_of(kind),
    });
    let kind = kind.or_else(|| kind_of(&section.headings.join(" ")));
    let mut content = section.text;
    // Which files a rule is for is a part of it.
    for key in ["globs", "applyTo", "paths"] {
        let values = document.values(key);
        if !values.is_empty() {
            content.push_str(&format!("\n\n({key}: {})", values.join(", ")));
        }
    }
    Record {
        project: place.project.clone(),
        ..Record::entry(id, &title, kind.unwrap_or(EntryType::Pattern), content)
    }
}
