//! Reasons for suggestions, as data: tools format them in English, pages in their own language.

use std::fmt;

use recall_kit_search::shared_words;
use recall_kit_store::EntryBrief;

/// The most words that a reason names.
const WORDS: usize = 4;
/// How many characters of an entry are searched for common words.
const TEXT_CHARS: usize = 2_000;

/// How similar two entries are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// A score of at least 0.95.
    NearlySame,
    /// A score of at least 0.85.
    VerySimilar,
    /// A lower score.
    Similar,
}

/// Why two entries may belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkReason {
    /// How similar they are in meaning.
    pub likeness: Likeness,
    /// Distinctive words that both contain, at most four.
    pub words: Vec<String>,
    /// Tags that both have.
    pub tags: Vec<String>,
    /// The project that both belong to.
    pub project: Option<String>,
}

/// Why several entries may be generalised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralizationReason {
    /// How many entries there are.
    pub entries: usize,
    /// Distinctive words that most of them contain, at most four.
    pub words: Vec<String>,
    /// How many projects they belong to.
    pub projects: usize,
}

impl LinkReason {
    /// Compares two entries whose similarity is known, 0–1.
    pub(super) fn of(a: &EntryBrief, b: &EntryBrief, score: f64) -> Self {
        let shared_tags = a.tags.iter().filter(|tag| b.tags.contains(tag));
        Self {
            likeness: match score {
                0.95.. => Likeness::NearlySame,
                0.85.. => Likeness::VerySimilar,
                _ => Likeness::Similar,
            },
            words: shared_words(&[text(a), text(b)], WORDS),
            tags: shared_tags.cloned().collect(),
            project: a.project.clone().filter(|_| a.project == b.project),
        }
    }
}

impl GeneralizationReason {
    /// Compares several entries.
    pub(super) fn of(entries: &[EntryBrief]) -> Self {
        let texts: Vec<String> = entries.iter().map(text).collect();
        let projects = entries.iter().filter_map(|one| one.project.as_deref());
        let mut projects: Vec<&str> = projects.collect();
        projects.sort_unstable();
        projects.dedup();
        Self {
            entries: entries.len(),
            words: shared_words(&texts, WORDS),
            projects: projects.len(),
        }
    }
}

impl fmt::Display for LinkReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.likeness {
            Likeness::NearlySame => "Nearly the same meaning",
            Likeness::VerySimilar => "Very similar in meaning",
            Likeness::Similar => "Similar in meaning",
        })?;
        if !self.words.is_empty() {
            write!(f, "; both mention {}", self.words.join(", "))?;
        }
        if !self.tags.is_empty() {
            write!(f, "; same tags: {}", self.tags.join(", "))?;
        }
        match &self.project {
            Some(project) => write!(f, "; same project: {project}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for GeneralizationReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} episodic entries say much the same", self.entries)?;
        if !self.words.is_empty() {
            write!(f, "; most mention {}", self.words.join(", "))?;
        }
        match self.projects {
            0 | 1 => Ok(()),
            projects => write!(f, "; {projects} projects"),
        }
    }
}

/// Returns the title and the beginning of an entry, which show what it is about.
fn text(entry: &EntryBrief) -> String {
    let beginning: String = entry.excerpt.chars().take(TEXT_CHARS).collect();
    format!("{}\n{beginning}", entry.title)
}
