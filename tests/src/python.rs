//! Python scripts of `tests/data`, run by the interpreter that `tests/run` prepared.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt,
    process::{Child, Command},
};

use crate::{Home, Output, process, within_deadline};

/// One step of a terminal session: wait for a text to appear, then type.
#[derive(Debug, Clone, Copy)]
pub struct Keystroke {
    /// The text to wait for in the output since the last keystroke.
    pub after: &'static str,
    /// What to type; the name of a signal to send, such as `SIGKILL`; or `sh ` and a command that another program runs
    /// meanwhile.
    pub keys: &'static str,
}

/// Keys that answer the prompt before a submission. The cursor starts on the choice to cancel.
pub mod answers {
    /// Sends it.
    pub const CONFIRM: &str = "\u{1b}[A\r";
    /// Sends nothing.
    pub const CANCEL: &str = "\r";
    /// Opens it in an editor.
    pub const EDIT: &str = "\u{1b}[B\r";
}

/// Runs a script of `tests/data` to its end.
pub async fn python(home: &Home, script: &str, args: &[&str]) -> Output {
    process::run(prepare(home, script, args), "").await
}

/// The write lock of a database, held by another process until released or dropped.
#[derive(Debug)]
pub struct DatabaseLock {
    holder: Child,
}

/// Takes the write lock of the home's database.
pub async fn lock_database(home: &Home) -> DatabaseLock {
    lock_file(home, &home.database(), "immediate").await
}

/// Takes a lock of another database: `immediate` to write, `exclusive` to keep readers away, too.
pub async fn lock_file(home: &Home, path: &Path, kind: &str) -> DatabaseLock {
    let args = [&*path.to_string_lossy(), kind];
    let mut command = prepare(home, "lock_database.py", &args);
    let mut holder = process::start(&mut command);
    let mut message = [0; 6];
    let stdout = holder.stdout.as_mut().expect("standard output is piped");
    within_deadline("the database lock", stdout.read_exact(&mut message))
        .await
        .expect("the lock is taken");
    assert_eq!(&message, b"locked");
    DatabaseLock { holder }
}

impl DatabaseLock {
    /// Releases the lock.
    pub async fn release(mut self) {
        drop(self.holder.stdin.take());
        let end = within_deadline("the lock holder's end", self.holder.wait()).await;
        assert!(end.is_ok_and(|status| status.success()));
    }
}

/// Prepares a run of a script of `tests/data`.
pub(crate) fn prepare(home: &Home, script: &str, args: &[&str]) -> Command {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut command = Command::new(interpreter());
    command.kill_on_drop(true);
    process::isolate(&mut command, home);
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(data.join(script))
        .args(args);
    command
}

/// Runs a prepared program on a terminal and types into it.
///
/// In the returned output, `stdout` is what the terminal showed; `code` is the program's exit code.
pub async fn on_terminal(home: &Home, program: &Command, keystrokes: &[Keystroke]) -> Output {
    let program = program.as_std();
    let args: Vec<Value> = std::iter::once(program.get_program())
        .chain(program.get_args())
        .map(|arg| json!(arg.to_string_lossy()))
        .collect();
    let env: serde_json::Map<String, Value> = program
        .get_envs()
        .filter_map(|(name, value)| {
            let value = value?.to_string_lossy();
            Some((name.to_string_lossy().into_owned(), json!(value)))
        })
        .collect();
    let keys: Vec<Value> = keystrokes
        .iter()
        .map(|step| json!([step.after, step.keys]))
        .collect();
    let cwd = program.get_current_dir();
    let session = json!({"args": args, "env": env, "cwd": cwd, "keys": keys}).to_string();
    python(home, "terminal.py", &[&session]).await
}

/// Finds the interpreter: the one that `RECALL_KIT_TEST_PYTHON` names, otherwise that of the virtual
/// environment of `tests/run`.
pub(crate) fn interpreter() -> PathBuf {
    let named = std::env::var_os("RECALL_KIT_TEST_PYTHON").map(PathBuf::from);
    let path = named.unwrap_or_else(|| {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        tests.join(".venv/bin/python")
    });
    assert!(
        path.exists(),
        "{} is missing: `tests/run` prepares it before it runs the tests",
        path.display()
    );
    path
}
