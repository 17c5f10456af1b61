//! What people read on the pages: one table per language, complete by construction.
//!
//! Texts of records stay in the language they were written in.

mod chinese;
mod english;
mod french;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::{EntryStatus, EntryType, MemoryType, RelationType};

use super::language::Language;

/// The words of one language; `{}` stands for what is filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) shell: ShellWords,
    pub(super) search: SearchWords,
    pub(super) connect: ConnectWords,
    pub(super) experience: ExperienceWords,
    pub(super) knowledge: KnowledgeWords,
    pub(super) libraries: LibraryWords,
    pub(super) failure: FailureWords,
    pub(super) ages: Ages,
    /// Before a colon, in French with its space.
    pub(super) colon: &'static str,
}

/// What stands around every page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShellWords {
    pub(super) skip: &'static str,
    pub(super) pages: &'static str,
    pub(super) search: &'static str,
    pub(super) knowledge: &'static str,
    pub(super) graph: &'static str,
    pub(super) libraries: &'static str,
    pub(super) language: &'static str,
    pub(super) appearance: &'static str,
    pub(super) system: &'static str,
    pub(super) light: &'static str,
    pub(super) dark: &'static str,
    pub(super) apply: &'static str,
    pub(super) copy: &'static str,
    pub(super) copied: &'static str,
    pub(super) previous: &'static str,
    pub(super) next: &'static str,
    /// With the page and how many there are.
    pub(super) page: &'static str,
}

/// The search page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SearchWords {
    pub(super) title: &'static str,
    pub(super) label: &'static str,
    pub(super) placeholder: &'static str,
    pub(super) submit: &'static str,
    pub(super) filters: &'static str,
    pub(super) family: &'static str,
    pub(super) everything: &'static str,
    pub(super) experiences: &'static str,
    pub(super) knowledge: &'static str,
    pub(super) documentation: &'static str,
    pub(super) kind: &'static str,
    pub(super) project: &'static str,
    pub(super) library: &'static str,
    pub(super) content: &'static str,
    pub(super) code: &'static str,
    pub(super) text: &'static str,
    pub(super) any: &'static str,
    /// For one, and with how many.
    pub(super) found: [&'static str; 2],
    pub(super) nothing: &'static str,
    pub(super) nothing_hint: &'static str,
    /// With how many.
    pub(super) all_of_them: &'static str,
    pub(super) score: &'static str,
    pub(super) parts: PartWords,
    /// For one, and with how many.
    pub(super) seen: [&'static str; 2],
    pub(super) keys_hint: &'static str,
}

/// What a score is made of.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PartWords {
    pub(super) lexical: &'static str,
    pub(super) semantic: &'static str,
    pub(super) fingerprint: &'static str,
    pub(super) popularity: &'static str,
    pub(super) recency: &'static str,
    pub(super) rank: &'static str,
}

/// How an agent is connected.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConnectWords {
    pub(super) title: &'static str,
    pub(super) intro: &'static str,
    pub(super) beside: &'static str,
    pub(super) beside_why: &'static str,
    pub(super) straight: &'static str,
    pub(super) straight_why: &'static str,
    /// With the path of a file.
    pub(super) in_file: &'static str,
    pub(super) in_terminal: &'static str,
    pub(super) key_needed: &'static str,
}

/// The page of an experience.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExperienceWords {
    pub(super) problem: &'static str,
    pub(super) root_cause: &'static str,
    pub(super) solution: &'static str,
    pub(super) context: &'static str,
    pub(super) keywords: &'static str,
    pub(super) added: &'static str,
    pub(super) promoted_to: &'static str,
    pub(super) export: &'static str,
    pub(super) similar: &'static str,
}

/// The pages of the knowledge base.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KnowledgeWords {
    pub(super) title: &'static str,
    pub(super) status: &'static str,
    pub(super) filter: &'static str,
    pub(super) empty: &'static str,
    pub(super) entry: &'static str,
    pub(super) tags: &'static str,
    pub(super) confidence: &'static str,
    pub(super) memory: &'static str,
    pub(super) updated: &'static str,
    pub(super) remembered: &'static str,
    pub(super) links_from: &'static str,
    pub(super) links_to: &'static str,
    pub(super) no_links: &'static str,
    pub(super) promoted_from: &'static str,
    pub(super) graph: &'static str,
    pub(super) graph_hint: &'static str,
    pub(super) graph_needs_script: &'static str,
    pub(super) graph_empty: &'static str,
    /// With entries and links.
    pub(super) graph_size: &'static str,
    pub(super) table: &'static str,
    pub(super) zoom_in: &'static str,
    pub(super) zoom_out: &'static str,
    pub(super) fit: &'static str,
    pub(super) relation: &'static str,
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    pub(super) around_this: &'static str,
    pub(super) types: [&'static str; 6],
    pub(super) statuses: [&'static str; 2],
    pub(super) memories: [&'static str; 2],
    pub(super) relations: [&'static str; 4],
}

/// The pages of the libraries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LibraryWords {
    pub(super) title: &'static str,
    pub(super) empty: &'static str,
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) default_version: &'static str,
    pub(super) files: &'static str,
    pub(super) chunks: &'static str,
    pub(super) read_in: &'static str,
    pub(super) source: &'static str,
    pub(super) stale: &'static str,
    pub(super) search_inside: &'static str,
}

/// What went wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FailureWords {
    pub(super) not_found: &'static str,
    pub(super) no_page: &'static str,
    pub(super) no_record: &'static str,
    pub(super) refused: &'static str,
    pub(super) broken: &'static str,
    pub(super) try_again: &'static str,
    pub(super) closed: &'static str,
    pub(super) closed_why: &'static str,
    pub(super) back_to_search: &'static str,
}

/// How long ago something was: each for one, and with how many.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ages {
    pub(super) now: &'static str,
    pub(super) minutes: [&'static str; 2],
    pub(super) hours: [&'static str; 2],
    pub(super) days: [&'static str; 2],
    pub(super) months: [&'static str; 2],
    pub(super) years: [&'static str; 2],
}

impl Words {
    /// Returns the words of a language.
    pub(super) fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &english::ENGLISH,
            Language::Chinese => &chinese::CHINESE,
            Language::French => &french::FRENCH,
        }
    }
}

impl KnowledgeWords {
    /// Names what an entry is.
    pub(super) fn kind(&self, kind: EntryType) -> &'static str {
        word(EntryType::ALL, kind, &self.types)
    }

    /// Names whether an entry still holds.
    pub(super) fn status_of(&self, status: EntryStatus) -> &'static str {
        word(EntryStatus::ALL, status, &self.statuses)
    }

    /// Names what kind of memory an entry is.
    pub(super) fn memory_of(&self, memory: MemoryType) -> &'static str {
        word(MemoryType::ALL, memory, &self.memories)
    }

    /// Names how two entries relate.
    pub(super) fn relation_of(&self, relation: RelationType) -> &'static str {
        word(RelationType::ALL, relation, &self.relations)
    }
}

/// Finds the word at the place that something has among all of its kind.
fn word<T: PartialEq>(all: &[T], one: T, words: &[&'static str]) -> &'static str {
    let at = all.iter().position(|known| *known == one);
    at.and_then(|at| words.get(at)).copied().unwrap_or_default()
}

impl Ages {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * Self::MINUTE;
    const DAY: i64 = 24 * Self::HOUR;
    const MONTH: i64 = 30 * Self::DAY;
    const YEAR: i64 = 365 * Self::DAY;

    /// Says how long before `now` a moment was; what lies ahead is now, as clocks differ.
    pub(super) fn of(&self, moment: Timestamp, now: Timestamp) -> String {
        let seconds = now.as_second().saturating_sub(moment.as_second());
        let units = [
            (Self::YEAR, self.years),
            (Self::MONTH, self.months),
            (Self::DAY, self.days),
            (Self::HOUR, self.hours),
            (Self::MINUTE, self.minutes),
        ];
        let unit = units.into_iter().find(|(unit, _)| seconds >= *unit);
        match unit {
            None => self.now.to_owned(),
            Some((unit, words)) => counted(words, (seconds / unit).unsigned_abs()),
        }
    }
}

/// Says how many: with the first words for one, else with the second.
pub(super) fn counted([one, several]: [&str; 2], number: u64) -> String {
    match number {
        1 => one.to_owned(),
        many => filled(several, &[&many.to_string()]),
    }
}

/// Fills `{}`, from left to right.
pub(super) fn filled(words: &str, values: &[&str]) -> String {
    let mut values = values.iter();
    let mut pieces = words.split("{}");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push_str(values.next().copied().unwrap_or_default());
        text.push_str(piece);
    }
    text
}
