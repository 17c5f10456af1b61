//! The texts of `init` about the server, the service and the first call.

/// The texts of `init` about the server, the service and the first call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SetupWords {
    /// With `{}` for a URL.
    pub(crate) asking_server: &'static str,
    /// With `{}` for a URL, name, version and milliseconds.
    pub(crate) answers: &'static str,
    /// With `{}` for a URL; an answer.
    pub(crate) use_instead: &'static str,
    pub(crate) other_url: &'static str,
    /// Uses a server that could not be reached.
    pub(crate) go_on: &'static str,
    /// With `{}` for a URL.
    pub(crate) needs_key: &'static str,
    /// With `{}` for a host.
    pub(crate) key: &'static str,
    /// If a text cannot be a key.
    pub(crate) not_a_key: &'static str,
    pub(crate) key_refused: &'static str,
    pub(crate) other_key: &'static str,
    pub(crate) without_key: &'static str,
    /// With `{}` for a host that refused the credentials of the URL.
    pub(crate) credentials_refused: &'static str,
    /// With `{}` for a host: asks whether to send it a key without encryption.
    pub(crate) open_connection: &'static str,
    pub(crate) no_keys: &'static str,
    pub(crate) key_removed: &'static str,
    pub(crate) key_in_keyring: &'static str,
    /// With `{}` for a file.
    pub(crate) key_in_file: &'static str,
    /// The answers about the changes of several programs.
    pub(crate) all: &'static str,
    pub(crate) one_by_one: &'static str,
    /// With `{}` for a program: asks about its changes.
    pub(crate) write_of: &'static str,
    /// With `{}` for a file that is shown anew.
    pub(crate) overtaken: &'static str,
    /// The state after an interruption, if some files were written.
    pub(crate) rest_not_written: &'static str,
    /// With `{}` for agents.
    pub(crate) found: &'static str,
    pub(crate) none_found: &'static str,
    /// With `{}` for a file, the number of tools, a tool and seconds.
    pub(crate) first_call: &'static str,
    /// With `{}` for the number of results and the title of the first.
    pub(crate) results: &'static str,
    pub(crate) no_results: &'static str,
    /// If the server could not be reached before.
    pub(crate) not_checked: &'static str,
    /// With `{}` for a service and a URL.
    pub(crate) service_runs: &'static str,
    /// With `{}` for a service and a command.
    pub(crate) service_silent: &'static str,
    /// With `{}` for a reason and a command.
    pub(crate) no_manager: &'static str,
    /// What the user has to do for the hooks of Codex.
    pub(crate) trust_hooks: &'static str,
    /// With `{}` for a service.
    pub(crate) service_stopped: &'static str,
}
