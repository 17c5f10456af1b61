//! The texts of the pages: one table for each part, in all languages. The compiler checks that no language
//! lacks a text.
//!
//! Records are shown in the language in which they were written.

mod account;
mod admin;
mod connect;
mod experience;
mod failure;
mod ingest;
mod insights;
mod knowledge;
mod libraries;
mod outcomes;
mod refusal;
mod search;
mod shell;
#[cfg(test)]
mod tests;

use recall_kit_i18n::{Ages, Language};
pub(crate) use recall_kit_i18n::{counted, filled};

pub(crate) use self::{
    account::AccountWords, admin::AdminWords, connect::ConnectWords, experience::ExperienceWords,
    failure::FailureWords, ingest::IngestWords, insights::InsightWords, knowledge::KnowledgeWords,
    libraries::LibraryWords, outcomes::OutcomeWords, refusal::RefusalWords, search::SearchWords,
    shell::ShellWords,
};

/// The texts of one language; [`filled`] replaces `{}` by values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) language: Language,
    pub(crate) shell: ShellWords,
    pub(crate) search: SearchWords,
    pub(crate) connect: ConnectWords,
    pub(crate) experience: ExperienceWords,
    pub(crate) outcomes: OutcomeWords,
    pub(crate) knowledge: KnowledgeWords,
    pub(crate) libraries: LibraryWords,
    pub(crate) ingest: IngestWords,
    pub(crate) insights: InsightWords,
    pub(crate) account: AccountWords,
    pub(crate) admin: AdminWords,
    pub(crate) failure: FailureWords,
    pub(crate) refusal: RefusalWords,
    pub(crate) ages: Ages,
    /// A colon; in French with the space before it.
    pub(crate) colon: &'static str,
}

static ENGLISH: Words = Words {
    language: Language::English,
    shell: shell::ENGLISH,
    search: search::ENGLISH,
    connect: connect::ENGLISH,
    experience: experience::ENGLISH,
    outcomes: outcomes::ENGLISH,
    knowledge: knowledge::ENGLISH,
    libraries: libraries::ENGLISH,
    ingest: ingest::ENGLISH,
    insights: insights::ENGLISH,
    account: account::ENGLISH,
    admin: admin::ENGLISH,
    failure: failure::ENGLISH,
    refusal: refusal::ENGLISH,
    ages: Ages::of(Language::English),
    colon: ":",
};

static CHINESE: Words = Words {
    language: Language::Chinese,
    shell: shell::CHINESE,
    search: search::CHINESE,
    connect: connect::CHINESE,
    experience: experience::CHINESE,
    outcomes: outcomes::CHINESE,
    knowledge: knowledge::CHINESE,
    libraries: libraries::CHINESE,
    ingest: ingest::CHINESE,
    insights: insights::CHINESE,
    account: account::CHINESE,
    admin: admin::CHINESE,
    failure: failure::CHINESE,
    refusal: refusal::CHINESE,
    ages: Ages::of(Language::Chinese),
    colon: "：",
};

static FRENCH: Words = Words {
    language: Language::French,
    shell: shell::FRENCH,
    search: search::FRENCH,
    connect: connect::FRENCH,
    experience: experience::FRENCH,
    outcomes: outcomes::FRENCH,
    knowledge: knowledge::FRENCH,
    libraries: libraries::FRENCH,
    ingest: ingest::FRENCH,
    insights: insights::FRENCH,
    account: account::FRENCH,
    admin: admin::FRENCH,
    failure: failure::FRENCH,
    refusal: refusal::FRENCH,
    ages: Ages::of(Language::French),
    colon: " :",
};

impl Words {
    /// Returns the texts of a language.
    pub(crate) fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
            Language::French => &FRENCH,
        }
    }
}

/// Returns the text for a value, which has the same index as the value has in `all`.
fn word<T: PartialEq>(all: &[T], one: T, words: &[&'static str]) -> &'static str {
    let index = all.iter().position(|known| *known == one);
    let word = index.and_then(|index| words.get(index));
    word.copied().unwrap_or_default()
}
