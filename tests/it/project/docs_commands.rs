//! The commands in the documentation: every command and flag exists, and sessions that are marked as tested
//! print what their page says.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    time::Duration,
};

use recall_kit_tests::{DEADLINE, Home, Launch, client, run, server_command, shell};
use tokio::time::{Instant, sleep};

use super::docs_links::pages;

/// The line before a session that is run and compared.
const TESTED: &str = "<!-- tested -->";

/// A command of a session and what is printed below it.
#[derive(Debug, Default)]
struct Step {
    command: String,
    printed: Vec<String>,
}

#[tokio::test]
async fn commands_and_flags_exist() {
    let home = Home::new();
    let mut helps = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut read = 0;
    for (page, text) in pages() {
        for step in sessions(&text)
            .into_iter()
            .flat_map(|session| session.steps)
        {
            for words in programs(&step.command) {
                read += 1;
                if let Err(why) = check(&home, &mut helps, &words).await {
                    wrong.push(format!("{page}: {why} in `{}`", words.join(" ")));
                }
            }
        }
    }
    assert!(read > 60, "commands were found: {read}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks a command against the help of its subcommand, which it finds word by word.
async fn check(
    home: &Home,
    helps: &mut BTreeMap<Vec<String>, String>,
    words: &[String],
) -> Result<(), String> {
    let mut path = vec![words[0].clone()];
    loop {
        if !helps.contains_key(&path) {
            let help = help(home, &path).await;
            helps.insert(path.clone(), help);
        }
        let next = words.get(path.len());
        match next.filter(|next| is_subcommand(&helps[&path], next)) {
            Some(next) => path.push(next.clone()),
            None => break,
        }
    }
    let known = flags(&helps[&path]);
    for word in words.iter().filter(|word| word.starts_with("--")) {
        let flag = word.split('=').next().unwrap_or_default();
        if flag != "--" && !known.contains(flag) {
            return Err(format!("`{}` has no {flag}", path.join(" ")));
        }
    }
    let next = words.get(path.len()).filter(|word| is_name(word));
    match next.filter(|_| helps[&path].contains("Commands:")) {
        Some(unknown) => Err(format!("`{}` has no command {unknown}", path.join(" "))),
        None => Ok(()),
    }
}

async fn help(home: &Home, path: &[String]) -> String {
    let mut args: Vec<&str> = path[1..].iter().map(String::as_str).collect();
    args.push("--help");
    let command = match path[0].as_str() {
        "recall-kit-client" => client(home, &args),
        _ => server_command(home, &args),
    };
    run(command, "").await.expect_code(0).to_owned()
}

/// Whether the help lists a subcommand: at the start of a line, indented.
fn is_subcommand(help: &str, word: &str) -> bool {
    let mut listed = help.lines().filter(|line| line.starts_with("  "));
    is_name(word) && listed.any(|line| line.split_whitespace().next() == Some(word))
}

/// Whether a word could be the name of a command.
fn is_name(word: &str) -> bool {
    let is_lower = |c: char| c.is_ascii_lowercase() || c == '-';
    word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(is_lower)
}

/// Returns the long flags that a help names.
fn flags(help: &str) -> BTreeSet<&str> {
    let is_between = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
    help.split(is_between)
        .filter(|word| word.starts_with("--"))
        .collect()
}

#[tokio::test]
async fn tested_sessions_print_what_their_page_says() {
    let mut tested = 0;
    for (page, text) in pages() {
        let sessions = sessions(&text).into_iter();
        for session in sessions.filter(|session| session.is_tested) {
            replay(&page, &session.steps).await;
            tested += 1;
        }
    }
    assert!(tested >= 3, "tested sessions were found: {tested}");
}

/// Runs a session in a new home, beside a server that stands for the one at the default port.
async fn replay(page: &str, steps: &[Step]) {
    let home = Home::new();
    fs::create_dir(home.path().join("project")).unwrap();
    let server = Launch::new(&home).embeddings("builtin").start().await;
    let address = format!("127.0.0.1:{}", server.port());
    for step in steps {
        let line = step
            .command
            .replace("mcp://127.0.0.1", &format!("mcp://{address}"));
        let expected: Vec<String> = step.printed.iter().map(|line| masked(line)).collect();
        let started = Instant::now();
        loop {
            let output = run(shell(&home, &format!("cd project && {line}")), "").await;
            let printed = output.stdout.replace(&address, "127.0.0.1:8090");
            let printed = printed.replace(&*home.path().to_string_lossy(), "~");
            let printed: Vec<String> = printed.lines().map(masked).collect();
            // A page leaves out what a command only reports in passing.
            if step.printed.is_empty() || printed == expected {
                break;
            }
            // The vector of a new record takes a moment.
            let is_query = step.command.starts_with("recall-kit-client query");
            assert!(
                is_query && started.elapsed() < DEADLINE,
                "{page}: `{line}` printed\n{}\ninstead of\n{}",
                printed.join("\n"),
                expected.join("\n")
            );
            sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Replaces what differs from run to run, such as ids, scores and durations, by marks of the same length.
fn masked(line: &str) -> String {
    let mut masked = String::new();
    for word in line.trim_end().split_inclusive(' ') {
        let bare = word.trim_end();
        let is_id = [13, 36].contains(&bare.len())
            && bare.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
            && bare.contains('-');
        let is_decimal = bare.contains('.') && bare.parse::<f64>().is_ok();
        match is_id || is_decimal {
            true => masked.push_str(&word.replace(|c: char| c != ' ', "·")),
            false => masked.push_str(word),
        }
    }
    masked
}

/// The commands of one block.
struct Session {
    is_tested: bool,
    steps: Vec<Step>,
}

/// Returns the sessions of a page: its fenced blocks of the language `console`.
fn sessions(text: &str) -> Vec<Session> {
    let mut found = Vec::new();
    let mut before = "";
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "```console" {
            let block = lines.by_ref().take_while(|line| line.trim() != "```");
            found.push(Session {
                is_tested: before == TESTED,
                steps: steps(block),
            });
        }
        before = line;
    }
    found
}

/// Splits a block into commands, each with the lines below it; a command goes on after a backslash.
fn steps<'a>(block: impl Iterator<Item = &'a str>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut continues = false;
    for line in block {
        let (line, goes_on) = match line.strip_suffix('\\') {
            Some(line) if continues || line.starts_with("$ ") => (line, true),
            _ => (line, false),
        };
        match (command(line), steps.last_mut()) {
            (Some(command), _) => steps.push(Step {
                command: command.to_owned(),
                printed: Vec::new(),
            }),
            (None, Some(step)) if continues => step.command.push_str(line.trim_start()),
            (None, Some(step)) => step.printed.push(line.to_owned()),
            (None, None) => {}
        }
        continues = goes_on;
    }
    for step in &mut steps {
        while step.printed.last().is_some_and(|line| line.is_empty()) {
            step.printed.pop();
        }
    }
    steps
}

/// Returns the command of a line: after a prompt, or of a table of commands with what each is for.
fn command(line: &str) -> Option<&str> {
    let is_listed = line.starts_with("recall-kit-");
    let listed = is_listed.then(|| line.split("  ").next()).flatten();
    line.strip_prefix("$ ").or(listed)
}

/// Returns the words of each of our programs' calls in a command; comments are left out.
fn programs(command: &str) -> Vec<Vec<String>> {
    let mut calls = vec![Vec::new()];
    let mut word = String::new();
    let mut quote = None;
    for c in command.chars().chain([' ']) {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.push(c),
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') if word.is_empty() => break,
            (None, ' ' | '|' | ';' | '&' | '<' | '>' | '(' | ')') => {
                if !word.is_empty() {
                    calls.last_mut().unwrap().push(std::mem::take(&mut word));
                }
                if c != ' ' {
                    calls.push(Vec::new());
                }
            }
            (None, c) => word.push(c),
        }
    }
    calls
        .into_iter()
        .map(|words| {
            let is_assignment = |word: &&String| word.contains('=') && !word.starts_with('-');
            let skipped = words.iter().take_while(is_assignment).count();
            words[skipped..].to_vec()
        })
        .filter(|words| {
            let first = words.first().map(String::as_str);
            matches!(first, Some("recall-kit-client" | "recall-kit-server"))
        })
        .collect()
}
