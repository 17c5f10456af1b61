//! The languages.

/// A language of the pages and of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// The language of everything that no other language has.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
    /// French.
    French,
}

impl Language {
    /// Every language, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::English, Self::Chinese, Self::French];

    /// Returns its code. Source: BCP 47.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
            Self::French => "fr",
        }
    }

    /// Returns its name in the language itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "中文",
            Self::French => "Français",
        }
    }

    /// Finds the language of a code or locale, such as `fr-CH` or `fr_CH.UTF-8`; the region and what follows it
    /// are ignored.
    pub fn of(code: &str) -> Option<Self> {
        let language = code.split(['-', '_', '.', '@']).next()?.trim();
        let mut all = Self::ALL.into_iter();
        all.find(|one| one.code().eq_ignore_ascii_case(language))
    }
}
