//! Judges whether a line complains: in the words of [`phrases`](super::phrases), wherever it comes from. That is less certain
//! than a report of [`lines`](super::lines), so only lines at the beginning and the end of an output are asked.

use super::phrases::{
    COMPLAINTS, COMPOUNDS, DONE, HARMLESS_BEGINNINGS, HARMLESS_FIRST, LACKS, MARKS, NEGATIONS,
    NONE, NOUNS, PASSED_OVER, PREPOSITIONS, REASSURING, RESOLVED, UNWANTED,
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
    /// The sign between it and the next word, if there is one.
    mark: Option<char>,
    /// Whether a colon or an exclamation mark ends what it heads.
    is_head: bool,
}

impl Word {
    fn is_noun(&self) -> bool {
        NOUNS.contains(&self.text.as_str())
    }

    /// Returns whether a value follows it: `failures: 2`, `errors=0`.
    fn has_value(&self) -> bool {
        matches!(self.mark, Some(':' | '='))
    }

    /// Returns whether it ends a part of a sentence.
    fn ends_clause(&self) -> bool {
        matches!(self.mark, Some(',' | ';' | '.' | ':' | '!'))
    }
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
        let word = begin.split(|c: char| !c.is_alphanumeric()).next();
        HARMLESS_FIRST.contains(&word.unwrap_or_default())
            || HARMLESS_BEGINNINGS
                .iter()
                .any(|known| begin.starts_with(known))
            || begin.starts_with("test ") && begin.contains(" ... ")
            || lower.contains("warning: ")
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
        let whole = text_of(&self.words);
        let is_said = |phrase: &&str| {
            let phrase = format!(" {phrase} ");
            match phrase.starts_with(" no") {
                true => whole.contains(&phrase),
                false => text.contains(&phrase),
            }
        };
        REASSURING.iter().any(is_said) || self.has_done() || self.line.contains(['✓', '✔'])
    }

    /// Returns whether it says that something was made: `created a.txt`, `3 files saved`. In the middle of a clause, or after a
    /// complaint, the word only says what something is: `cannot open the file created by make`.
    fn has_done(&self) -> bool {
        let is_done = |(at, word): (usize, &Word)| {
            let before = self.words.get(..at).unwrap_or_default();
            let is_denied = before
                .last()
                .is_some_and(|word| NEGATIONS.contains(&&*word.text));
            let is_edge = before.last().is_none_or(Word::ends_clause)
                || word.ends_clause()
                || at + 1 == self.words.len();
            DONE.contains(&word.text.as_str()) && is_edge && !is_denied && !has_complaint(before)
        };
        self.words.iter().enumerate().any(is_done)
    }

    /// Returns whether it holds a phrase of a complaint.
    pub(super) fn has_phrase(&self) -> bool {
        let first = self.words.first().map(|word| word.text.as_str());
        let last = self.words.last().map(|word| word.text.as_str());
        [first, last].contains(&Some("missing")) || has_complaint(&self.words)
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

    /// Returns whether nobody misses what a line that begins with `No` says is not there: `No type errors found`.
    fn is_unwanted(&self) -> bool {
        if self.has_none {
            return true;
        }
        let words = self.words.iter().skip(1).map(|word| word.text.as_str());
        // Before it is said where, or what came of it.
        let ends = |word: &&str| {
            LACKS.contains(word) || PREPOSITIONS.contains(word) || word.ends_with("ed")
        };
        let missing: Vec<&str> = words.take_while(|word| !ends(word)).collect();
        missing.last().is_some_and(|last| UNWANTED.contains(last)) || missing.contains(&"broken")
    }

    /// Returns whether it names an error, or counts errors.
    pub(super) fn names_error(&self) -> bool {
        if self.is_harmless() {
            return false;
        }
        let is_head = |word: &Word| word.is_head && self.is_error(word);
        if !self.has_none && self.words.first().is_some_and(is_head)
            || self.counts_errors()
            || self.ends_in_failure()
        {
            return true;
        }
        if self.is_reassuring() || self.has_none {
            return false;
        }
        let last = self.words.len().saturating_sub(1);
        self.words.iter().enumerate().any(|(at, word)| {
            let is_place =
                at == 0 && last > 0 || word.is_head && at < WORDS_BEFORE || at == last && at > 0;
            is_place && self.is_error(word)
        })
    }

    /// Returns whether a word is one for an error, or the type of one.
    fn is_error(&self, word: &Word) -> bool {
        let is_type = |end: &&str| word.text.ends_with(*end) && word.text.len() > end.len();
        word.is_noun() || ["error", "exception"].iter().any(is_type)
    }

    /// Returns whether it counts errors: `2 failed`, `Failures: 1`.
    fn counts_errors(&self) -> bool {
        if self.is_resolved() {
            return false;
        }
        let mut pairs = self.words.iter().zip(self.words.iter().skip(1));
        pairs.any(|(first, second)| {
            let noun = match () {
                () if first.mark.is_none() && is_positive(&first.text) => second,
                () if first.has_value() && is_positive(&second.text) => first,
                () => return false,
            };
            // Of `1 problem (0 errors)` the problem is none.
            let begins = |begin: &&str| noun.text.starts_with(*begin);
            self.is_error(noun) && (!self.has_none || ["err", "fail"].iter().any(begins))
        })
    }

    /// Returns whether errors came to nothing: `3 errors fixed`, `1 error ignored`, but not `1 error, 2 ignored`.
    fn is_resolved(&self) -> bool {
        self.words.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).and_then(|at| self.words.get(at));
            let is_count = word.has_value()
                || before.is_some_and(|it| it.text.chars().all(|c| c.is_ascii_digit()));
            let text = word.text.as_str();
            RESOLVED.contains(&text) || PASSED_OVER.contains(&text) && !is_count
        })
    }

    /// Returns whether its last clause says that something failed, whatever went well before: `lint passed, build failed`.
    fn ends_in_failure(&self) -> bool {
        let Some((last, words)) = self.words.split_last() else {
            return false;
        };
        let begin = words.iter().rposition(Word::ends_clause).map(|at| at + 1);
        let clause = begin
            .and_then(|begin| words.get(begin..))
            .unwrap_or_default();
        let is_denied = |word: &Word| NEGATIONS.contains(&&*word.text) || word.text == "nothing";
        last.text == "failed" && !clause.is_empty() && !clause.iter().any(is_denied)
    }

    /// Returns whether it begins with a mark of a failure.
    pub(super) fn is_marked(&self) -> bool {
        let is_stop = self
            .line
            .split_once(": *** ")
            .is_some_and(|(head, _)| !head.contains(' '));
        let is_mark = MARKS.iter().any(|mark| self.line.starts_with(mark));
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
}

/// Returns whether words hold a phrase of a complaint.
fn has_complaint(words: &[Word]) -> bool {
    let text = text_of(words);
    let mut phrases = COMPLAINTS.iter();
    phrases.any(|phrase| text.contains(&format!(" {phrase} ")))
}

/// Returns the words, with one blank before and after each.
fn text_of(words: &[Word]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    format!(" {} ", words.join(" "))
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
        // A search shows the line as it is, with its indentation.
        && text.starts_with(' ')
        && !text.get(1..).unwrap_or_default().starts_with(char::is_whitespace)
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
        match opens.then(|| rest.find(closing)).flatten() {
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
        let mark = (!is_part(c) && !c.is_whitespace()).then_some(c);
        let is_head = c == '!' || c == ':' && chars.peek().is_none_or(|next| next.is_whitespace());
        let word = text.trim_end_matches(['.', '\'']).trim_start_matches('\'');
        if !word.is_empty() && word != "-" {
            let full_stop = text.ends_with('.').then_some('.');
            words.push(Word {
                text: word.replace('’', "'"),
                mark: full_stop.or(mark),
                is_head,
            });
        } else if let Some(last) = words.last_mut() {
            last.mark = last.mark.or(mark);
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
        let is_joined = this.is_some_and(|word| word.mark.is_none());
        let is_zero = is_one_of(this, &["0"]) && next.is_some() && is_joined;
        let is_none = is_one_of(this, &NONE) && is_joined;
        let has_value = this.is_some_and(Word::has_value) && is_noun(this);
        let count = match () {
            () if has_value && is_one_of(next, &VALUES) => 2,
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
