//! The user's service that runs the server: a systemd unit or a LaunchAgent, without root.

use std::path::{Path, PathBuf};

use super::{EditError, places::Places};

/// The name of the systemd unit.
pub(crate) const UNIT_NAME: &str = "recall-kit.service";
/// The name of the LaunchAgent.
const LABEL: &str = "org.recall-kit.server";
/// The line by which the file is recognized as ours.
// XML comments may not contain two hyphens, so the options have none.
const MARK: &str = "Written by `recall-kit-client init`: its options `service` and `remove` write it and take it away.";

/// The program that starts services of users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manager {
    Systemd,
    Launchd,
}

impl Manager {
    /// Returns the manager of this platform; `None` if it has none for users.
    pub(crate) fn of_platform() -> Option<Self> {
        match std::env::consts::OS {
            "linux" => Some(Self::Systemd),
            "macos" => Some(Self::Launchd),
            _ => None,
        }
    }

    /// Returns the path of the service's file.
    pub(crate) fn file(self, places: &Places) -> PathBuf {
        match self {
            Self::Systemd => places.config_dir.join("systemd/user").join(UNIT_NAME),
            Self::Launchd => {
                let agents = places.home.join("Library/LaunchAgents");
                agents.join(format!("{LABEL}.plist"))
            }
        }
    }

    /// Returns the file that runs this server program.
    pub(crate) fn text(self, program: &Path) -> String {
        let program = program.to_string_lossy();
        match self {
            Self::Systemd => unit(&program),
            Self::Launchd => launch_agent(&program),
        }
    }

    /// Returns the commands that start the service now and with each session. `file` is its file.
    pub(crate) fn starting(self, file: &Path) -> Vec<Vec<String>> {
        match self {
            Self::Systemd => vec![
                command(&["systemctl", "--user", "daemon-reload"]),
                command(&["systemctl", "--user", "enable", UNIT_NAME]),
                // A running server is restarted with the new file.
                command(&["systemctl", "--user", "restart", UNIT_NAME]),
            ],
            Self::Launchd => vec![command(&[
                "launchctl",
                "load",
                "-w",
                &file.to_string_lossy(),
            ])],
        }
    }

    /// Returns the commands that stop the service, while its file is still there.
    pub(crate) fn stopping(self, file: &Path) -> Vec<Vec<String>> {
        match self {
            Self::Systemd => vec![command(&[
                "systemctl",
                "--user",
                "disable",
                "--now",
                UNIT_NAME,
            ])],
            Self::Launchd => vec![command(&[
                "launchctl",
                "unload",
                "-w",
                &file.to_string_lossy(),
            ])],
        }
    }

    /// Returns the command that shows the service's log.
    pub(crate) fn log(self) -> &'static str {
        match self {
            Self::Systemd => "journalctl --user -u recall-kit",
            Self::Launchd => "launchctl list org.recall-kit.server",
        }
    }
}

fn command(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns the text with the service; `force` replaces a file that we did not write.
pub(super) fn added(text: &str, service: &str, force: bool) -> Result<String, EditError> {
    match text.is_empty() || text.contains(MARK) || force {
        true => Ok(service.to_owned()),
        false => Err(EditError::NotOurs),
    }
}

/// Returns what stays of the text: nothing; `None` if it is not ours.
pub(super) fn removed(text: &str) -> Option<String> {
    text.contains(MARK).then(String::new)
}

/// Returns the text if it is ours.
pub(super) fn installed(text: &str) -> Option<String> {
    text.contains(MARK).then(|| text.to_owned())
}

/// The hardening is what a user's manager can do everywhere: options that need namespaces would keep the server from
/// starting where users may not create any.
fn unit(program: &str) -> String {
    format!(
        "\
# {MARK}

[Unit]
Description=RecallKit server, shared memory for AI coding agents

[Service]
Type=exec
ExecStart={} serve
Restart=on-failure
RestartSec=2
# Stopping stores counts and closes the database, which takes up to 10 seconds.
TimeoutStopSec=15
LimitNOFILE=65536
UMask=0077

NoNewPrivileges=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=default.target
",
        quoted_for_systemd(program)
    )
}

/// Quotes a word of `ExecStart=`, where `%` and `$` introduce specifiers and variables.
fn quoted_for_systemd(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('%', "%%").replace('$', "$$"))
}

fn launch_agent(program: &str) -> String {
    let program = program.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">
<!-- {MARK} -->
<plist version=\"1.0\">
<dict>
  <key>Label</key>
  <string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
    <string>{program}</string>
    <string>serve</string>
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
"
    )
}
