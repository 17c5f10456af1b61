//! What people read on the pages: a table for each part of them, its languages beside each other, and
//! each complete by construction.
//!
//! Texts of records stay in the language they were written in.

mod account;
mod admin;
mod ages;
mod connect;
mod experience;
mod failure;
mod ingest;
mod insights;
mod knowledge;
mod libraries;
mod refusal;
mod search;
mod shell;
#[cfg(test)]
mod tests;

pub(crate) use self::{
    account::AccountWords, admin::AdminWords, ages::Ages, connect::ConnectWords,
    experience::ExperienceWords, failure::FailureWords, ingest::IngestWords,
    insights::InsightWords, knowledge::KnowledgeWords, libraries::LibraryWords,
    refusal::RefusalWords, search::SearchWords, shell::ShellWords,
};
use super::language::Language;

/// The words of one language; `{}` stands for what is filled in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) shell: ShellWords,
    pub(crate) search: SearchWords,
    pub(crate) connect: ConnectWords,
    pub(crate) experience: ExperienceWords,
    pub(crate) knowledge: KnowledgeWords,
    pub(crate) libraries: LibraryWords,
    pub(crate) ingest: IngestWords,
    pub(crate) insights: InsightWords,
    pub(crate) account: AccountWords,
    pub(crate) admin: AdminWords,
    pub(crate) failure: FailureWords,
    pub(crate) refusal: RefusalWords,
    pub(crate) ages: Ages,
    /// Before a colon, in French with its space.
    pub(crate) colon: &'static str,
}

static ENGLISH: Words = Words {
    shell: shell::ENGLISH,
    search: search::ENGLISH,
    connect: connect::ENGLISH,
    experience: experience::ENGLISH,
    knowledge: knowledge::ENGLISH,
    libraries: libraries::ENGLISH,
    ingest: ingest::ENGLISH,
    insights: insights::ENGLISH,
    account: account::ENGLISH,
    admin: admin::ENGLISH,
    failure: failure::ENGLISH,
    refusal: refusal::ENGLISH,
    ages: ages::ENGLISH,
    colon: ":",
};

static CHINESE: Words = Words {
    shell: shell::CHINESE,
    search: search::CHINESE,
    connect: connect::CHINESE,
    experience: experience::CHINESE,
    knowledge: knowledge::CHINESE,
    libraries: libraries::CHINESE,
    ingest: ingest::CHINESE,
    insights: insights::CHINESE,
    account: account::CHINESE,
    admin: admin::CHINESE,
    failure: failure::CHINESE,
    refusal: refusal::CHINESE,
    ages: ages::CHINESE,
    colon: "：",
};

static FRENCH: Words = Words {
    shell: shell::FRENCH,
    search: search::FRENCH,
    connect: connect::FRENCH,
    experience: experience::FRENCH,
    knowledge: knowledge::FRENCH,
    libraries: libraries::FRENCH,
    ingest: ingest::FRENCH,
    insights: insights::FRENCH,
    account: account::FRENCH,
    admin: admin::FRENCH,
    failure: failure::FRENCH,
    refusal: refusal::FRENCH,
    ages: ages::FRENCH,
    colon: " :",
};

impl Words {
    /// Returns the words of a language.
    pub(crate) fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
            Language::French => &FRENCH,
        }
    }
}

/// Finds the word at the place that something has among all of its kind.
fn word<T: PartialEq>(all: &[T], one: T, words: &[&'static str]) -> &'static str {
    let at = all.iter().position(|known| *known == one);
    at.and_then(|at| words.get(at)).copied().unwrap_or_default()
}

/// Says how many: with the first words for one, else with the second.
pub(crate) fn counted([one, several]: [&str; 2], number: u64) -> String {
    match number {
        1 => one.to_owned(),
        many => filled(several, &[&many.to_string()]),
    }
}

/// Fills `{}`, from left to right.
pub(crate) fn filled(words: &str, values: &[&str]) -> String {
    let mut values = values.iter();
    let mut pieces = words.split("{}");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push_str(values.next().copied().unwrap_or_default());
        text.push_str(piece);
    }
    text
}
