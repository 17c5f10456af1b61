//! The texts of `doctor`.

/// The texts of `doctor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DoctorWords {
    /// This and the next six are the names of the checks.
    pub(crate) configuration: &'static str,
    pub(crate) program: &'static str,
    pub(crate) alive: &'static str,
    pub(crate) ready: &'static str,
    pub(crate) server: &'static str,
    pub(crate) tools: &'static str,
    pub(crate) sanitizer: &'static str,
    /// The name of the check of the hooks.
    pub(crate) hooks: &'static str,
    pub(crate) no_hooks: &'static str,
    /// With `{}` for a host, milliseconds, a source and a day.
    pub(crate) hook_works: &'static str,
    /// With `{}` for a host and a command.
    pub(crate) hook_fails: &'static str,
    pub(crate) hook_hint: &'static str,
    /// With `{}` for a host.
    pub(crate) hook_of_project: &'static str,
    /// With `{}` for a host and a command.
    pub(crate) hook_not_started: &'static str,
    /// With `{}` for a host and a runner of packages.
    pub(crate) hook_of_runner: &'static str,
    pub(crate) hook_path_hint: &'static str,
    /// With `{}` for observe, ask or off.
    pub(crate) outcomes: &'static str,
    /// The name of the check of the error log.
    pub(crate) errors: &'static str,
    /// With `{}` for the log.
    pub(crate) no_errors: &'static str,
    /// With `{}` for the log and the number of entries.
    pub(crate) errors_noted: &'static str,
    /// If the configuration cannot be read.
    pub(crate) not_checked: &'static str,
    /// The hints for ignored files: for one that can be trusted, and for one that cannot.
    pub(crate) trust_hint: &'static str,
    pub(crate) trust_named: &'static str,
    /// Comes before a hint.
    pub(crate) hint: &'static str,
    /// If Ctrl-C ended it.
    pub(crate) nothing_changed: &'static str,
    pub(crate) no_file: &'static str,
    /// If the server cannot be reached.
    pub(crate) start_it: &'static str,
    /// With `{}` for a URL.
    pub(crate) no_route: &'static str,
    pub(crate) no_route_hint: &'static str,
    /// With `{}` for a URL and its status.
    pub(crate) status: &'static str,
    pub(crate) status_hint: &'static str,
    pub(crate) not_asked: &'static str,
    /// With `{}` for name, version, protocol and milliseconds.
    pub(crate) greeting: &'static str,
    /// With `{}` for this program's version.
    pub(crate) other_version: &'static str,
    /// With `{}` for tools.
    pub(crate) missing: &'static str,
    pub(crate) missing_hint: &'static str,
    pub(crate) off: &'static str,
    pub(crate) off_hint: &'static str,
    pub(crate) not_removed: &'static str,
    pub(crate) report_it: &'static str,
    /// With `{}` for groups of rules.
    pub(crate) removes: &'static str,
    /// With `{}` for the number of rules: all, those with a source, and those without.
    pub(crate) rules: &'static str,
    /// This and the next with `{}` for the number.
    pub(crate) own_rules: &'static str,
    pub(crate) allow_entries: &'static str,
    /// With `{}` for the number of an allow entry.
    pub(crate) removed_all_the_same: &'static str,
}
