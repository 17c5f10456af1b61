//! The stop words of the language in which a question is written.
//!
//! Only the stop words of one language are removed: of the one that has most of them in the question. The
//! lists do not contain words that mean something in another language (German `die`, French `son`),
//! negations, or keywords of programming languages (`this`, `for`, `where`, `with`).

/// The stop words of one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct StopWords {
    words: &'static [&'static str],
    /// Words that are joined to the next word with an apostrophe before a vowel: `l'erreur`.
    elisions: &'static [&'static str],
}

const ENGLISH: StopWords = StopWords {
    words: &[
        "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but",
        "by", "can", "could", "did", "does", "doing", "get", "gets", "getting", "had", "has",
        "have", "having", "he", "hello", "help", "her", "here", "hi", "his", "how", "i", "i'd",
        "i'm", "i've", "in", "into", "is", "it", "it's", "its", "just", "me", "my", "need", "of",
        "on", "or", "our", "please", "she", "should", "so", "some", "that", "the", "their", "them",
        "there", "these", "they", "those", "to", "tried", "trying", "us", "was", "we", "were",
        "what", "what's", "when", "which", "who", "why", "will", "would", "you", "your", "do",
    ],
    elisions: &[],
};
const FRENCH: StopWords = StopWords {
    words: &[
        "a", "ai", "as", "au", "aux", "avec", "ce", "ces", "cet", "cette", "comment", "dans", "de",
        "des", "du", "elle", "en", "est", "et", "il", "ils", "j'ai", "je", "la", "le", "les",
        "leur", "me", "mes", "mon", "nos", "notre", "nous", "on", "ont", "ou", "où", "par", "pour",
        "pourquoi", "quand", "que", "quel", "quelle", "qui", "quoi", "sa", "se", "ses", "sont",
        "sur", "ta", "te", "tes", "un", "une", "vos", "votre", "vous", "y", "à", "ça", "été",
        "être",
    ],
    elisions: &["qu", "l", "d", "j", "n", "s", "c", "m", "t"],
};
const GERMAN: StopWords = StopWords {
    words: &[
        "als", "am", "an", "auf", "aus", "bei", "beim", "das", "dem", "den", "der", "ein", "eine",
        "einem", "einen", "einer", "er", "es", "für", "habe", "hat", "ich", "im", "in", "ist",
        "kann", "mein", "meine", "meinem", "meinen", "mich", "mir", "mit", "oder", "sich", "sie",
        "sind", "und", "vom", "von", "warum", "was", "wenn", "wie", "wir", "wird", "zu", "zum",
        "zur", "über",
    ],
    elisions: &[],
};
const SPANISH: StopWords = StopWords {
    words: &[
        "a", "al", "como", "con", "cuando", "cómo", "de", "del", "el", "en", "es", "esta", "este",
        "está", "están", "ha", "he", "la", "las", "lo", "los", "me", "mi", "mis", "o", "para",
        "por", "que", "qué", "se", "son", "su", "sus", "te", "un", "una", "y", "yo",
    ],
    elisions: &[],
};

impl StopWords {
    /// Returns the stop words of the language that has most of them among the words; English in case of doubt.
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let words: Vec<&str> = words.collect();
        let hits = |language: &Self| {
            let stripped = |word: &&&str| language.strip(word).len() < word.len();
            words.iter().filter(stripped).count()
        };
        let mut best = ENGLISH;
        for language in [FRENCH, GERMAN, SPANISH] {
            if hits(&language) > hits(&best) {
                best = language;
            }
        }
        best
    }

    /// Returns the word without a leading elision; empty if it is a stop word.
    pub(super) fn strip(self, word: &str) -> &str {
        if self.contains(word) {
            return "";
        }
        let left = self.without_elision(word);
        match self.contains(left) {
            true => "",
            false => left,
        }
    }

    /// Returns whether a word is a stop word. `IT`, `AS` or `iS` may be names, so only lower-case and
    /// capitalized words count.
    fn contains(self, word: &str) -> bool {
        let plain = !word.chars().skip(1).any(char::is_uppercase);
        let word = word.to_lowercase().replace('’', "'");
        plain && self.words.contains(&word.as_str())
    }

    fn without_elision(self, word: &str) -> &str {
        let Some((head, tail)) = word.split_once(['\'', '’']) else {
            return word;
        };
        match self.elisions.contains(&head.to_lowercase().as_str()) {
            true => tail,
            false => word,
        }
    }
}
