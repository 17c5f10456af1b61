//! Runs the built programs: finds them, isolates them from the developer's own settings, and collects their
//! output. Every process is killed when its handle is dropped.

use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Stdio,
};

use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
};

use crate::{Home, within_deadline};

/// What a program printed and how it ended.
#[derive(Debug, Clone)]
pub struct Output {
    /// The exit code; `None` when a signal ended the program.
    pub code: Option<i32>,
    /// Everything on standard output.
    pub stdout: String,
    /// Everything on standard error.
    pub stderr: String,
}

impl Output {
    /// Returns standard output, after checking that the program ended with `code`.
    #[track_caller]
    pub fn expect_code(&self, code: i32) -> &str {
        assert_eq!(
            self.code,
            Some(code),
            "\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        &self.stdout
    }
}

/// Prepares a run of `recall-kit-server` without the model, in the given home.
pub fn server(home: &Home, args: &[&str]) -> Command {
    let mut command = program("recall-kit-server", home);
    command.args(args);
    command
}

/// Returns the path of a built example program.
pub fn example(name: &str) -> PathBuf {
    built(&format!("examples/{name}"))
}

/// Prepares a run of `recall-kit-client` in the given home.
pub fn client(home: &Home, args: &[&str]) -> Command {
    let mut command = program("recall-kit-client", home);
    command.args(args);
    command
}

/// Prepares a command line as a person types it: the built programs are on the `PATH`, and both streams of
/// output are one.
pub fn shell(home: &Home, line: &str) -> Command {
    let mut command = Command::new("sh");
    command.kill_on_drop(true);
    isolate(&mut command, home);
    let folder = built("recall-kit-client");
    let mut path = folder
        .parent()
        .expect("a file has a directory")
        .as_os_str()
        .to_owned();
    if let Some(inherited) = std::env::var_os("PATH") {
        path.push(":");
        path.push(inherited);
    }
    command.env("PATH", path);
    command.args(["-c", &format!("exec 2>&1; {line}")]);
    command
}

/// Wraps a program so that writes fail once a file is larger than `kib` kibibytes, as on a full disk.
pub(crate) fn limited(program: &Command, home: &Home, kib: u32) -> Command {
    let script = format!("trap '' XFSZ; ulimit -S -f {}; exec \"$0\" \"$@\"", kib * 2);
    let mut command = Command::new("sh");
    command.kill_on_drop(true);
    isolate(&mut command, home);
    command.args(["-c", &script]);
    command.arg(program.as_std().get_program());
    command
}

/// Wraps a program so that it runs as the user `nobody` if the tests run as root, and otherwise as the current
/// user.
pub(crate) fn unprivileged(program: &Command, home: &Home) -> Command {
    as_nobody(home, program.as_std().get_program().as_ref())
}

/// Prepares a run of a program like [`unprivileged`].
pub(crate) fn as_nobody(home: &Home, program: &Path) -> Command {
    const NOBODY: &str = "65534";
    let is_root = std::fs::metadata(home.path()).is_ok_and(|home| home.uid() == 0);
    let mut command = if is_root {
        // The build directory may be inaccessible to the user `nobody`.
        let copy = home.path().join("program");
        std::fs::copy(program, &copy).expect("the home is writable");
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--"])
            .arg(copy);
        command
    } else {
        Command::new(program)
    };
    command.kill_on_drop(true);
    isolate(&mut command, home);
    command
}

/// Runs a prepared program to its end, with `stdin` as its whole standard input.
pub async fn run(mut command: Command, stdin: impl AsRef<[u8]>) -> Output {
    let what = format!("{command:?} to end");
    let mut child = start(&mut command);
    let mut pipe = child.stdin.take().expect("standard input is piped");
    let written = async {
        // A program may end without reading its input: a broken pipe is no failure.
        let _ = pipe.write_all(stdin.as_ref()).await;
        drop(pipe);
    };
    let ended = async { tokio::join!(written, child.wait_with_output()).1 };
    let output = within_deadline(&what, ended)
        .await
        .expect("output can be read");
    Output {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Starts a prepared program with all three streams piped.
pub fn start(command: &mut Command) -> Child {
    let what = format!("{command:?} cannot be started");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect(&what)
}

/// Prepares a run of a built program in the given home.
pub(crate) fn program(name: &str, home: &Home) -> Command {
    let mut command = Command::new(built(name));
    command.kill_on_drop(true);
    isolate(&mut command, home);
    command
}

/// Isolates the program from the developer's own configuration, keys and data.
pub(crate) fn isolate(command: &mut Command, home: &Home) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("RECALL_KIT_")
            || [
                "OPENAI_",
                "OTEL_",
                "CLAUDE_",
                "CODEX_",
                "BASIC_MEMORY_",
                "MEM0_",
                "MCP_MEMORY_",
                "CQ_",
                "ENGRAM_",
            ]
            .iter()
            .any(|family| text.starts_with(family))
            || ["MEMORY_FILE_PATH", "PREFIX"].contains(&&*text)
        {
            command.env_remove(&name);
        }
    }
    command
        .current_dir(home.path())
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path().join(".config"))
        .env("XDG_DATA_HOME", home.path().join(".local/share"))
        .env("XDG_STATE_HOME", home.path().join(".local/state"))
        .env("XDG_CACHE_HOME", home.path().join(".cache"))
        // These give access to the developer's keyring.
        .env("XDG_RUNTIME_DIR", home.path())
        .env_remove("DBUS_SESSION_BUS_ADDRESS")
        .env("RECALL_KIT_DATA_DIR", home.data_dir())
        .env("RECALL_KIT_EMBEDDINGS__PROVIDER", "off")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("COLUMNS")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("NO_COLOR")
        .env_remove("RUST_LOG")
        .env_remove("EDITOR")
        .env_remove("VISUAL");
    if let Some(url) = home.database_url() {
        command.env("RECALL_KIT_DATABASE__URL", url);
    }
}

/// Returns the path of a built program: in `RECALL_KIT_BIN_DIR`, otherwise in the directory above that of this
/// test.
pub fn built(name: &str) -> PathBuf {
    let dir = std::env::var_os("RECALL_KIT_BIN_DIR").map_or_else(
        || {
            let test = std::env::current_exe().expect("a running test has a path");
            let deps = test.parent().expect("a file has a directory");
            deps.parent().map_or_else(PathBuf::new, Path::to_path_buf)
        },
        PathBuf::from,
    );
    let path = dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{} is not built: `tests/run` builds the programs before it runs the tests, as does \
         `cargo build --workspace`",
        path.display()
    );
    path
}
