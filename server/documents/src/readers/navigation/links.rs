//! Markers around the words of links: readers insert them, and the detection of navigation removes them.
//!
//! The markers are noncharacters, which texts for interchange must not contain.

use std::borrow::Cow;

/// Marks the start of a link's words.
pub(crate) const START: char = '\u{fdd0}';
/// Marks their end.
pub(crate) const END: char = '\u{fdd1}';

/// Returns a text without markers.
pub(crate) fn unmarked(text: &str) -> Cow<'_, str> {
    match text.contains([START, END]) {
        true => Cow::Owned(text.replace([START, END], "")),
        false => Cow::Borrowed(text),
    }
}

/// Removes the markers from a text.
pub(crate) fn unmark(text: &mut String) {
    if let Cow::Owned(unmarked) = unmarked(text) {
        *text = unmarked;
    }
}

/// How much of a text is in links, counted in letters and digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    /// All letters, except those of words that only name the direction of a link, such as "next".
    pub(crate) letters: usize,
    /// Those in links and in addresses.
    pub(crate) linked: usize,
    /// The number of links and addresses.
    pub(crate) links: usize,
}

/// Words beside a link that name its direction.
const DIRECTION_WORDS: [&str; 40] = [
    "previous",
    "prev",
    "next",
    "up",
    "home",
    "top",
    "back",
    "contents",
    "index",
    "zurück",
    "weiter",
    "vorherige",
    "nächste",
    "inhalt",
    "précédent",
    "précédente",
    "suivant",
    "suivante",
    "accueil",
    "sommaire",
    "anterior",
    "siguiente",
    "inicio",
    "próximo",
    "próxima",
    "precedente",
    "successivo",
    "назад",
    "далее",
    "вперёд",
    "上一页",
    "下一页",
    "上一章",
    "下一章",
    "首页",
    "目录",
    "前へ",
    "次へ",
    "이전",
    "다음",
];

impl Share {
    /// Measures a text with markers.
    pub(crate) fn of(text: &str) -> Self {
        let mut share = Self::default();
        let mut in_link = false;
        for word in text.split_whitespace() {
            let trimmed = word.trim_start_matches(|it: char| !it.is_alphanumeric());
            let is_address = trimmed.starts_with("http://") || trimmed.starts_with("https://");
            let starts = word.matches(START).count();
            share.links += starts + usize::from(is_address && starts == 0 && !in_link);
            if !in_link && starts == 0 && is_direction_word(word) {
                continue;
            }
            for character in word.chars() {
                match character {
                    START => in_link = true,
                    // The link began in the previous paragraph.
                    END if !in_link && share.links == 0 => {
                        share.links = 1;
                        share.linked = share.letters;
                    }
                    END => in_link = false,
                    _ if character.is_alphanumeric() => {
                        share.letters += 1;
                        share.linked += usize::from(in_link || is_address);
                    }
                    _ => {}
                }
            }
        }
        share
    }

    /// Whether at least four letters in five are in links.
    pub(crate) fn is_links(self) -> bool {
        self.links > 0 && (self.letters - self.linked) * 5 <= self.letters
    }

    /// Whether at least half of it is in links.
    pub(crate) fn is_half_links(self) -> bool {
        self.links > 0 && self.linked * 2 >= self.letters
    }
}

fn is_direction_word(word: &str) -> bool {
    let word = word.trim_matches(|it: char| !it.is_alphanumeric());
    DIRECTION_WORDS.contains(&word.to_lowercase().as_str())
}

/// Adds the counts of two texts.
impl std::ops::AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.letters += other.letters;
        self.linked += other.linked;
        self.links += other.links;
    }
}
