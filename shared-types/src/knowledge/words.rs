//! The fixed words that fields of the knowledge family accept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A word that a field does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord;

/// Declares an enum of words, spelled the same on the wire and in the database.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every word, in the order in which they are listed.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word).ok_or(UnknownWord)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// What an entry is.
    EntryType {
        /// A defect and its repair.
        Bug = "bug",
        /// A way of doing things that works.
        Pattern = "pattern",
        /// What was decided, and why.
        Decision = "decision",
        /// What looks right and is not.
        Pitfall = "pitfall",
        /// How something is set up.
        Config = "config",
        /// Something to look up.
        Reference = "reference",
    }
}

words! {
    /// What a search finds.
    RecordType {
        /// A defect and its repair.
        Bug = "bug",
        /// A way of doing things that works.
        Pattern = "pattern",
        /// What was decided, and why.
        Decision = "decision",
        /// What looks right and is not.
        Pitfall = "pitfall",
        /// How something is set up.
        Config = "config",
        /// Something to look up.
        Reference = "reference",
        /// No entry of the knowledge base but a solved problem.
        Experience = "experience",
    }
}

impl From<EntryType> for RecordType {
    fn from(kind: EntryType) -> Self {
        match kind {
            EntryType::Bug => Self::Bug,
            EntryType::Pattern => Self::Pattern,
            EntryType::Decision => Self::Decision,
            EntryType::Pitfall => Self::Pitfall,
            EntryType::Config => Self::Config,
            EntryType::Reference => Self::Reference,
        }
    }
}

words! {
    /// What kind of memory an entry is.
    MemoryType {
        /// Something that happened.
        Episodic = "episodic",
        /// Something that holds in general.
        Semantic = "semantic",
    }
}

words! {
    /// Whether an entry still holds.
    EntryStatus {
        /// It does.
        Active = "active",
        /// Another entry supersedes it.
        Obsolete = "obsolete",
    }
}

words! {
    /// How one entry relates to another.
    RelationType {
        /// They are about the same thing; has no direction.
        Related = "related",
        /// The source replaces the target.
        Supersedes = "supersedes",
        /// The source was made from the target.
        DerivedFrom = "derived_from",
        /// They cannot both be right; has no direction.
        Contradicts = "contradicts",
    }
}

impl RelationType {
    /// Whether a link says the same in both directions.
    pub const fn is_symmetric(self) -> bool {
        matches!(self, Self::Related | Self::Contradicts)
    }
}

words! {
    /// What a suggestion proposes.
    SuggestionType {
        /// A link between two entries.
        Link = "link",
        /// One semantic entry out of several episodic ones.
        Generalize = "generalize",
    }
}

words! {
    /// A section of the guide.
    HelpTopic {
        /// How to search.
        Search = "search",
        /// How and when to add.
        Capture = "capture",
        /// Links and suggestions.
        Links = "links",
        /// How to cite.
        Citations = "citations",
        /// Everything.
        All = "all",
    }
}
