//! Reads the output of builds that failed: Maven, Gradle, javac, npm, pip, pytest, cargo, Go, TypeScript, MSBuild, make.
//!
//! Two projects that break for the same reason print different logs: paths, positions, timings, their own names and
//! the tool's boilerplate differ or drown what they share. This crate keeps what they share. It knows the shapes of
//! lines, not single programs' messages, and it judges nothing: a text that is not build output is left alone.

mod line;
mod message;
mod names;
mod tools;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use self::{
    message::{Cleaned, clean},
    names::Own,
    tools::{Reader, Reading},
};

/// The part of a text that is read, half of it from its beginning and half from its end. *Unit*: bytes.
const MAX_BYTES: usize = 64 << 10;
/// The most messages that are kept.
const MAX_MESSAGES: usize = 40;
/// The most symbols, dependencies and codes that are kept of each.
const MAX_NAMES: usize = 60;
/// The most installed packages in whose files errors occurred that are kept.
const MAX_PLACES: usize = 4;
/// The length of an essence: less than an embedder reads at once. *Unit*: bytes.
const MAX_ESSENCE: usize = 1_400;
/// How certain a text must be build output: one line with a position, or two that only look like it.
const LEAST_EVIDENCE: u32 = 2;

/// The tool that printed an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// Maven, and the compilers and tests that it runs.
    Maven,
    /// Gradle.
    Gradle,
    /// javac and kotlinc by themselves, and stack traces of the JVM.
    Java,
    /// npm, yarn, pnpm, and bundlers.
    Node,
    /// The TypeScript compiler.
    TypeScript,
    /// pip and uv.
    Pip,
    /// Python's tracebacks and pytest.
    Python,
    /// cargo and rustc.
    Cargo,
    /// The go command.
    Go,
    /// MSBuild, dotnet and the C# compiler.
    Dotnet,
    /// make, CMake, and compilers and linkers of C and C++.
    Native,
}

impl Tool {
    /// Returns the name that people search for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Maven => "Maven",
            Self::Gradle => "Gradle",
            Self::Java => "Java",
            Self::Node => "npm",
            Self::TypeScript => "TypeScript",
            Self::Pip => "pip",
            Self::Python => "Python",
            Self::Cargo => "cargo",
            Self::Go => "go",
            Self::Dotnet => "dotnet",
            Self::Native => "make",
        }
    }
}

/// The part of a build that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Dependencies were looked for, or checked.
    Resolve,
    /// Code was compiled or linked.
    Compile,
    /// Tests ran.
    Test,
    /// Something was packed or published.
    Package,
    /// The program ran.
    Run,
}

impl Phase {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::Compile => "compile",
            Self::Test => "test",
            Self::Package => "package",
            Self::Run => "run",
        }
    }
}

/// What a failed build says about its cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildFailure {
    /// The tool.
    pub tool: Tool,
    /// The phase, if the output shows it.
    pub phase: Option<Phase>,
    /// Names of classes, packages, modules and members in the messages that are not the project's own.
    pub symbols: Vec<String>,
    /// Dependencies as the tool writes them: `group:artifact:version`, `name@version`, `name==version`.
    pub dependencies: Vec<String>,
    /// Codes of errors: `TS2345`, `E0433`, `CS0246`, `ERESOLVE`.
    pub codes: Vec<String>,
    /// The messages, each once, without paths, positions and the project's own names. The names in further messages
    /// of the same form follow the first one.
    pub messages: Vec<String>,
}

impl BuildFailure {
    /// Reads an output; `None` if the text is not the output of a failed build, or none of it says more than that. Takes time linear in the text, and
    /// reads at most 64 KiB of it.
    pub fn of(text: &str) -> Option<Self> {
        // Positions, tasks and messages have colons; most questions have none.
        if !text.contains(':') {
            return None;
        }
        let lines = line::lines(text, MAX_BYTES);
        let own = Own::of(&lines);
        let mut reader = Reader::default();
        let mut messages = Messages::default();
        for line in &lines {
            if let Some(package) = message::place(line) {
                messages.add_place(package);
            }
            match reader.read(line) {
                Reading::Message(message) => messages.add(message, &own),
                Reading::Prose(prose) => messages.add_prose(prose, &own),
                Reading::Detail(detail) => messages.add_detail(detail, &own),
                Reading::Code(code) => push_new(&mut messages.codes, &code),
                Reading::Nothing => {}
            }
        }
        messages.end_message(&own);
        if reader.evidence() < LEAST_EVIDENCE {
            return None;
        }
        messages.add_places();
        messages.all.extend(reader.outcome().map(str::to_owned));
        let says_something = !messages.all.is_empty();
        says_something.then_some(messages.into_failure(reader.tool()?, reader.phase()))
    }

    /// Returns the failure as a short text: the messages with their names, then the tool and the phase.
    pub fn essence(&self) -> String {
        let mut essence = String::new();
        for message in &self.messages {
            let rest = MAX_ESSENCE.saturating_sub(essence.len());
            let message = line::truncated(message, rest);
            if message.is_empty() {
                break;
            }
            essence.push_str(message);
            essence.push('\n');
        }
        let phase = self.phase.map_or("build", Phase::name);
        essence.push_str(self.tool.name());
        essence.push(' ');
        essence.push_str(phase);
        essence
    }
}

/// Returns what matters in the output of a failed build, to be searched by and embedded instead of it; `None` where
/// [`BuildFailure::of`] finds nothing.
pub fn essence(text: &str) -> Option<String> {
    Some(BuildFailure::of(text)?.essence())
}

/// Messages, each form once.
#[derive(Default)]
struct Messages {
    /// The forms with their places in `all`.
    forms: HashMap<String, usize>,
    all: Vec<String>,
    symbols: Vec<String>,
    dependencies: Vec<String>,
    codes: Vec<String>,
    /// Installed packages in whose files errors occurred.
    places: Vec<String>,
    /// The message whose details may still follow.
    open: String,
}

impl Messages {
    fn add(&mut self, message: &str, own: &Own) {
        self.end_message(own);
        self.open.push_str(message);
    }

    fn add_detail(&mut self, detail: &str, own: &Own) {
        if self.open.len() + detail.len() > line::MAX_LINE {
            self.end_message(own);
        }
        if !self.open.is_empty() {
            self.open.push(' ');
        }
        self.open.push_str(detail);
    }

    fn add_prose(&mut self, prose: &str, own: &Own) {
        self.end_message(own);
        self.keep(clean(prose, own));
    }

    fn add_place(&mut self, package: String) {
        if self.places.len() < MAX_PLACES && !self.places.contains(&package) {
            self.places.push(package);
        }
    }

    /// Adds the places that no message names.
    fn add_places(&mut self) {
        for package in std::mem::take(&mut self.places) {
            if !self.all.iter().any(|message| message.contains(&package)) {
                push_new(&mut self.dependencies, &package);
                self.all.push(format!("in {package}"));
            }
        }
    }

    fn end_message(&mut self, own: &Own) {
        let message = std::mem::take(&mut self.open);
        if !message.is_empty() {
            self.keep(clean(&message, own));
        }
    }

    /// Keeps a message; of one whose form is known already only the names.
    fn keep(&mut self, cleaned: Cleaned) {
        let Cleaned {
            text,
            form,
            symbols,
            dependencies,
            codes,
        } = cleaned;
        let known = self.forms.get(&form).copied();
        let has_room = self.all.len() < MAX_MESSAGES;
        match known.and_then(|at| self.all.get_mut(at)) {
            Some(known) => {
                for name in symbols.iter().chain(&dependencies) {
                    if known.len() < MAX_ESSENCE && !known.contains(name.as_str()) {
                        known.push(' ');
                        known.push_str(name);
                    }
                }
            }
            None if !text.is_empty() && has_room => {
                self.forms.insert(form, self.all.len());
                self.all.push(text);
            }
            None => {}
        }
        let found = [
            (&mut self.symbols, symbols),
            (&mut self.dependencies, dependencies),
            (&mut self.codes, codes),
        ];
        for (known, new) in found {
            new.iter().for_each(|name| push_new(known, name));
        }
    }

    fn into_failure(self, tool: Tool, phase: Option<Phase>) -> BuildFailure {
        BuildFailure {
            tool,
            phase,
            symbols: self.symbols,
            dependencies: self.dependencies,
            codes: self.codes,
            messages: self.all,
        }
    }
}

/// Adds a name unless it is known or there are enough.
fn push_new(names: &mut Vec<String>, name: &str) {
    if names.len() < MAX_NAMES && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}
