//! Recognizes the lines of each tool by their shape and says what they are good for.

mod cargo;
mod dotnet;
mod go;
mod gradle;
mod java;
mod maven;
mod native;
mod node;
mod pip;
mod python;
mod typescript;

use crate::{Phase, Tool};

/// The most lines of unknown shape that are kept.
const MAX_PROSE: usize = 12;
/// The fewest words of a line of unknown shape that is kept.
const LEAST_WORDS: usize = 3;
/// Parts of lines of unknown shape inside an output, in lower case, one of which those have that say something.
const SIGNS: [&str; 18] = [
    "error",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "not found",
    "no such",
    "failed",
    "missing",
    "undefined",
    "unable",
    "unresolved",
    "expected",
    "unsupported",
    "incompatible",
    "conflict",
    "require",
    "denied",
];

/// What a line is good for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reading<'a> {
    /// Nothing: boilerplate, positions, progress, code.
    Nothing,
    /// A message begins.
    Message(&'a str),
    /// More of the last message.
    Detail(&'a str),
    /// The code of an error on a line of its own.
    Code(String),
    /// A line that no tool prints: somebody's words.
    Prose(&'a str),
}

/// A line that a tool has printed.
struct Printed<'a> {
    tool: Tool,
    /// How certain that is: 0 other programs print such lines, 1 few do, 2 none does.
    evidence: u32,
    /// The phase in which the tool prints it.
    phase: Option<Phase>,
    reading: Reading<'a>,
}

impl<'a> Printed<'a> {
    fn new(tool: Tool, evidence: u32, reading: Reading<'a>) -> Self {
        Self {
            tool,
            evidence,
            phase: None,
            reading,
        }
    }

    fn noise(tool: Tool, evidence: u32) -> Self {
        Self::new(tool, evidence, Reading::Nothing)
    }

    fn message(tool: Tool, evidence: u32, message: &'a str) -> Self {
        Self::new(tool, evidence, Reading::Message(message))
    }

    fn detail(tool: Tool, detail: &'a str) -> Self {
        Self::new(tool, 0, Reading::Detail(detail))
    }

    fn in_phase(self, phase: Phase) -> Self {
        Self {
            phase: Some(phase),
            ..self
        }
    }
}

/// What the lines so far say about the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Before {
    /// Nothing.
    #[default]
    Anything,
    /// A message with a position; its source line may follow.
    Position(Tool),
    /// A message whose indented lines belong to it.
    Message(Tool),
    /// A frame of a traceback; its source line follows.
    Frame,
    /// A warning; its lines up to the next message say nothing.
    Warning,
}

/// What the lines of an output have in common.
#[derive(Default)]
struct Context {
    before: Before,
    /// Whether tests ended with errors, and whether with failures.
    tests: (bool, bool),
}

/// Reads the lines of an output in their order.
#[derive(Default)]
pub(crate) struct Reader {
    context: Context,
    /// The evidence for each tool.
    tools: Vec<(Tool, u32)>,
    phase: Option<Phase>,
    prose: usize,
}

/// Reads a line of one tool; `None` if it is not one.
type Read = for<'a> fn(&'a str, &mut Context) -> Option<Printed<'a>>;

/// All tools; those with the most specific shapes first.
const TOOLS: [Read; 11] = [
    maven::read,
    gradle::read,
    node::read,
    typescript::read,
    dotnet::read,
    cargo::read,
    go::read,
    pip::read,
    python::read,
    java::read,
    native::read,
];

impl Reader {
    /// Reads a line.
    pub(crate) fn read<'a>(&mut self, line: &'a str) -> Reading<'a> {
        let before = self.context.before;
        let printed = TOOLS.iter().find_map(|read| read(line, &mut self.context));
        if self.context.before == before && matches!(before, Before::Position(_) | Before::Frame) {
            // Only the line after it is source code.
            let is_code = printed.is_none();
            self.context.before = Before::Anything;
            if is_code {
                return source_line(line);
            }
        }
        match printed {
            Some(printed) => {
                self.count(printed.tool, printed.evidence);
                self.phase = self.phase.or(printed.phase);
                printed.reading
            }
            None if is_markers(line) || self.context.before == Before::Warning => Reading::Nothing,
            None => self.prose(line),
        }
    }

    fn count(&mut self, tool: Tool, evidence: u32) {
        match self.tools.iter_mut().find(|(known, _)| *known == tool) {
            Some((_, sum)) => *sum += evidence,
            None => self.tools.push((tool, evidence)),
        }
    }

    /// Keeps a line of unknown shape in front of an output; inside it only if it speaks of an error.
    fn prose<'a>(&mut self, line: &'a str) -> Reading<'a> {
        let line = line.trim();
        let words = line
            .split_whitespace()
            .filter(|word| word.chars().any(char::is_alphabetic));
        let is_code =
            line.ends_with(['{', '}', ';']) || line.starts_with(['|', '<', '}', '#', '@', '$']);
        let is_progress = line.ends_with("...") || line.ends_with('%');
        if is_code || is_progress || self.prose >= MAX_PROSE || words.count() < LEAST_WORDS {
            return Reading::Nothing;
        }
        let is_inside = self.evidence() > 0;
        if is_inside && !line.ends_with('?') {
            let lower = line.to_lowercase();
            if !SIGNS.iter().any(|sign| lower.contains(sign)) {
                return Reading::Nothing;
            }
        }
        self.prose += 1;
        Reading::Prose(line)
    }

    /// Returns how certain it is that the lines are the output of a build.
    pub(crate) fn evidence(&self) -> u32 {
        self.tools
            .iter()
            .map(|(_, evidence)| *evidence)
            .max()
            .unwrap_or(0)
    }

    /// Returns the tool that printed most of it. What builds counts more than what it runs.
    pub(crate) fn tool(&self) -> Option<Tool> {
        let builds = |tool: &Tool| matches!(tool, Tool::Maven | Tool::Gradle | Tool::Pip);
        let found = self.tools.iter().filter(|(_, evidence)| *evidence > 0);
        found
            .max_by_key(|(tool, evidence)| (builds(tool), *evidence))
            .map(|(tool, _)| *tool)
    }

    /// Returns the phase that failed.
    pub(crate) fn phase(&self) -> Option<Phase> {
        self.phase
    }

    /// Returns how the tests ended, if any ran.
    pub(crate) fn outcome(&self) -> Option<&'static str> {
        match self.context.tests {
            (true, _) => Some("tests end with errors"),
            (false, true) => Some("tests fail"),
            (false, false) => None,
        }
    }
}

/// Reads the source line below a message: of an import the name, of other code nothing.
fn source_line(line: &str) -> Reading<'_> {
    let line = line.trim();
    match line
        .strip_prefix("import ")
        .map(|name| name.trim_start_matches("static ").trim_end_matches(';'))
    {
        Some(name) if !name.contains(['"', '\'', ' ']) => Reading::Detail(name),
        _ => Reading::Nothing,
    }
}

/// Whether a line consists of marks that point to code above them.
fn is_markers(line: &str) -> bool {
    line.chars().all(|c| " ^~|-=_+*.>─│╭╰".contains(c))
}

/// Whether a line begins with one of some texts.
fn begins(line: &str, with: &[&str]) -> bool {
    with.iter().any(|start| line.starts_with(start))
}

/// Whether a line is a count: `2 errors`, `1 warning`.
fn is_count(line: &str, of: &[&str]) -> bool {
    let mut words = line.split_whitespace();
    let is_number = words
        .next()
        .is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()));
    is_number && words.next().is_some_and(|word| begins(word, of))
}
