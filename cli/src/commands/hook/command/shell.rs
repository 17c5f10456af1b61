//! Splits a command line of a shell into its commands, with what connects them. Enough of the grammar is known to say
//! whether the exit code of the line is that of a command; what is not understood counts as unknown.

use super::{family::program as program_name, kinds::INTERPRETERS};

/// The most bytes of a line that are read.
const MAX_BYTES: usize = 64 << 10;
/// The most commands of a line.
const MAX_COMMANDS: usize = 64;
/// Words with which a shell begins a loop, a condition or a function. The exit code of such a line is not followed.
const COMPOUND: [&str; 14] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "function", "select",
];

/// What stands between a command and the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
    /// `;`, the end of a line, or the end of everything
    Next,
    /// `&`
    Background,
}

/// A command of a line: its words without variables and redirections, and what stands after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) words: Vec<String>,
    pub(super) join: Join,
}

/// A line as its commands.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    pub(super) commands: Vec<Command>,
    /// Whether a pipeline fails if any of its commands does.
    has_pipefail: bool,
    /// Whether the line ends with the first command that fails.
    ends_at_failure: bool,
    /// Whether the line holds what is not understood here.
    is_compound: bool,
}

impl Line {
    /// Reads a line. A script of `bash -c` is read in its place.
    pub(super) fn of(text: &str) -> Self {
        let mut line = Self::default();
        line.read(text, 0);
        line
    }

    fn read(&mut self, text: &str, depth: usize) {
        let mut end = text.len().min(MAX_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut reader = Reader::new(text.get(..end).unwrap_or_default());
        reader.run();
        for mut command in reader.commands {
            if self.commands.len() >= MAX_COMMANDS {
                self.is_compound = true;
                break;
            }
            self.drop_variables(&mut command.words);
            match script(&command.words).filter(|_| depth == 0) {
                Some(script) => {
                    let script = script.to_owned();
                    self.read(&script, depth + 1);
                    if let Some(last) = self.commands.last_mut() {
                        last.join = command.join;
                    }
                }
                None if !command.words.is_empty() => self.commands.push(command),
                None => {}
            }
        }
    }

    fn drop_variables(&mut self, words: &mut Vec<String>) {
        let variables = words.iter().take_while(|word| is_variable(word)).count();
        words.drain(..variables);
        let first = words.first().map(String::as_str).unwrap_or_default();
        self.is_compound |= COMPOUND.contains(&first) || first == "!" || first.ends_with("()");
        if first == "set" {
            let options = words.iter().skip(1);
            let is_short = |word: &&String| word.starts_with('-') && !word.starts_with("--");
            self.ends_at_failure |= options
                .clone()
                .filter(is_short)
                .any(|word| word.contains('e'));
            self.has_pipefail |= options.into_iter().any(|word| word == "pipefail");
        }
    }

    /// Returns for each command whether it succeeded if the exit code of the line is 0.
    pub(super) fn known(&self) -> Vec<bool> {
        let mut known = vec![false; self.commands.len()];
        if self.is_compound {
            return known;
        }
        let mut start = 0;
        for (at, command) in self.commands.iter().enumerate() {
            let is_last = at + 1 == self.commands.len();
            if !is_last && !matches!(command.join, Join::Next | Join::Background) {
                continue;
            }
            let list = self.commands.get(start..=at).unwrap_or_default();
            let counts = (is_last || self.ends_at_failure)
                && command.join != Join::Background
                && !list.iter().any(|command| command.join == Join::Or);
            for (offset, command) in list.iter().enumerate() {
                if let Some(is_known) = known.get_mut(start + offset) {
                    *is_known = counts && (command.join != Join::Pipe || self.has_pipefail);
                }
            }
            start = at + 1;
        }
        known
    }
}

/// Returns the script of `bash -c`.
fn script(words: &[String]) -> Option<&str> {
    let shell = words.first()?.rsplit('/').next()?;
    let is_shell = ["bash", "sh", "zsh", "dash"].contains(&shell);
    let flag = words.get(1).filter(|_| is_shell)?;
    let is_script = flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('c');
    words.get(2).filter(|_| is_script).map(String::as_str)
}

/// Returns whether a word sets a variable: `RUST_LOG=debug`.
pub(super) fn is_variable(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part)
    })
}

/// Reads a text from left to right.
struct Reader<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    word: String,
    /// Whether a word has begun; it may be empty quotes.
    is_word: bool,
    /// Whether the word belongs to a redirection.
    is_target: bool,
    words: Vec<String>,
    /// The ends of the texts that follow the line, as in `<<EOF`.
    awaited: Vec<String>,
    is_awaited: bool,
    commands: Vec<Command>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            chars: text.chars().peekable(),
            word: String::new(),
            is_word: false,
            is_target: false,
            words: Vec::new(),
            awaited: Vec::new(),
            is_awaited: false,
            commands: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => match self.chars.next() {
                    Some('\n') | None => {}
                    Some(next) => self.add(next),
                },
                '\'' | '"' => self.quote(c),
                '$' if self.chars.peek() == Some(&'(') => self.substitution(),
                '#' if !self.is_word => while self.chars.next_if(|c| *c != '\n').is_some() {},
                '\n' => {
                    self.end_command(Join::Next);
                    self.texts();
                }
                c if c.is_whitespace() => self.end_word(),
                '&' if self.chars.peek() == Some(&'>') => self.redirect(),
                '&' if self.chars.next_if_eq(&'&').is_some() => self.end_command(Join::And),
                '&' if self.is_target && !self.is_word => self.add('&'),
                '&' => self.end_command(Join::Background),
                '|' if self.chars.next_if_eq(&'|').is_some() => self.end_command(Join::Or),
                '|' => {
                    self.chars.next_if_eq(&'&');
                    self.end_command(Join::Pipe);
                }
                ';' => self.end_command(Join::Next),
                '(' if self.is_word => self.add('('),
                ')' if self.word.ends_with('(') => self.add(')'),
                '(' | ')' => self.end_word(),
                '>' | '<' => {
                    if self.word.chars().all(|c| c.is_ascii_digit()) {
                        self.word.clear();
                        self.is_word = false;
                    }
                    self.end_word();
                    self.redirect_from(c);
                }
                c => self.add(c),
            }
        }
        self.end_command(Join::Next);
    }

    fn add(&mut self, c: char) {
        self.word.push(c);
        self.is_word = true;
    }

    fn quote(&mut self, quote: char) {
        self.is_word = true;
        while let Some(c) = self.chars.next() {
            match c {
                c if c == quote => return,
                '\\' if quote == '"' => {
                    let next = self.chars.next();
                    if !next.is_some_and(|next| "\"\\$`\n".contains(next)) {
                        self.word.push('\\');
                    }
                    self.word.extend(next);
                }
                c => self.word.push(c),
            }
        }
    }

    /// Reads `$(…)` as a part of the word.
    fn substitution(&mut self) {
        self.add('$');
        let mut depth = 0;
        for c in self.chars.by_ref() {
            self.word.push(c);
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 {
                return;
            }
        }
    }

    fn redirect(&mut self) {
        self.end_word();
        self.chars.next();
        self.chars.next_if_eq(&'>');
        self.is_target = true;
    }

    fn redirect_from(&mut self, sign: char) {
        let is_double = self.chars.next_if_eq(&sign).is_some();
        let is_text = sign == '<' && is_double && self.chars.next_if_eq(&'<').is_none();
        if is_text {
            self.chars.next_if_eq(&'-');
        }
        self.is_awaited = is_text;
        self.is_target = true;
    }

    fn end_word(&mut self) {
        if !self.is_word {
            return;
        }
        let word = std::mem::take(&mut self.word);
        self.is_word = false;
        match (self.is_target, self.is_awaited) {
            (true, true) => self.awaited.push(word),
            (true, false) => {}
            // Braces group commands.
            (false, _) if self.words.is_empty() && word == "{" => {}
            (false, _) if word == "}" => {}
            (false, _) => self.words.push(word),
        }
        (self.is_target, self.is_awaited) = (false, false);
    }

    fn end_command(&mut self, join: Join) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        match (words.is_empty(), self.commands.last_mut()) {
            (false, _) => self.commands.push(Command { words, join }),
            // `a &&` at the end of a line goes on in the next one, and `(a) | b` has no command after its parenthesis.
            (true, Some(last)) if last.join == Join::Next => last.join = join,
            (true, _) => {}
        }
    }

    /// Reads the texts after a line with `<<EOF`; each one is a word of its command.
    fn texts(&mut self) {
        for end in std::mem::take(&mut self.awaited) {
            let mut text = String::new();
            loop {
                let mut line = String::new();
                while let Some(c) = self.chars.next_if(|c| *c != '\n') {
                    line.push(c);
                }
                let is_over = self.chars.next().is_none();
                if line.trim() == end {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
                if is_over {
                    break;
                }
            }
            let Some(command) = self.commands.last_mut() else {
                continue;
            };
            let program = command
                .words
                .first()
                .map(String::as_str)
                .unwrap_or_default();
            // What an interpreter reads is its code; what others read is copied.
            if INTERPRETERS.contains(&program_name(program)) {
                command.words.retain(|word| word != "-");
                command.words.extend(["-".to_owned(), text]);
            }
        }
    }
}
