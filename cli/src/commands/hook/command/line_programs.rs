//! The programs that a command line starts, and which lines of its output they wrote.

use super::{
    base, family, is_preparing,
    kinds::{INTERPRETERS, WRAPPERS, Words},
    shell::Line,
    shows,
};

/// The shells, which say in their own name that a program is not there.
const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ksh", "fish"];
/// Options with which a command asks for help or for a version.
const HELP: Words = Words("--help -help -? --version -version");
/// Words that do so if a command has no others.
const HELP_ALONE: Words = Words("help version -V");
/// The fewest letters of a program of which parts are named `program-part`.
const MIN_LETTERS: usize = 3;

/// The programs of a line.
#[derive(Debug, Default)]
pub(in super::super) struct LinePrograms {
    names: Vec<String>,
    /// Whether the line asks for a text on how to use a program.
    pub(in super::super) asks_for_help: bool,
    /// Whether all that it runs are scripts and code of interpreters.
    pub(in super::super) is_script: bool,
    /// Whether one of its commands shows texts.
    pub(in super::super) has_viewer: bool,
}

impl LinePrograms {
    /// Returns the programs that a line starts: also those that only start others, and the scripts of interpreters.
    pub(in super::super) fn of(line: &str) -> Self {
        let mut programs = Self::default();
        let commands = Line::of(line).commands;
        let (mut scripts, mut acting) = (0, 0);
        for command in &commands {
            let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
            let inner = family::without_wrappers(&words);
            let first =
                |words: &[&str]| base(words.first().copied().unwrap_or_default()).to_owned();
            let (outer, program) = (first(&words), first(inner));
            let is_wrapper = WRAPPERS.iter().any(|(name, _)| *name == outer) || outer == "timeout";
            if is_wrapper {
                programs.names.push(outer);
            }
            let rest = inner.get(1..).unwrap_or_default();
            if INTERPRETERS.contains(&family::program(&program)) {
                scripts += 1;
                let module = rest.iter().skip_while(|word| **word != "-m").nth(1);
                let script = module.or_else(|| rest.iter().find(|word| !word.starts_with('-')));
                programs
                    .names
                    .extend(script.map(|script| base(script).to_owned()));
            }
            acting += usize::from(!is_preparing(command));
            // A shell has a command of this name.
            programs.asks_for_help |= program == "help" || asks_for_help(rest);
            programs.names.push(program);
            programs.has_viewer |= shows(command);
        }
        programs.is_script = scripts > 0 && scripts == acting;
        programs
    }

    /// Returns what one of the programs says in a line: what follows its name and a colon.
    pub(in super::super) fn text_of<'a>(&self, line: &'a str) -> Option<&'a str> {
        let (name, text) = name_of(line)?;
        let is_part = |own: &String| {
            let part = name.strip_prefix(own.as_str());
            own.len() >= MIN_LETTERS && part.is_some_and(|part| part.starts_with('-'))
        };
        let is_known = self.names.iter().any(|own| own == name || is_part(own));
        (is_known || SHELLS.contains(&name)).then_some(text)
    }

    /// Returns whether one of the programs themselves says a line, not the shell.
    pub(in super::super) fn is_own(&self, line: &str) -> bool {
        name_of(line).is_some_and(|(name, _)| self.names.iter().any(|own| own == name))
    }
}

/// Returns whether the words after a program ask for help or for a version.
fn asks_for_help(rest: &[&str]) -> bool {
    let mut own = rest.iter().take_while(|word| **word != "--");
    own.any(|word| HELP.contains(word))
        || rest.last() == Some(&"-h")
        || matches!(rest, [word] if HELP_ALONE.contains(word))
}

/// Returns the name before the first colon of a line, and the text after it: of `/usr/bin/make[1]: *** no rule` it is `make`.
fn name_of(line: &str) -> Option<(&str, &str)> {
    let (head, rest) = line.split_once(':')?;
    let is_place = rest.split(':').next().is_some_and(|row| {
        !row.is_empty() && row.chars().all(|c| c.is_ascii_digit()) && rest.len() > row.len()
    });
    let text = rest.trim_start();
    if text.is_empty() || text.len() == rest.len() && !is_place {
        return None;
    }
    let head = match head.split_once('[') {
        Some((head, id)) if id.trim_end_matches(']').chars().all(|c| c.is_ascii_digit()) => head,
        _ => head,
    };
    let name = base(head);
    let is_plain = |c: char| c.is_alphanumeric() || "_.+-".contains(c);
    (!name.is_empty() && name.chars().all(is_plain)).then_some((name, text))
}
