//! The output of `--help`: commands in groups, an example for each, and only the flags that are relevant to
//! a command.

use clap::{Command, CommandFactory as _, builder::StyledStr};

use super::Cli;

/// The note at the end of the program's own help.
const NOTE: &str = "\
Commands may be used while servers run on the database, unless their help says
otherwise. `recall-kit-server COMMAND --help` shows a command's options and an
example, `recall-kit-server --list` prints the commands alone, for scripts.";

/// The commands, grouped by purpose.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Run", &["serve", "mcp-server", "health"]),
    (
        "Data",
        &["records", "entries", "generalize", "export", "import"],
    ),
    ("People", &["keys", "users"]),
    ("Documentation", &["ingest", "libraries"]),
    (
        "Maintenance",
        &[
            "doctor",
            "backup",
            "restore",
            "index",
            "reembed",
            "migrate",
            "migrate-store",
            "man",
            "completions",
        ],
    ),
];

/// Flags that a command accepts but does not use; its help does not show them.
const HIDDEN: [(&str, &[&str]); 3] = [
    (
        "health",
        &[
            "transport",
            "database",
            "read_database",
            "no_migrate",
            "data_dir",
            "embeddings",
            "search_engine",
            "access",
            "allow_anonymous",
            "log_level",
            "log_format",
        ],
    ),
    (
        "doctor",
        &[
            "transport",
            "host",
            "port",
            "access",
            "allow_anonymous",
            "log_level",
            "log_format",
        ],
    ),
    (
        "reembed",
        &[
            "transport",
            "host",
            "port",
            "read_database",
            "search_engine",
            "access",
            "allow_anonymous",
            "log_format",
        ],
    ),
];

/// An example for every command, without the program's name.
const EXAMPLES: &[(&str, &str)] = &[
    ("serve", "serve --host 0.0.0.0 --port 8090"),
    ("mcp-server", "mcp-server --data-dir ./memory"),
    ("health", "health --port 8090"),
    ("records", "records list --order most-seen"),
    ("records list", "records list --state hidden"),
    ("records show", "records show 01a2006f-0eef"),
    (
        "records edit",
        "records edit 01a2006f-0eef --title 'Docker fills the disk'",
    ),
    ("records hide", "records hide 01a2006f-0eef"),
    ("records unhide", "records unhide 01a2006f-0eef"),
    ("records delete", "records delete 01a2006f-0eef"),
    ("records restore", "records restore 01a2006f-0eef"),
    ("entries", "entries search 'time zones'"),
    (
        "entries add",
        "entries add --type decision --title 'Times are UTC' --content 'Convert at the edge.'",
    ),
    ("entries show", "entries show 01JD8"),
    (
        "entries search",
        "entries search 'time zones' --type pitfall",
    ),
    (
        "entries link",
        "entries link 01JD8 01JC2 --relation supersedes",
    ),
    (
        "entries promote",
        "entries promote 01a2006f-0eef --type pitfall",
    ),
    ("entries import", "entries import ~/notes"),
    ("entries export", "entries export ~/notes"),
    ("entries stale", "entries stale --days 180"),
    ("entries review", "entries review --accept 01JD9"),
    ("generalize", "generalize 01JD8 01JC2 01JB7 --dry-run"),
    ("export", "export memory.jsonl"),
    ("import", "import memory.jsonl --wait"),
    ("keys", "keys create --name ci --scope read"),
    (
        "keys create",
        "keys create --name ci --scope read --expires 90d",
    ),
    ("keys list", "keys list --all"),
    ("keys revoke", "keys revoke ci"),
    ("users", "users create ada --role admin"),
    (
        "users create",
        "users create ada --role writer --project billing",
    ),
    ("users list", "users list"),
    ("users password", "users password ada"),
    ("users disable", "users disable ada"),
    ("users enable", "users enable ada"),
    ("users clear-waits", "users clear-waits"),
    (
        "ingest",
        "ingest gin https://github.com/gin-gonic/gin --at v1.10.0",
    ),
    ("libraries", "libraries docs gin 'query parameters'"),
    ("libraries list", "libraries list"),
    ("libraries search", "libraries search 'web framework'"),
    (
        "libraries docs",
        "libraries docs gin 'query parameters' --version v1.10.0",
    ),
    (
        "libraries show",
        "libraries show gin --since v1.9.0 --version v1.10.0",
    ),
    ("libraries set", "libraries set gin --default v1.10.0"),
    ("libraries refresh", "libraries refresh gin"),
    ("libraries remove", "libraries remove gin --version v1.9.0"),
    ("doctor", "doctor --repair"),
    ("backup", "backup memory.db"),
    ("restore", "restore memory.db --force"),
    ("index", "index save index.tar"),
    ("index save", "index save index.tar"),
    ("index load", "index load index.tar --force"),
    ("reembed", "reembed --embeddings builtin"),
    (
        "migrate",
        "migrate --database postgres://kit@localhost/memory",
    ),
    (
        "migrate-store",
        "migrate-store --from sqlite:memory.db --to postgres://kit@localhost/memory",
    ),
    ("man", "man ./pages"),
    ("completions", "completions bash"),
];

/// Returns every command and its subcommands, one a line, without headings or descriptions: a list for scripts.
pub(crate) fn flat_list() -> String {
    fn add(command: &Command, path: &str, list: &mut String) {
        for sub in command.get_subcommands().filter(|it| !it.is_hide_set()) {
            let path = format!("{path}{}", sub.get_name());
            list.push_str(&path);
            list.push('\n');
            add(sub, &format!("{path} "), list);
        }
    }
    let mut list = String::new();
    add(&Cli::command(), "", &mut list);
    list
}

/// Returns the command line with its help.
pub(super) fn command() -> Command {
    let mut command = Cli::command();
    for (name, flags) in HIDDEN {
        command = command.mut_subcommand(name, |mut command| {
            for flag in flags {
                command = command.mut_arg(flag, |arg| arg.hide(true));
            }
            command
        });
    }
    let template = template(&command);
    let names: Vec<String> = names_of(&command);
    for name in names {
        command = command.mut_subcommand(name.clone(), |sub| with_examples(sub, &name));
    }
    command.help_template(template)
}

fn names_of(command: &Command) -> Vec<String> {
    let subcommands = command.get_subcommands();
    let shown = subcommands.filter(|it| !it.is_hide_set());
    shown.map(|it| it.get_name().to_owned()).collect()
}

/// Adds examples to the end of the help of a command and its subcommands.
fn with_examples(mut command: Command, path: &str) -> Command {
    for name in names_of(&command) {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(name, |sub| with_examples(sub, &path));
    }
    let Some(example) = example(path) else {
        return command;
    };
    let notes = command.get_after_help().map(ToString::to_string);
    let notes = notes.map_or_else(String::new, |text| format!("{}\n\n", text.trim_end()));
    command.after_help(format!("{notes}Example:\n  recall-kit-server {example}"))
}

fn example(path: &str) -> Option<&'static str> {
    let (_, example) = EXAMPLES.iter().find(|(of, _)| *of == path)?;
    Some(example)
}

/// Returns the template of the program's own help, with the commands in groups.
fn template(command: &Command) -> StyledStr {
    let about = |name: &str| {
        let sub = command.find_subcommand(name);
        let about = sub.and_then(Command::get_about);
        about.map_or_else(String::new, ToString::to_string)
    };
    let header = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (group, names) in GROUPS {
        text.push_str(&format!("\n{header}{group}:{header:#}\n"));
        for name in names {
            let padding = " ".repeat(15_usize.saturating_sub(name.len()));
            let about = about(name);
            text.push_str(&format!("  {literal}{name}{literal:#}{padding}{about}\n"));
        }
    }
    text.push_str(&format!(
        "\n{header}Options of serve, the default:{header:#}\n{{options}}\n\n{NOTE}"
    ));
    StyledStr::from(text)
}

#[cfg(test)]
mod tests;
