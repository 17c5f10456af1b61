//! Finds commands in a draft that do not occur in the conversation: a model may have made them up.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::Remark;
use crate::{Conversation, Draft};

/// Programs by whose name a line is recognized as a command.
const PROGRAMS: &str = "git gh npm npx yarn pnpm bun deno node nvm tsc ng vue vite next eslint prettier jest \
    vitest python python3 pip pip3 pipx uv poetry conda pytest tox django-admin cargo rustup rustc go gofmt \
    docker docker-compose podman kubectl helm minikube terraform ansible vagrant make cmake ninja gcc g++ \
    clang mvn ./mvnw gradle ./gradlew java javac dotnet nuget composer php ruby gem bundle rails rake apt \
    apt-get brew yum dnf pacman apk snap choco winget scoop systemctl service journalctl sudo chmod chown \
    rm mv ln mkdir touch sed awk curl wget ssh scp rsync openssl ssh-keygen psql mysql sqlite3 redis-cli \
    mongosh aws gcloud az heroku fly vercel export source kill killall pkill lsof netstat ss nginx certbot \
    flutter dart swift xcodebuild pod adb nix code ollama";
/// The languages of fences whose lines are commands.
const SHELLS: [&str; 11] = [
    "sh",
    "bash",
    "shell",
    "zsh",
    "console",
    "terminal",
    "shellsession",
    "powershell",
    "pwsh",
    "cmd",
    "fish",
];
/// The words before a command in a sentence.
const VERBS: [&str; 9] = [
    "run ",
    "running ",
    "execute ",
    "运行",
    "执行",
    "lancer ",
    "lancez ",
    "exécuter ",
    "exécutez ",
];
/// The maximum number of commands that are reported.
const MAX_COMMANDS: usize = 200;

/// Returns a remark for each command of a draft that does not occur in the conversation.
pub(super) fn unknown(draft: &Draft, conversation: &Conversation) -> Vec<Remark> {
    let fields = [
        ("title", Some(&draft.title)),
        ("problem_description", Some(&draft.problem_description)),
        ("root_cause", draft.root_cause.as_ref()),
        ("solution", Some(&draft.solution)),
        ("context", draft.context.as_ref()),
    ];
    let known = normalized(&everything(conversation));
    let mut seen = BTreeSet::new();
    let mut remarks = Vec::new();
    for (field, text) in fields {
        for command in commands_in(text.map_or("", String::as_str)) {
            let parts = command.split(['|', ';']).flat_map(|part| part.split("&&"));
            let mut parts = parts.map(normalized).filter(|part| !part.is_empty());
            let is_known = parts.all(|part| known.contains(&part));
            if !is_known && seen.insert(command.clone()) && seen.len() <= MAX_COMMANDS {
                remarks.push(Remark::UnknownCommand { field, command });
            }
        }
    }
    remarks
}

fn everything(conversation: &Conversation) -> String {
    let mut all = String::new();
    for turn in conversation.turns() {
        let actions = turn.actions.iter().flat_map(|action| {
            let output = action.output.as_deref().unwrap_or_default();
            [action.input.as_str(), output]
        });
        for text in std::iter::once(turn.text.as_str()).chain(actions) {
            all.push_str(text);
            all.push('\n');
        }
    }
    all
}

/// Returns a text in lower case, with single spaces and without quotes, so that a command is found however it
/// was quoted.
fn normalized(text: &str) -> String {
    let text = text.replace(['"', '\'', '`', '\\', '’', '“', '”'], " ");
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// Returns the commands in a text: in fences, after a prompt, between backticks, and after words such as
/// "run".
pub fn commands_in(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().take_while(|line| !line.starts_with("```"));
            let is_shell = SHELLS.contains(&language.trim().to_lowercase().as_str());
            commands.extend(in_fence(&joined(inside), is_shell));
        } else if let Some(command) = after_prompt(line) {
            commands.push(command.to_owned());
        } else {
            let spans = line.split('`').skip(1).step_by(2);
            commands.extend(
                spans
                    .filter(|span| is_command(span))
                    .map(|span| span.trim().to_owned()),
            );
            commands.extend(after_verb(line));
        }
    }
    commands
}

/// Joins lines that end with a backslash to the next line.
fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for line in lines {
        match joined.last_mut().filter(|before| before.ends_with('\\')) {
            Some(before) => {
                before.pop();
                before.push_str(line);
            }
            None => joined.push(line.to_owned()),
        }
    }
    joined
}

/// Returns the commands in a fence. If some lines have a prompt, the other lines are output. Otherwise every
/// line of a shell fence is a command, and in other fences only the lines with a known program are.
fn in_fence(lines: &[String], is_shell: bool) -> Vec<String> {
    let behind = |prompt: fn(&str) -> Option<&str>| -> Vec<String> {
        let commands = lines.iter().filter_map(|line| prompt(line));
        commands.map(str::to_owned).collect()
    };
    let mut commands = behind(after_prompt);
    // `> ` is less certain: it also occurs in outputs and in the REPLs of languages.
    if commands.is_empty() && is_shell {
        commands = behind(|line| line.strip_prefix("> ").map(str::trim));
    }
    if !commands.is_empty() {
        return commands;
    }
    let is_command_line = |line: &&String| {
        let is_code = !line.is_empty() && !line.starts_with('#');
        is_code && (is_shell || is_command(line))
    };
    lines.iter().filter(is_command_line).cloned().collect()
}

/// Returns the text after a prompt: `$`, `user@host:~$`, `PS>` or `PS C:\\>`.
fn after_prompt(line: &str) -> Option<&str> {
    let of_shell = line.split_once("$ ").filter(|(prompt, _)| {
        prompt.is_empty() || (prompt.contains('@') && !prompt.contains(char::is_whitespace))
    });
    let of_power_shell = || {
        let (prompt, command) = line.split_once("> ")?;
        let place = prompt.strip_prefix("PS")?;
        (place.is_empty() || place.starts_with(' ')).then_some((prompt, command))
    };
    let (_, command) = of_shell.or_else(of_power_shell)?;
    Some(command.trim()).filter(|command| !command.is_empty())
}

/// Returns the command in a sentence such as "Then run cargo clean and build again."
fn after_verb(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let after = VERBS.iter().find_map(|verb| {
        let at = lower.find(verb)?;
        line.get(at + verb.len()..)
    })?;
    let ends = [
        ". ", ", ", "; ", "，", "。", " and ", " then ", " to ", " again", " et ", " puis ",
        " pour ",
    ];
    let end = ends.iter().filter_map(|mark| after.find(mark)).min();
    let command = after.get(..end.unwrap_or(after.len()))?;
    let command = command.trim_end_matches(['.', '!', ':', ',']).trim();
    (is_command(command) && !command.contains('`')).then(|| command.to_owned())
}

/// Returns whether a text is a command: a known program with at least one argument.
fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let program = words.next().unwrap_or_default();
    words.next().is_some() && PROGRAMS.split_whitespace().any(|known| known == program)
}
