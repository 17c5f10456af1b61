//! Judges whether a line complains: in the words of [`phrases`](super::phrases), wherever it comes from. That is less certain
//! than a report of [`lines`](super::lines), so only lines at the beginning and the end of an output are asked.

use super::phrases::{
    COMPLAINTS, COMPOUNDS, HARMLESS_BEGINNINGS, LACKS, MARKS, NONE, NOUNS, REASSURING, UNWANTED,
};

/// The most bytes of a line that are read.
const MAX_BYTES: usize = 600;
/// The fewest letters outside quotation marks with which a line can complain; of a line with fewer, what is quoted counts, too.
const MIN_LETTERS: usize = 10;
/// How many words may stand before `error:`.
const WORDS_BEFORE: usize = 5;
/// The most words of a line that begins with `No` and complains.
const WORDS_OF_NO: usize = 14;

/// A line as its words.
#[derive(Debug)]
pub(super) struct Judged<'a> {
    line: &'a str,
    words: Vec<Word>,
    /// Whether it says that there are no errors.
    has_none: bool,
}

/// A word of a line, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    /// Whether a colon or an exclamation mark follows it.
    is_head: bool,
}

impl<'a> Judged<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        let end = (0..=MAX_BYTES.min(line.len()))
            .rev()
            .find(|end| line.is_char_boundary(*end));
        let line = line.get(..end.unwrap_or_default()).unwrap_or_default();
        let mut words = split(&without_quoted(&line.to_lowercase()));
        Self {
            has_none: remove_none(&mut words),
            line,
            words,
        }
    }

    /// Returns whether it cannot complain: it begins as a warning or as good news, or it is a line of a source, of a list of
    /// options, or of a commit.
    fn is_harmless(&self) -> bool {
        self.begins_harmlessly()
            || is_option(self.line)
            || is_commit(self.line)
            || super::lines::is_source(self.line)
    }

    /// Returns whether it begins as a warning or as good news.
    pub(super) fn begins_harmlessly(&self) -> bool {
        let lower = self.line.to_lowercase();
        let begin = lower.trim_start_matches([' ', '●', '>', '*', '•', '-', '=', '[']);
        let is_known = |known: &&str| begin.starts_with(*known);
        HARMLESS_BEGINNINGS.iter().any(is_known) || lower.contains("warning: ")
    }

    /// Returns whether it says that all is well.
    pub(super) fn is_reassuring(&self) -> bool {
        let mut words = Vec::new();
        let mut is_denied = false;
        for word in &self.words {
            let text = word.text.as_str();
            match text {
                "not" | "never" | "no" => is_denied = true,
                "be" | "been" | "yet" if is_denied => {}
                _ if is_denied => is_denied = false,
                _ => words.push(text),
            }
        }
        let text = format!(" {} ", words.join(" "));
        let whole = self.text();
        let is_said = |phrase: &&str| {
            let phrase = format!(" {phrase} ");
            match phrase.starts_with(" no") {
                true => whole.contains(&phrase),
                false => text.contains(&phrase),
            }
        };
        REASSURING.iter().any(is_said) || self.line.contains(['✓', '✔'])
    }

    /// Returns whether it holds a phrase of a complaint.
    pub(super) fn has_phrase(&self) -> bool {
        let text = self.text();
        let first = self.words.first().map(|word| word.text.as_str());
        let last = self.words.last().map(|word| word.text.as_str());
        [first, last].contains(&Some("missing"))
            || COMPLAINTS
                .iter()
                .any(|phrase| text.contains(&format!(" {phrase} ")))
    }

    /// Returns whether it complains in a phrase.
    pub(super) fn complains(&self) -> bool {
        if self.is_harmless() {
            return false;
        }
        let lower = self.line.trim_start_matches('[').to_lowercase();
        let is_no = lower.starts_with("no ") && !lower.starts_with("no such ");
        match is_no && self.is_unwanted() {
            true => false,
            false if is_no && self.lacks() => true,
            false => self.has_phrase() && !self.is_reassuring(),
        }
    }

    /// Returns whether it says that it lacks something: `No tracking information found`.
    fn lacks(&self) -> bool {
        let mut words = self.words.iter().map(|word| word.text.as_str());
        words.len() < WORDS_OF_NO
            && words.any(|word| LACKS.contains(&word))
            && !self.is_reassuring()
    }

    fn is_unwanted(&self) -> bool {
        let lower = self.line.to_lowercase();
        UNWANTED.iter().any(|word| lower.contains(word))
    }

    /// Returns whether it names an error, or counts errors.
    pub(super) fn names_error(&self) -> bool {
        let is_noun = |word: &Word| {
            let is_type = |end: &&str| word.text.ends_with(*end) && word.text.len() > end.len();
            NOUNS.contains(&word.text.as_str()) || ["error", "exception"].iter().any(is_type)
        };
        let first = self.words.first();
        if self.is_harmless() {
            return false;
        }
        if !self.has_none && first.is_some_and(|word| word.is_head && is_noun(word)) {
            return true;
        }
        if self.is_reassuring() {
            return false;
        }
        let last = self.words.len().saturating_sub(1);
        let mut before = None;
        for (at, word) in self.words.iter().enumerate() {
            // Of `1 problem (0 errors)` the problem is none.
            let is_error = ["err", "fail"]
                .iter()
                .any(|begin| word.text.starts_with(begin));
            let is_counted = before.is_some_and(is_positive) && (is_error || !self.has_none);
            let is_place =
                at == 0 && last > 0 || word.is_head && at < WORDS_BEFORE || at == last && at > 0;
            if is_noun(word) && (is_counted || is_place && !self.has_none) {
                return true;
            }
            before = Some(word.text.as_str());
        }
        false
    }

    /// Returns whether it begins with a mark of a failure.
    pub(super) fn is_marked(&self) -> bool {
        let is_stop = self
            .line
            .split_once(": *** ")
            .is_some_and(|(head, _)| !head.contains(' '));
        let is_mark =
            MARKS.iter().any(|mark| self.line.starts_with(mark)) || self.line.contains('💥');
        (is_mark || is_stop) && !self.has_none && !self.is_reassuring()
    }

    /// Returns whether it says how to get help, as programs do if they are called wrongly.
    pub(super) fn offers_help(&self) -> bool {
        let lower = self.line.to_lowercase();
        let has = |words: &str| lower.contains(words);
        let is_try = has("try ") && has("help");
        let is_see = ["see ", "use ", "run "].iter().any(|word| has(word)) && has("-help");
        is_try || is_see && self.line.len() < 140
    }

    /// Returns whether it begins a text on how to call the program.
    pub(super) fn is_usage(&self) -> bool {
        self.line
            .get(..5)
            .is_some_and(|begin| begin.eq_ignore_ascii_case("usage"))
    }

    /// Returns whether it is a head such as `CMake Error: …` or `parse error: …`.
    pub(super) fn is_headed(&self) -> bool {
        let Some((head, rest)) = self.line.split_once(": ") else {
            return false;
        };
        let words: Vec<&str> = head.split(' ').collect();
        let is_word = |word: &&str| !word.is_empty() && word.chars().all(char::is_alphanumeric);
        let is_error = words
            .last()
            .is_some_and(|last| ["error", "Error", "ERROR"].contains(last));
        (2..=3).contains(&words.len())
            && words.iter().all(is_word)
            && is_error
            && !rest.trim().is_empty()
            && !self.has_none
    }

    /// Returns the words, with one blank before and after each.
    fn text(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        format!(" {} ", words.join(" "))
    }
}

/// Returns whether a line ends a program that went on after its errors: it says nothing but `done`.
pub(super) fn is_end(line: &str) -> bool {
    let words = [
        "done",
        "ok",
        "success",
        "finished",
        "complete",
        "completed",
        "passed",
    ];
    let word = line
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    words.contains(&word.as_str())
}

/// Returns whether a line is a finding at a place in a file, as linters have them: `a.py:1: unused import`.
pub(super) fn is_finding(line: &str) -> bool {
    let mut parts = line.splitn(3, ':');
    let [Some(path), Some(row), Some(text)] = [(); 3].map(|()| parts.next()) else {
        return false;
    };
    let has_suffix = path.rsplit_once('.').is_some_and(|(_, suffix)| {
        !suffix.is_empty() && suffix.chars().all(|c| c.is_alphanumeric() || c == '_')
    });
    let is_row = !row.is_empty() && row.chars().all(|c| c.is_ascii_digit());
    let lower = text.to_lowercase();
    has_suffix
        && !path.contains(char::is_whitespace)
        && is_row
        && text.starts_with(' ')
        && !lower.contains("warning")
        && !lower.contains(" note:")
}

/// Returns a line without what is in quotation marks, unless hardly anything is left then.
fn without_quoted(lower: &str) -> String {
    let mut left = String::new();
    let mut chars = lower.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        // An apostrophe is in a word.
        let opens = "'\"`‘“".contains(c) && !before.is_alphanumeric();
        let closing: &[char] = match c {
            '`' => &['`', '\''],
            '‘' => &['’'],
            '“' => &['”'],
            '"' => &['"'],
            _ => &['\''],
        };
        let rest = lower.get(at + c.len_utf8()..).unwrap_or_default();
        match rest.find(closing).filter(|_| opens) {
            Some(end) => {
                left.push_str(" q ");
                let end = at + c.len_utf8() + end;
                while chars.next_if(|(at, _)| *at <= end).is_some() {}
                before = ' ';
            }
            None => {
                left.push(c);
                before = c;
            }
        }
    }
    let letters = left.chars().filter(|c| c.is_ascii_lowercase()).count();
    match letters >= MIN_LETTERS {
        true => left,
        false => lower.to_owned(),
    }
}

/// Splits a line in lower case into its words.
fn split(lower: &str) -> Vec<Word> {
    let lower = lower.replace("[]", " none ");
    let is_part = |c: char| c.is_alphanumeric() || "'’-_/.<>".contains(c);
    let mut words: Vec<Word> = Vec::new();
    let mut chars = lower.chars().peekable();
    let mut text = String::new();
    while let Some(c) = chars.next() {
        if is_part(c) {
            text.push(c);
            if chars.peek().is_some() {
                continue;
            }
        }
        let is_head = c == '!' || c == ':' && chars.peek().is_none_or(|next| next.is_whitespace());
        let word = text.trim_end_matches(['.', '\'']).trim_start_matches('\'');
        if !word.is_empty() && word != "-" {
            words.push(Word {
                text: word.replace('’', "'"),
                is_head,
            });
        }
        text.clear();
    }
    words
}

/// Removes what says that there are no errors: `0 failed`, `no errors`, `errors: none`, and compounds such as `error rate`. Returns
/// whether there was any.
fn remove_none(words: &mut Vec<Word>) -> bool {
    let is_noun = |word: Option<&Word>| {
        word.is_some_and(|word| {
            let text = word.text.as_str();
            NOUNS.contains(&text) || ["fail", "issues", "warnings", "conflicts"].contains(&text)
        })
    };
    const VALUES: [&str; 5] = ["0", "none", "null", "nil", "false"];
    let is_one_of = |word: Option<&Word>, list: &[&str]| {
        word.is_some_and(|word| list.contains(&word.text.as_str()))
    };
    let (mut at, mut has_none) = (0, false);
    while at < words.len() {
        let (this, next, second) = (words.get(at), words.get(at + 1), words.get(at + 2));
        let is_zero = is_one_of(this, &["0"]) && next.is_some();
        let is_none = is_one_of(this, &NONE);
        let count = match () {
            () if is_zero || is_none && is_noun(next) => 2,
            () if is_none && is_noun(second) => 3,
            () if is_noun(this) && is_one_of(next, &VALUES) && !is_noun(second) => 2,
            () if is_noun(this) && is_one_of(second, &VALUES) => 3,
            () if is_noun(this) && is_one_of(next, &COMPOUNDS) => 2,
            () => 0,
        };
        match count {
            0 => at += 1,
            count => {
                let mut removed = words.drain(at..(at + count).min(words.len()));
                has_none |= removed.any(|word| is_noun(Some(&word)));
            }
        }
    }
    has_none
}

fn is_positive(word: &str) -> bool {
    word.parse::<u32>().is_ok_and(|count| count > 0)
}

/// Returns whether a line describes an option: `-x, --extended`.
fn is_option(line: &str) -> bool {
    let word = line.split([' ', ',', '=', '[']).next().unwrap_or_default();
    let name = word.trim_start_matches('-');
    word.starts_with('-')
        && !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "-_?".contains(c))
}

/// Returns whether a line names a commit that was made: `[main 1a2b3c4] Fix what failed`.
fn is_commit(line: &str) -> bool {
    let inside = line
        .strip_prefix('[')
        .and_then(|line| line.split_once("] "));
    let hash = inside.and_then(|(inside, _)| inside.rsplit_once(' '));
    hash.is_some_and(|(_, hash)| hash.len() >= 7 && hash.chars().all(|c| c.is_ascii_hexdigit()))
}
