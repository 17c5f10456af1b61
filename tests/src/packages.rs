//! The packages that users install, made from the built programs, and the package managers that install them.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use tokio::process::Command;

use crate::{Home, Output, node, process, python};

/// The programs that are packaged, and the one that packages them.
const PROGRAMS: [&str; 3] = [
    "recall-kit-client",
    "recall-kit-server",
    "recall-kit-package",
];

/// Returns the folder with the packages: the one that `RECALL_KIT_TEST_PACKAGES` names, else one beside the built
/// programs. There they are made once, for all tests and processes, until the programs change.
pub async fn packages() -> PathBuf {
    if let Some(named) = std::env::var_os("RECALL_KIT_TEST_PACKAGES") {
        return named.into();
    }
    let programs = process::built("recall-kit-client");
    let programs = programs
        .parent()
        .expect("a file has a directory")
        .to_owned();
    let folder = programs.join("test-packages");
    fs::create_dir_all(&folder).expect("the build directory is writable");
    let lock = File::create(folder.join("lock")).expect("the build directory is writable");
    let lock = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock));
    let _lock = lock
        .await
        .expect("locking ends")
        .expect("files can be locked");
    let (wanted, made) = (programs_now(), folder.join("made-from"));
    if fs::read_to_string(&made).is_ok_and(|made| made == wanted) {
        return folder;
    }
    let home = Home::new();
    let mut command = process::program("recall-kit-package", &home);
    // Programs for tests are large: they are stripped, and compressed only a little.
    command.args([
        "--strip",
        "--allow-large",
        "--compression",
        "1",
        "--time",
        "1700000000",
    ]);
    command.arg("--programs").arg(programs);
    command.arg("--out").arg(&folder);
    for (name, value) in of_developer() {
        command.env(name, value);
    }
    process::run(command, "").await.expect_code(0);
    fs::write(made, wanted).expect("the build directory is writable");
    folder
}

/// Returns the only package whose name starts and ends like this.
#[track_caller]
pub fn package(folder: &Path, start: &str, end: &str) -> PathBuf {
    let entries = fs::read_dir(folder).expect("the packages are made");
    let paths = entries.flatten().map(|entry| entry.path());
    let fits = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(start) && name.ends_with(end)
    };
    let found: Vec<PathBuf> = paths.filter(fits).collect();
    assert_eq!(found.len(), 1, "{start}…{end}: {found:?}");
    found.into_iter().next().expect("there is one")
}

/// Runs a program that is not one of ours in the given home, as its user would.
pub async fn run_in(home: &Home, program: impl AsRef<Path>, args: &[&str]) -> Output {
    process::run(command_in(home, program, args), "").await
}

/// Prepares a run like that of [`run_in`], with the Node that the tests use first on the `PATH`.
pub fn command_in(home: &Home, program: impl AsRef<Path>, args: &[&str]) -> Command {
    let mut command = Command::new(program.as_ref());
    command.kill_on_drop(true);
    process::isolate(&mut command, home);
    // Package managers read settings and write caches there.
    command.env("npm_config_update_notifier", "false");
    command.env_remove("PREFIX").env_remove("VIRTUAL_ENV");
    if let Some(folder) = node::interpreter().parent().filter(|it| it.is_absolute()) {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&inherited));
        command.env(
            "PATH",
            std::env::join_paths(folders).expect("no folder has a colon"),
        );
    }
    command.args(args);
    command
}

/// Prepares a run as the user `nobody` if the tests run as root, whom no permission stops.
pub fn unprivileged_in(home: &Home, program: &Path, args: &[&str]) -> Command {
    let mut command = process::as_nobody(home, program);
    command.args(args);
    command
}

/// Makes a virtual environment of Python in the home, and returns the folder of its scripts.
pub async fn virtual_environment(home: &Home) -> PathBuf {
    let folder = home.path().join("venv");
    let args = ["-m", "venv", &folder.to_string_lossy()];
    run_in(home, python::interpreter(), &args)
        .await
        .expect_code(0);
    folder.join("bin")
}

/// Identifies the programs as they are built now.
fn programs_now() -> String {
    let identify = |name: &str| {
        let metadata = fs::metadata(process::built(name)).expect("the program is built");
        let time = metadata.modified().expect("files have times");
        let time = time
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos());
        format!("{name} {} {time}\n", metadata.len())
    };
    PROGRAMS.map(identify).concat()
}

/// Returns where the developer's cargo and its crates are, which the SBOM is made from.
fn of_developer() -> Vec<(&'static str, std::ffi::OsString)> {
    let value = |name| std::env::var_os(name).map(|value| (name, value));
    ["HOME", "CARGO_HOME", "RUSTUP_HOME"]
        .into_iter()
        .filter_map(value)
        .collect()
}
