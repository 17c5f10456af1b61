//! The family of a command: what it does, and what it does that to. Two commands of one family that succeed and fail
//! say something about each other.

use super::kinds::{
    CODE, DEEPER, INTERPRETER_VALUES, INTERPRETERS, JOBS, KINDS, Kind, MANAGER_COMMANDS, NARROWING,
    OTHER_USE, PARTS, REQUIRED, RUNNERS, SCRIPTS, Scope, TIMEOUT_VALUES, WITH_DEFAULT,
    WITHOUT_EFFECT, WRAPPERS, Words,
};

/// The names under which a program is known, too.
const NAMES: [(&str, &str); 17] = [
    ("python2", "python"),
    ("python3", "python"),
    ("py", "python"),
    ("pip3", "pip"),
    ("nodejs", "node"),
    ("gmake", "make"),
    ("gradlew", "gradle"),
    ("mvnw", "mvn"),
    ("bazelisk", "bazel"),
    ("inv", "invoke"),
    ("pyright-python", "pyright"),
    ("dotnet.exe", "dotnet"),
    ("npm-cli.js", "npm"),
    ("powershell", "pwsh"),
    ("gcc-12", "gcc"),
    ("clang-format-diff", "clang-format"),
    ("pytest-3", "pytest"),
];
/// Long options with their short forms.
const SHORT: [(&str, &str); 15] = [
    ("--package", "-p"),
    ("--project", "-p"),
    ("--workspace", "-w"),
    ("--requirement", "-r"),
    ("--editable", "-e"),
    ("--file", "-f"),
    ("--directory", "-C"),
    ("--namespace", "-n"),
    ("--command", "-c"),
    ("--execute", "-e"),
    ("--features", "-F"),
    ("--inventory", "-i"),
    ("--recursive", "-r"),
    ("--release", "-r"),
    ("--var-file", "-var-file"),
];
/// The most items of what a command is applied to that are told apart.
const MAX_ITEMS: usize = 8;
/// The package managers whose scripts are run by name.
const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// What a command does, and to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Family {
    /// The program with its command.
    pub(in super::super) name: String,
    /// What it is applied to.
    pub(in super::super) items: Vec<String>,
    /// The options with which it does more, or the same with something else.
    pub(in super::super) options: Vec<String>,
    /// Whether it is applied to everything if there are no items.
    pub(in super::super) is_all: bool,
}

impl Family {
    /// Returns the program.
    pub(in super::super) fn program(&self) -> &str {
        self.name.split(' ').next().unwrap_or_default()
    }
}

/// Returns the family of a command.
pub(super) fn of(words: &[String]) -> Family {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = without_wrappers(&words);
    let program = program(words.first().copied().unwrap_or_default());
    let rest = without_jobs(words.get(1..).unwrap_or_default());
    let mut family = match program.as_str() {
        name if INTERPRETERS.contains(name) && (name != "bun" || is_file(&rest)) => {
            of_interpreter(name, &rest)
        }
        name if MANAGERS.contains(&name) => of_manager(name, &rest),
        name => of_program(name, &rest),
    };
    for word in rest.iter().filter(|word| OTHER_USE.contains(word)) {
        family.name.push_str(&format!(" {word}"));
    }
    family
}

/// Returns words without a number of jobs, which changes nothing: `-j 4`.
fn without_jobs<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let mut kept = Vec::with_capacity(words.len());
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let has_number = JOBS.contains(word) && words.next_if(|next| is_number(next)).is_some();
        if !has_number {
            kept.push(*word);
        }
    }
    kept
}

/// Returns the options of a command without which a success says nothing about it. Of a program that is not known, any option may
/// be one: `--env prod`.
fn required(program: &str, rest: &[&str]) -> Vec<String> {
    let known = REQUIRED.iter().find(|(names, ..)| names.contains(program));
    let Some((_, valued, flags)) = known else {
        return match kind_of(program).programs.is_empty() {
            true => any_options(rest),
            false => Vec::new(),
        };
    };
    // Lints that are denied.
    let command = rest.iter().find(|word| !word.starts_with(['+', '-']));
    let has_lints = program == "cargo" && command == Some(&"clippy");
    let mut options = Vec::new();
    let mut words = rest.iter();
    while let Some(&word) = words.next() {
        if word == "--" && has_lints {
            options.push(format!("-- {}", words.as_slice().join(" ")));
            break;
        }
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        };
        let short = SHORT.iter().find(|(long, _)| *long == flag);
        let name = match flag {
            "--all" | "--workspace" => "--workspace",
            _ => short.map_or(flag, |(_, short)| short),
        };
        if valued.contains(flag) {
            let value = value.or_else(|| words.next().copied()).unwrap_or_default();
            let values = value.split([',', ' ']).filter(|value| !value.is_empty());
            options.extend(values.map(|value| format!("{name} {}", path(value))));
        } else if flags.contains(flag) {
            options.push(name.to_owned());
        }
    }
    few(options)
}

/// Returns the options of a script or of a program that is not known, except those without effect on what it does. A word after
/// an option, and after the command, may be its value.
fn any_options(rest: &[&str]) -> Vec<String> {
    let mut options = Vec::new();
    let mut has_command = false;
    let mut words = rest.iter().take_while(|word| **word != "--").peekable();
    while let Some(&word) = words.next() {
        let flag = word.split('=').next().unwrap_or_default();
        if !word.starts_with('-') || word == "-" {
            has_command = true;
        } else if !has_no_effect(flag) {
            let own = word.split_once('=').map(|(_, value)| value);
            let next = words.next_if(|next| has_command && own.is_none() && !next.starts_with('-'));
            let value = own.or(next.copied());
            options.push(match value {
                Some(value) => format!("{flag} {}", path(value)),
                None => flag.to_owned(),
            });
        }
    }
    few(options)
}

/// Returns whether an option only changes what a program prints, how fast it runs, or whether it asks: `--quiet`, `-j4`.
fn has_no_effect(flag: &str) -> bool {
    let short = flag.trim_end_matches(|c: char| c.is_ascii_digit());
    WITHOUT_EFFECT.contains(flag) || short.len() == 2 && WITHOUT_EFFECT.contains(short)
}

/// Returns the words after programs that only start another one.
pub(super) fn without_wrappers<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    let mut words = words;
    while let [first, rest @ ..] = words {
        let name = program(first);
        let wrapper = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name);
        let runner = RUNNERS.iter().find(|(runner, commands, _)| {
            *runner == name && rest.first().is_some_and(|word| commands.contains(word))
        });
        let (own, valued): (usize, Words) = match (name.as_str(), wrapper, runner) {
            ("timeout", ..) => (0, TIMEOUT_VALUES),
            (_, Some((_, valued)), _) => (0, *valued),
            (_, _, Some((_, _, valued))) => (1, *valued),
            _ => break,
        };
        let mut at = own;
        while let Some(word) = rest.get(at) {
            match word {
                word if valued.contains(word) => at += 2,
                word if word.starts_with('-') || super::shell::is_variable(word) => at += 1,
                _ => break,
            }
        }
        // The duration.
        at += usize::from(name == "timeout");
        match rest.get(at..) {
            Some(rest @ [_, ..]) => words = rest,
            _ => break,
        }
    }
    words
}

/// Returns the name of a program without its folder, its suffix and its version.
pub(super) fn program(word: &str) -> String {
    let name = word
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(word)
        .to_lowercase();
    let suffixes = [".exe", ".cmd", ".bat", ".ps1"];
    let name = suffixes
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    let is_python = name.strip_prefix("python").is_some_and(|version| {
        !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    let known = NAMES.iter().find(|(other, _)| *other == name);
    match known {
        _ if is_python => "python".to_owned(),
        Some((_, name)) => (*name).to_owned(),
        None => name.to_owned(),
    }
}

fn is_file(rest: &[&str]) -> bool {
    let first = rest.iter().find(|word| !word.starts_with('-'));
    first.is_some_and(|word| word.contains(['/', '.']))
}

/// `python -m pytest` is `pytest`; code on the line is told apart by its text, and a script by its path.
fn of_interpreter(program: &str, rest: &[&str]) -> Family {
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        let value = rest.get(at + 1);
        match (*word, value) {
            ("-m", Some(module)) if program == "python" => {
                let words: Vec<String> = rest
                    .get(at + 1..)
                    .unwrap_or_default()
                    .iter()
                    .map(|&word| word.to_owned())
                    .collect();
                let is_known = module
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
                return match is_known {
                    true => of(&words),
                    false => exact(format!("{program} -m"), vec![(*module).to_owned()]),
                };
            }
            ("-jar", Some(jar)) => {
                let name = format!("{program} -jar {}", path(jar));
                return exact(name, arguments(rest.get(at + 2..)));
            }
            (flag, Some(code)) if CODE.contains(flag) => {
                let mut items = arguments(rest.get(at + 2..));
                items.push((*code).to_owned());
                return exact(format!("{program} {flag}"), items);
            }
            ("-", Some(_)) => {
                return exact(format!("{program} -"), arguments(rest.get(at + 1..)));
            }
            ("-" | "--test", None) => return exact(format!("{program} {word}"), Vec::new()),
            (flag, _) if INTERPRETER_VALUES.contains(flag) => at += 1,
            (flag, _) if flag.starts_with('-') => {}
            (script, _) => {
                return of_script(program, script, rest.get(at + 1..).unwrap_or_default());
            }
        }
        at += 1;
    }
    exact(program.to_owned(), Vec::new())
}

/// Returns the family of a script, with the words after it. A flag is often left out to see whether that helps; a value tells what
/// it is applied to.
fn of_script(program: &str, script: &str, rest: &[&str]) -> Family {
    let file = script.rsplit('/').next().unwrap_or_default();
    let has_commands = program == "deno" || SCRIPTS.contains(file);
    let mut items = arguments(Some(rest));
    let mut options = any_options(rest);
    options.retain(|option| option.contains(' '));
    let name = match has_commands && !items.is_empty() {
        true => format!("{program} {} {}", path(script), items.remove(0)),
        false => format!("{program} {}", path(script)),
    };
    Family {
        options,
        ..exact(name, items)
    }
}

/// Returns what a script is applied to: words that are no options. They may be values of options, which count, too.
fn arguments(words: Option<&[&str]>) -> Vec<String> {
    let words = words.unwrap_or_default().iter();
    let words = words.filter(|word| !word.starts_with('-'));
    words.map(|word| path(word)).collect()
}

/// `npm test`, `npm run test` and `yarn test` run the script `test` of a package; other commands take packages.
fn of_manager(program: &str, rest: &[&str]) -> Family {
    let kind = kind_of(program);
    let (words, selected, narrowed) = sorted_out(rest, kind);
    let (command, after) = match words.as_slice() {
        ["run" | "run-script" | "rum", script, ..] => (Some(*script), Vec::new()),
        ["workspace", name, more @ ..] => {
            let mut family = of_manager(program, more);
            family.items.push(format!("workspace {name}"));
            return family;
        }
        ["t" | "tst", ..] => (Some("test"), Vec::new()),
        [first, after @ ..]
            if MANAGER_COMMANDS.contains(first) || (program == "bun" && *first == "build") =>
        {
            (None, [&[*first], after].concat())
        }
        [script, ..] => (Some(*script), Vec::new()),
        [] => (None, vec!["install"]),
    };
    let mut items: Vec<String> = selected;
    let name = match command {
        Some(script) => format!("{program} run {script}"),
        None => {
            let command = match after.first().copied().unwrap_or_default() {
                "i" => "install",
                "rm" | "un" | "uninstall" => "remove",
                command => command,
            };
            items.extend(after.iter().skip(1).map(|word| package(word)));
            format!("{program} {command}")
        }
    };
    Family {
        options: required(program, rest),
        ..exact(format!("{name}{narrowed}"), items)
    }
}

fn of_program(program: &str, rest: &[&str]) -> Family {
    let kind = kind_of(program);
    let (words, selected, narrowed) = sorted_out(rest, kind);
    let mut name = program.to_owned();
    let mut depth = kind.depth;
    let mut words = words.into_iter().peekable();
    while depth > 0
        && let Some(word) = words.next_if(|word| !word.starts_with('+'))
    {
        name.push_str(&format!(" {word}"));
        depth -= 1;
        depth += usize::from(DEEPER.contains(&name.as_str()));
    }
    let is_package = kind.scope == Scope::Packages;
    let all = words.map(|word| {
        if is_package {
            package(word)
        } else {
            path(word)
        }
    });
    let everything = ["", "./..."];
    let is_all = kind.scope == Scope::All && !WITH_DEFAULT.contains(&name.as_str());
    let mut items: Vec<String> = match is_all {
        true => all
            .filter(|item| !everything.contains(&item.as_str()))
            .collect(),
        false => all.collect(),
    };
    items.extend(selected);
    if ["git push", "git pull", "git fetch"].contains(&name.as_str()) {
        items.clear();
    }
    name.push_str(&narrowed);
    Family {
        is_all,
        options: required(program, rest),
        ..exact(name, items)
    }
}

/// Returns the words that are no options, what options select, and what they leave out.
fn sorted_out<'a>(rest: &[&'a str], kind: &Kind) -> (Vec<&'a str>, Vec<String>, String) {
    let (mut words, mut selected, mut narrowed) = (Vec::new(), Vec::new(), String::new());
    let is_unknown = kind.programs.is_empty();
    let mut at = 0;
    while let Some(&word) = rest.get(at) {
        at += 1;
        if !word.starts_with('-') {
            let is_setting = super::shell::is_variable(word);
            if !is_setting {
                words.push(word);
            }
            continue;
        }
        // What follows is for another program.
        if word == "--" && !MANAGERS.iter().any(|name| kind.programs.contains(name)) {
            let more = rest.get(at..).unwrap_or_default();
            selected.extend(more.iter().map(|word| format!("-- {word}")));
            break;
        }
        if word == "--" {
            let more = rest.get(at..).unwrap_or_default();
            let targets = more.iter().filter(|word| !word.starts_with('-'));
            selected.extend(targets.map(|word| format!("-- {word}")));
            break;
        }
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        };
        if kind.programs.contains("cargo") && PARTS.contains(flag) {
            selected.push(flag.to_owned());
        }
        if kind.selecting.contains(flag) {
            let next = value.or_else(|| rest.get(at).copied());
            at += usize::from(value.is_none());
            let short = SHORT.iter().find(|(long, _)| *long == flag);
            let flag = short.map_or(flag, |(_, short)| short);
            let item = format!("{flag} {}", path(next.unwrap_or_default()));
            match NARROWING.contains(flag) {
                true => narrowed.push_str(&format!(" {item}")),
                false => selected.push(item),
            }
        } else if value.is_none() && kind.valued.contains(flag) {
            at += 1;
        } else if is_unknown && value.is_none() && !words.is_empty() {
            // It may be the value of the option.
            at += usize::from(rest.get(at).is_some_and(|next| !next.starts_with('-')));
        }
    }
    (words, selected, narrowed)
}

fn kind_of(program: &str) -> &'static Kind {
    let known = KINDS.iter().find(|kind| kind.programs.contains(program));
    known.unwrap_or(KINDS.last().expect("the last kind is for all others"))
}

fn exact(name: String, items: Vec<String>) -> Family {
    Family {
        name,
        items: few(items),
        options: Vec::new(),
        is_all: false,
    }
}

/// Returns words in order; if there are too many to be told apart, as one.
fn few(mut words: Vec<String>) -> Vec<String> {
    words.sort_unstable();
    words.dedup();
    match words.len() > MAX_ITEMS {
        true => vec![words.join(" ")],
        false => words,
    }
}

/// Returns a path in one form.
fn path(word: &str) -> String {
    let word = word.strip_prefix("./").unwrap_or(word);
    let word = match word {
        "..." => "./...",
        "." => "",
        word => word,
    };
    word.strip_suffix('/').unwrap_or(word).to_owned()
}

/// Returns the name of a package without its version.
fn package(word: &str) -> String {
    let (scope, rest) = match word.strip_prefix('@') {
        Some(rest) => ("@", rest),
        None => ("", word),
    };
    let end = rest.find(['@', '=', '<', '>', '~', '!', '^']);
    let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    path(&format!("{scope}{name}"))
}
