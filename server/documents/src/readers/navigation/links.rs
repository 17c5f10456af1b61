//! Marks around the words of links, from a reader to the look for navigation, which takes them away.
//!
//! The marks are noncharacters, which no text may hold for others to read.

use std::borrow::Cow;

/// Stands before a link's words.
pub(crate) const START: char = '\u{fdd0}';
/// Stands behind them.
pub(crate) const END: char = '\u{fdd1}';

/// Returns a text without marks.
pub(crate) fn unmarked(text: &str) -> Cow<'_, str> {
    match text.contains([START, END]) {
        true => Cow::Owned(text.replace([START, END], "")),
        false => Cow::Borrowed(text),
    }
}

/// Takes the marks out of a text.
pub(crate) fn unmark(text: &mut String) {
    if let Cow::Owned(unmarked) = unmarked(text) {
        *text = unmarked;
    }
}

/// How much of a text is links; letters and digits count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    /// All of them, but words that only say where a link leads: "next".
    pub(crate) letters: usize,
    /// Those in links and in addresses.
    pub(crate) linked: usize,
    /// How many links and addresses there are.
    pub(crate) links: usize,
}

/// What stands beside a link to say which way it leads.
const WAYS: [&str; 40] = [
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
    /// Measures a text with marks.
    pub(crate) fn of(text: &str) -> Self {
        let mut share = Self::default();
        let mut in_link = false;
        for word in text.split_whitespace() {
            let bare = word.trim_start_matches(|it: char| !it.is_alphanumeric());
            let is_address = bare.starts_with("http://") || bare.starts_with("https://");
            let starts = word.matches(START).count();
            share.links += starts + usize::from(is_address && starts == 0 && !in_link);
            if !in_link && starts == 0 && is_way(word) {
                continue;
            }
            for character in word.chars() {
                match character {
                    START => in_link = true,
                    // A link that began in the paragraph before.
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

    /// Whether nearly all of it is links: four letters of five.
    pub(crate) fn is_links(self) -> bool {
        self.links > 0 && (self.letters - self.linked) * 5 <= self.letters
    }

    /// Whether at least half of it is links.
    pub(crate) fn is_half_links(self) -> bool {
        self.links > 0 && self.linked * 2 >= self.letters
    }
}

fn is_way(word: &str) -> bool {
    let word = word.trim_matches(|it: char| !it.is_alphanumeric());
    WAYS.contains(&word.to_lowercase().as_str())
}

/// Adds what two texts have.
impl std::ops::AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.letters += other.letters;
        self.linked += other.linked;
        self.links += other.links;
    }
}
