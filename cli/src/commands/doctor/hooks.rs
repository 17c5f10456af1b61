//! Checks whether the hooks in the settings of agents work, the user's own and those of the project in the working directory:
//! each command is started as the agent does it, with a payload that only asks which host it is from. What a project's
//! settings start may be anything, so that only the plain command is started that `init --project` writes.

use std::{
    fs,
    process::Stdio,
    time::{Duration, Instant},
};

use recall_kit_client::ClientConfig;
use serde_json::Value;
use tokio::{io::AsyncWriteExt as _, process::Command};

use super::{
    super::hook::SELF_TEST,
    check::{Check, Subject},
};
use crate::{
    agents::{
        Agent, Scope,
        call::PROGRAM_NAME,
        hooks::{HookFormat, our_commands},
        places::Places,
    },
    hosts::Host,
    words::{DoctorWords, Words, filled},
};

/// The maximum time until a hook answers.
const DEADLINE: Duration = Duration::from_secs(5);

/// Checks the hooks of each agent that has some, and says how outcomes are found out.
pub(super) async fn checks(config: &ClientConfig, all_words: &Words) -> Vec<Check> {
    let words = &all_words.doctor;
    let outcomes = filled(words.outcomes, &[&config.outcomes]);
    let environment = filled(all_words.environment.setting, &[&config.environment]);
    let mode = format!("{outcomes}; {environment}");
    let mut checks = Vec::new();
    let mut seen = Vec::new();
    let files = [Scope::User, Scope::Project].into_iter();
    let files = files.flat_map(|scope| Agent::ALL.map(|agent| (scope, agent)));
    for (scope, agent) in files {
        let format = HookFormat::of(agent);
        let path = Places::from_process().map(|places| places.hooks(agent, scope));
        let Some(path) = path.filter(|path| !seen.contains(path)) else {
            continue;
        };
        let mut commands = our_commands(&fs::read_to_string(&path).unwrap_or_default(), format);
        seen.push(path);
        commands.sort();
        commands.dedup();
        for command in commands {
            let host = format.host();
            checks.push(match scope == Scope::Project && !is_plain(&command) {
                true => Check::skipped(
                    Subject::Hooks,
                    filled(words.hook_not_started, &[&host.name, &command]),
                ),
                false => check(host, &command, scope, &mode, words).await,
            });
        }
    }
    if checks.is_empty() {
        let detail = format!("{}; {mode}", words.no_hooks);
        checks.push(Check::ok(Subject::Hooks, detail));
    }
    checks
}

/// Returns whether a command is one that `init --project` writes: this program by its name, and options without any sign that a
/// shell reads.
fn is_plain(command: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_.:=/@".contains(c);
    let mut words = command.split(' ');
    words.next() == Some(PROGRAM_NAME) && command.chars().all(is_plain)
}

async fn check(host: &Host, command: &str, scope: Scope, mode: &str, words: &DoctorWords) -> Check {
    let name = match scope {
        Scope::User => host.name.to_owned(),
        Scope::Project => filled(words.hook_of_project, &[&host.name]),
    };
    let started = Instant::now();
    let answered = tokio::time::timeout(DEADLINE, answer(host, command)).await;
    let took = started.elapsed().as_millis();
    match answered.ok().flatten() {
        Some(answer) if answer == host.name => {
            let known = filled(
                words.hook_works,
                &[&name, &took, &host.source, &host.verified_on],
            );
            Check::ok(Subject::Hooks, format!("{known}; {mode}"))
        }
        _ => Check::fail(
            Subject::Hooks,
            filled(words.hook_fails, &[&name, &command]),
            match scope {
                Scope::User => words.hook_hint,
                Scope::Project => words.hook_path_hint,
            },
        ),
    }
}

/// Returns the name of the host that the command of a hook recognizes in the host's self-test.
async fn answer(host: &Host, command: &str) -> Option<String> {
    let mut payload: Value = serde_json::from_str(host.self_test).ok()?;
    payload[SELF_TEST] = true.into();
    let mut child = in_shell(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    stdin.write_all(payload.to_string().as_bytes()).await.ok()?;
    drop(stdin);
    let output = child.wait_with_output().await.ok()?;
    let answer: Value = serde_json::from_slice(&output.stdout).ok()?;
    Some(answer.get(SELF_TEST)?.as_str()?.to_owned())
}

/// Returns the command as the system's shell runs it.
fn in_shell(command: &str) -> Command {
    let (shell, args) = shell_args(command, cfg!(windows));
    let mut shell = Command::new(shell);
    for arg in args {
        // `cmd` does not read the quotes that Rust would write around an argument.
        #[cfg(windows)]
        shell.raw_arg(arg);
        #[cfg(not(windows))]
        shell.arg(arg);
    }
    shell
}

/// Returns the shell of a system, and its arguments as they stand on the command line.
fn shell_args(command: &str, is_windows: bool) -> (&'static str, Vec<String>) {
    match is_windows {
        // With /S the first and the last quote are removed, and whatever is between them stays as it is; with /D
        // nothing else runs.
        true => {
            let args = ["/D", "/S", "/C"].map(str::to_owned).into_iter();
            ("cmd", args.chain([format!("\"{command}\"")]).collect())
        }
        false => ("sh", vec!["-c".to_owned(), command.to_owned()]),
    }
}

#[cfg(test)]
mod tests {
    //! Commands reach the shell as they stand in the settings.

    use super::*;

    #[test]
    fn a_command_reaches_the_shell_as_it_is_written() {
        let command = r#""C:/Jane Doe/recall-kit-client.exe" --server "https://x/y&z" hook auto"#;
        let (shell, args) = shell_args(command, true);
        assert_eq!(shell, "cmd");
        let line =
            r#"/D /S /C ""C:/Jane Doe/recall-kit-client.exe" --server "https://x/y&z" hook auto""#;
        assert_eq!(args.join(" "), line);
        let (shell, args) = shell_args(command, false);
        assert_eq!((shell, &*args[0], &*args[1]), ("sh", "-c", command));
    }

    #[test]
    fn a_project_decides_only_that_this_program_is_started() {
        let check =
            |command: &str, expected: bool| assert_eq!(is_plain(command), expected, "{command}");
        check("recall-kit-client hook auto", true);
        check(
            "recall-kit-client --server https://memory.example.org/mcp hook auto",
            true,
        );
        check("./recall-kit-client hook auto", false);
        check("/tmp/recall-kit-client hook auto", false);
        check("recall-kit-client $(touch x) hook auto", false);
        check("recall-kit-client;touch x; hook auto", false);
        check("npx -y @recall-kit/cli hook auto", false);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_program_with_a_blank_in_its_path_is_started() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().expect("a folder can be made");
        let program = folder.path().join("a $HOME b");
        let script = "#!/bin/sh\ncat >/dev/null\nprintf '{\"%s\": \"%s %s\"}' \"$0\" \"$1\" \"$2\"";
        fs::write(&program, script).expect("the folder is writable");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&program, mode).expect("it is ours");
        let call = crate::agents::call::Call {
            program: program.to_string_lossy().into_owned(),
            options: Vec::new(),
        };
        let line = format!("{} hook auto", call.in_shell());
        let output = in_shell(&line).output().await.expect("the shell starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(
            said,
            format!("{{\"{}\": \"hook auto\"}}", program.display())
        );
    }
}
