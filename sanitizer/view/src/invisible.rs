//! Characters that nobody sees: which of them a text needs, and a text without the others.
//!
//! What fonts draw nothing for (Unicode's Default_Ignorable_Code_Point, `tables.rs`) can carry
//! instructions that only a model reads, turn a line around, or hide a secret from every rule. It
//! is removed, except where writing needs it:
//!
//! | stays | where | source |
//! |---|---|---|
//! | U+200D zero-width joiner | between emoji; after a letter of a cursive or Indic script; before one, where none stands before it | UTS #51, UAX #31 |
//! | U+200C zero-width non-joiner | between letters of such scripts | UAX #31 |
//! | U+FE0E, U+FE0F | after an emoji; after a digit, `#` or `*` before U+20E3 (keycaps) | UTS #51 |
//! | U+FE00–FE02, U+E0100–E01EF | after an ideograph | UTS #37 |
//! | U+180B–180D, U+180F | after a letter of Mongolian | Unicode, chapter 13.5 |
//! | U+180E Mongolian vowel separator | between letters of Mongolian | Unicode, chapter 13.5 |
//! | three to six tag letters or digits and U+E007F | after U+1F3F4 (flags of regions) | UTS #51 |
//!
//! One such character stays at a place, so that what stays carries no text of its own. Decisions
//! look at the last character that stays and at the next one, so that a text without these
//! characters is the same when it is looked at again.

mod tables;

use std::{borrow::Cow, ops::Range, str::CharIndices};

pub(crate) use self::tables::is_ignorable;
use self::tables::{is_ideograph, is_joining, is_mongolian, is_pictographic};

/// The rule that findings of the sanitizer name.
pub const RULE: &str = "invisible-characters";
/// What was found, in words for people.
pub const KIND: &str = "invisible characters";

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
const EMOJI_STYLE: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';
const BLACK_FLAG: char = '\u{1f3f4}';
const END_OF_TAGS: char = '\u{e007f}';
/// How many tag characters name a region.
const REGION: std::ops::RangeInclusive<usize> = 3..=6;

/// Returns the text without the invisible characters that it does not need.
///
/// ```
/// use recall_kit_view::invisible::without_invisible;
///
/// assert_eq!(without_invisible("in\u{200b}visible \u{202e}turned"), "invisible turned");
/// let family = "👩\u{200d}👧";
/// assert_eq!(without_invisible(family), family);
/// ```
pub fn without_invisible(text: &str) -> Cow<'_, str> {
    if !has_ignorable(text) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    kept.extend(Walk::of(text).filter(|step| step.stays).map(|step| step.c));
    match kept.len() == text.len() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(kept),
    }
}

/// Removes the invisible characters that a text does not need; returns how many there were.
pub fn remove_invisible(text: &mut String) -> usize {
    let Cow::Owned(kept) = without_invisible(text) else {
        return 0;
    };
    let count = text.chars().count() - kept.chars().count();
    *text = kept;
    count
}

/// Returns where the invisible characters stand that a text does not need; neighbours together.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    if !has_ignorable(text) {
        return spans;
    }
    for Step { at, c, .. } in Walk::of(text).filter(|step| !step.stays) {
        match spans.last_mut() {
            Some(last) if last.end == at => last.end += c.len_utf8(),
            _ => spans.push(at..at + c.len_utf8()),
        }
    }
    spans
}

/// Says at once of most texts that there is nothing to look at.
fn has_ignorable(text: &str) -> bool {
    let mut at = 0;
    while let Some(next) = next_beyond_ascii(text, at) {
        let rest = text.get(next..).unwrap_or_default();
        let mut end = next;
        for c in rest.chars().take_while(|c| !c.is_ascii()) {
            if is_ignorable(c) {
                return true;
            }
            end += c.len_utf8();
        }
        at = end;
    }
    false
}

/// Finds the next character beyond ASCII, of which most texts have few.
pub(crate) fn next_beyond_ascii(text: &str, from: usize) -> Option<usize> {
    const STRIDE: usize = 64;
    let mut at = from;
    for chunk in text.as_bytes().get(from..)?.chunks(STRIDE) {
        if !chunk.is_ascii() {
            return Some(at + chunk.iter().position(|byte| !byte.is_ascii())?);
        }
        at += chunk.len();
    }
    None
}

/// One character of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// Where it stands, in bytes.
    at: usize,
    /// The character.
    pub(crate) c: char,
    /// Whether it can be seen, or is needed.
    pub(crate) stays: bool,
}

/// Goes through a text once and says of each character whether it stays.
#[derive(Debug, Clone)]
pub(crate) struct Walk<'t> {
    chars: CharIndices<'t>,
    /// The last character that stays.
    last: Option<char>,
    /// Whether what stays ends with an emoji that another one can be joined to.
    is_emoji: bool,
    /// How many characters of a flag's region are to come.
    tags: usize,
}

impl<'t> Walk<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self {
            chars: text.char_indices(),
            last: None,
            is_emoji: false,
            tags: 0,
        }
    }

    /// Says whether the text needs an invisible character.
    fn is_needed(&mut self, c: char) -> bool {
        if self.tags > 0 {
            self.tags -= 1;
            return true;
        }
        let after = |is: fn(char) -> bool| self.last.is_some_and(is);
        let next = self.chars.clone().next().map(|(_, c)| c);
        let before = |is: fn(char) -> bool| next.is_some_and(is);
        let after_mongolian = || after(is_mongolian) || after(is_mongolian_selector);
        let after_joining = || after(is_joining) || after(is_mongolian_selector);
        match c {
            JOINER if self.is_emoji && before(is_pictographic) => true,
            JOINER => after_joining() || before(is_joining) && !after(is_joiner),
            NON_JOINER => after_joining() && before(is_joining),
            '\u{fe0e}' | EMOJI_STYLE => {
                after(is_pictographic) || after(is_keycap) && next == Some(KEYCAP)
            }
            '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' => after(is_ideograph),
            '\u{180e}' => after_mongolian() && before(is_mongolian),
            c if is_mongolian_selector(c) => after(is_mongolian),
            _ => false,
        }
    }

    /// Takes note of a character that stays.
    fn pass(&mut self, c: char) {
        let is_part = matches!(c, EMOJI_STYLE | '\u{1f3fb}'..='\u{1f3ff}');
        self.is_emoji = is_pictographic(c) || self.is_emoji && is_part;
        self.last = Some(c);
        if c == BLACK_FLAG {
            self.tags = region(self.chars.clone().map(|(_, c)| c));
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let (at, c) = self.chars.next()?;
        let stays = !is_ignorable(c) || self.is_needed(c);
        if stays {
            self.pass(c);
        }
        Some(Step { at, c, stays })
    }
}

/// Counts the characters that name a region, with the one that ends them; 0 where none is named.
fn region(rest: impl Iterator<Item = char>) -> usize {
    let is_tag = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let mut rest = rest.take(REGION.end() + 1).peekable();
    let mut length = 0;
    while rest.next_if(is_tag).is_some() {
        length += 1;
    }
    match REGION.contains(&length) && rest.next() == Some(END_OF_TAGS) {
        true => length + 1,
        false => 0,
    }
}

fn is_joiner(c: char) -> bool {
    matches!(c, JOINER | NON_JOINER)
}

fn is_keycap(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*')
}

const fn is_mongolian_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}')
}
