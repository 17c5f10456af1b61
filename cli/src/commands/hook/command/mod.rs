//! What a command line is about: its family, and whether it only shows texts.
//!
//! Shells are not parsed; the words of a line are enough.

#[cfg(test)]
mod tests;

/// Programs that start the program after them, with how many of their own words come before it.
const WRAPPERS: [(&str, usize); 17] = [
    ("sudo", 0),
    ("time", 0),
    ("env", 0),
    ("nice", 0),
    ("nohup", 0),
    ("command", 0),
    ("npx", 0),
    ("bunx", 0),
    ("uvx", 0),
    ("xvfb-run", 0),
    ("xargs", 0),
    ("timeout", 1),
    ("uv", 1),
    ("poetry", 1),
    ("pipenv", 1),
    ("bundle", 1),
    ("pnpm", 1),
];
/// The second words of wrappers that have other commands, too.
const RUNNING: [&str; 4] = ["run", "exec", "dlx", "x"];
/// Programs whose first argument is the program that runs.
const INTERPRETERS: [&str; 12] = [
    "python", "python3", "node", "deno", "bash", "sh", "zsh", "ruby", "perl", "php", "java", "tsx",
];
/// Programs that show texts: errors in their output are usually not their own.
const VIEWERS: [&str; 46] = [
    "cat", "bat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ack",
    "find", "fd", "ls", "tree", "sed", "awk", "cut", "sort", "uniq", "wc", "diff", "cmp", "jq",
    "yq", "echo", "printf", "stat", "file", "du", "df", "which", "type", "pwd", "ps", "env",
    "printenv", "history", "date", "strings", "xxd", "hexdump", "nl", "column", "man",
];
/// Commands of git that show texts.
const GIT_VIEWS: [&str; 9] = [
    "log", "diff", "show", "blame", "grep", "status", "branch", "stash", "reflog",
];
/// Programs that only prepare for the next command of a line.
const PREPARING: [&str; 7] = ["cd", "source", ".", "export", "set", "pushd", "ulimit"];

/// Returns the program of a command line with its command, such as `cargo test`; for an interpreter with its script.
/// Two lines of one family do the same to the same thing.
pub(super) fn family(line: &str) -> String {
    let line = unquoted(line);
    let segments = segments(&line);
    let main = segments.iter().find(|words| !is_preparing(words));
    let Some(words) = main.or(segments.last()) else {
        return String::new();
    };
    let words = without_wrappers(words);
    let program = base(words.first().copied().unwrap_or_default());
    let rest = words.get(1..).unwrap_or_default();
    let is_interpreter = INTERPRETERS.contains(&program);
    if is_interpreter && let Some(at) = rest.iter().position(|word| *word == "-m" || *word == "-c")
    {
        // `python -m pytest` is `pytest`, and code on the line has no name.
        let module = rest.get(at).filter(|flag| **flag == "-m");
        return match module.and(rest.get(at + 1)) {
            Some(module) => family(&format!(
                "{module} {}",
                rest.get(at + 2..).unwrap_or_default().join(" ")
            )),
            None => format!("{program} -c"),
        };
    }
    let argument = rest.iter().find(|word| !word.starts_with(['-', '+']));
    let is_command = |word: &&&str| {
        !word.contains(['/', '.', '=', '*', '"', '\'', '$', ':']) && word.len() <= 24
    };
    match argument.filter(|word| is_interpreter || is_command(word)) {
        Some(argument) => format!("{program} {argument}"),
        None => program.to_owned(),
    }
}

/// Returns whether a line only shows texts: each program in it does, also in pipelines.
pub(super) fn is_viewer(line: &str) -> bool {
    let line = unquoted(line).replace('|', ";");
    let segments = segments(&line);
    let mut main = segments
        .iter()
        .filter(|words| !is_preparing(words))
        .peekable();
    main.peek().is_some()
        && main.all(|words| {
            let words = without_wrappers(words);
            let program = base(words.first().copied().unwrap_or_default());
            let mut rest = words.iter().skip(1).filter(|word| !word.starts_with('-'));
            match program {
                "git" => rest
                    .next()
                    .is_some_and(|command| GIT_VIEWS.contains(command)),
                _ => VIEWERS.contains(&program),
            }
        })
}

/// Returns the name of the program that a line starts first, after what prepares for it.
pub(super) fn program(line: &str) -> String {
    let line = unquoted(line);
    let segments = segments(&line);
    let main = segments.iter().find(|words| !is_preparing(words));
    let words = main
        .or(segments.last())
        .map(|words| without_wrappers(words));
    let program = words.and_then(|words| words.first().copied());
    base(program.unwrap_or_default()).to_owned()
}

/// Returns the commands of a line, each with single spaces and without variables and options of a shell before it.
pub(super) fn pieces(line: &str) -> Vec<String> {
    let lines = line.lines().flat_map(|line| line.split("&&"));
    let parts = lines.flat_map(|part| part.split([';', '|']));
    let pieces = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// Returns whether the exit code of a line may hide that one of its commands failed.
pub(super) fn hides_failures(line: &str) -> bool {
    line.contains(['|', ';', '&', '\n'])
}

/// Returns a line with every quoted text replaced by `""`.
fn unquoted(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => drop(chars.next()),
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => {
                quote = Some(c);
                kept.push_str("\"\"");
            }
            (c, None) => kept.push(c),
        }
    }
    kept
}

/// Splits a line at what connects commands, and each command into words, without variables before it. Of a pipeline only the
/// first program counts.
fn segments(line: &str) -> Vec<Vec<&str>> {
    let lines = line.lines().map(str::trim);
    let line = lines
        .into_iter()
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    let parts = line.unwrap_or_default().split("&&");
    let parts = parts.flat_map(|part| part.split(';'));
    let parts = parts.flat_map(|part| part.split("||").take(1));
    let words = parts.map(|part| {
        let program = part.split('|').next().unwrap_or_default();
        let words = program.split_whitespace();
        let words =
            words.skip_while(|word| word.contains('=') && !word.starts_with(['-', '"', '\'']));
        words.collect::<Vec<&str>>()
    });
    words.filter(|words| !words.is_empty()).collect()
}

fn is_preparing(words: &[&str]) -> bool {
    words.first().is_some_and(|word| PREPARING.contains(word))
}

fn without_wrappers<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    let mut words = words;
    while let [first, rest @ ..] = words {
        let Some((wrapper, own)) = WRAPPERS.iter().find(|(name, _)| *name == base(first)) else {
            break;
        };
        let has_commands = !matches!(*wrapper, "timeout") && *own > 0;
        if has_commands && !rest.first().is_some_and(|word| RUNNING.contains(word)) {
            break;
        }
        let rest = rest.get(*own..).unwrap_or_default();
        let options = rest
            .iter()
            .take_while(|word| word.starts_with('-') || word.contains('='))
            .count();
        match rest.get(options..) {
            Some(rest @ [_, ..]) => words = rest,
            _ => break,
        }
    }
    words
}

/// Returns the name of a program without its folder.
fn base(program: &str) -> &str {
    let name = program.trim_matches(['"', '\'', '(', ')']);
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.strip_suffix(".exe").unwrap_or(name)
}
