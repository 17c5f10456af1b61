//! Checks whether the hooks in the settings of agents work, the user's own and those of the project in the working directory:
//! each command is started with a payload that only asks which host it is from. The user's own commands are started as the
//! agent does it. A project may be cloned and its settings may start anything, so only the command that `init --project`
//! writes is started, without a shell and as a program that is not the project's.

use std::{
    env,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use recall_kit_client::ClientConfig;
use serde_json::Value;
use tokio::{io::AsyncWriteExt as _, process::Command};

use super::{
    super::hook::{ARGUMENTS, SELF_TEST},
    check::{Check, Subject},
};
use crate::{
    agents::{
        Agent, Scope,
        call::{PROGRAM_NAME, runner_in_shell, words_of},
        hooks::{HookFormat, our_commands},
        places::Places,
        search_path::{programs_outside, working_project},
    },
    hosts::Host,
    words::{DoctorWords, Words, filled},
};

/// The maximum time until a hook answers.
const DEADLINE: Duration = Duration::from_secs(5);
/// The maximum size of a file of settings. *Unit*: bytes.
const MAX_BYTES: u64 = 1 << 20;

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
        let mut commands = our_commands(&read(&path).unwrap_or_default(), format);
        seen.push(path);
        commands.sort();
        commands.dedup();
        for command in commands {
            checks.push(match scope {
                Scope::User => {
                    let shell = Some(in_shell(&command));
                    check(format.host(), &command, shell, scope, &mode, words).await
                }
                Scope::Project => check_of_project(format.host(), &command, &mode, words).await,
            });
        }
    }
    if checks.is_empty() {
        let detail = format!("{}; {mode}", words.no_hooks);
        checks.push(Check::ok(Subject::Hooks, detail));
    }
    checks
}

/// Reads a file of settings; `None` if it is not a regular file or too large. A project may have anything in its place.
fn read(path: &Path) -> Option<String> {
    // Opening a named pipe or a terminal may wait forever.
    fs::metadata(path).ok()?.is_file().then_some(())?;
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(MAX_BYTES + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= MAX_BYTES).then_some(text)
}

/// Checks a command of a project's settings. It is started only if it is the one that `init --project` writes.
async fn check_of_project(host: &Host, command: &str, mode: &str, words: &DoctorWords) -> Check {
    if let Some(runner) = runner_in_shell(command) {
        let detail = filled(words.hook_of_runner, &[&host.name, &runner]);
        return Check::skipped(Subject::Hooks, detail);
    }
    let Some(args) = args_of_hook(command) else {
        let detail = filled(words.hook_not_started, &[&host.name, &command]);
        return Check::skipped(Subject::Hooks, detail);
    };
    let program = installed_client().map(|program| {
        let mut program = Command::new(program);
        program.args(args);
        program
    });
    check(host, command, program, Scope::Project, mode, words).await
}

/// Returns the arguments of a command that `init --project` writes: this program by its name, at most a server, and `hook`.
/// `None` for any other command.
fn args_of_hook(command: &str) -> Option<Vec<String>> {
    let words = words_of(command);
    let (program, args) = words.split_first()?;
    let plain: Vec<&str> = args.iter().map(String::as_str).collect();
    let event = match plain.as_slice() {
        ["hook", event] => event,
        ["--server", url, "hook", event] if !url.starts_with('-') => event,
        _ => return None,
    };
    (program == PROGRAM_NAME && ARGUMENTS.contains(event)).then(|| args.to_vec())
}

/// Returns this program on the `PATH`, but not one of the project.
fn installed_client() -> Option<PathBuf> {
    let suffixes: &[&str] = match cfg!(windows) {
        true => &[".exe", ".cmd"],
        false => &[""],
    };
    let file_names = suffixes.iter();
    let file_names: Vec<String> = file_names
        .map(|suffix| format!("{PROGRAM_NAME}{suffix}"))
        .collect();
    let search_path = env::var_os("PATH").unwrap_or_default();
    let programs = programs_outside(&search_path, working_project().as_deref(), &file_names);
    programs.into_iter().next()
}

/// Starts a hook, and says whether it works. Without a program it does not.
async fn check(
    host: &Host,
    command: &str,
    program: Option<Command>,
    scope: Scope,
    mode: &str,
    words: &DoctorWords,
) -> Check {
    let name = match scope {
        Scope::User => host.name.to_owned(),
        Scope::Project => filled(words.hook_of_project, &[&host.name]),
    };
    let started = Instant::now();
    let answered = match program {
        Some(program) => tokio::time::timeout(DEADLINE, answer(host, program)).await,
        None => Ok(None),
    };
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
async fn answer(host: &Host, mut command: Command) -> Option<String> {
    let mut payload: Value = serde_json::from_str(host.self_test).ok()?;
    payload[SELF_TEST] = true.into();
    let mut child = command
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
    fn a_project_decides_only_that_this_program_is_asked() {
        let check = |command: &str, expected: Option<&[&str]>| {
            let args = args_of_hook(command);
            let args = args.as_ref();
            let args = args.map(|args| args.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(args.as_deref(), expected, "{command}");
        };
        let url = "https://memory.example.org/mcp";
        check("recall-kit-client hook auto", Some(&["hook", "auto"]));
        check("recall-kit-client hook solved", Some(&["hook", "solved"]));
        let with_server = Some(["--server", url, "hook", "auto"]);
        let with_server = with_server.as_ref().map(<[&str; 4]>::as_slice);
        check(
            &format!("recall-kit-client --server {url} hook auto"),
            with_server,
        );
        // So `init` writes it on Windows.
        check(
            &format!("recall-kit-client --server \"{url}\" hook auto"),
            with_server,
        );
        for command in [
            "./recall-kit-client hook auto",
            "/tmp/recall-kit-client hook auto",
            "recall-kit-client $(touch x) hook auto",
            "recall-kit-client;touch x; hook auto",
            "recall-kit-client hook auto; touch x",
            // `auto` may be a link to the project.
            "recall-kit-client trust --config hook auto",
            "recall-kit-client --config hook hook auto",
            "recall-kit-client --server --config hook auto",
            "recall-kit-client --server https://other.example.org query x hook auto",
            "recall-kit-client import-from auto --yes hook auto",
            "recall-kit-client --server x --server y hook auto",
            "npx -y @recall-kit/cli hook auto",
        ] {
            check(command, None);
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_a_small_regular_file_is_read() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = |name: &str, bytes: u64| {
            let path = folder.path().join(name);
            let file = File::create(&path).expect("the folder is writable");
            file.set_len(bytes).expect("the disk has room");
            path
        };
        assert!(read(&file("small", MAX_BYTES)).is_some());
        assert_eq!(read(&file("large", MAX_BYTES + 1)), None);
        let device = folder.path().join("device");
        std::os::unix::fs::symlink("/dev/zero", &device).expect("the folder is writable");
        assert_eq!(read(&device), None);
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
