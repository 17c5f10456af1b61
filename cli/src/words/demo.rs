//! The texts of `demo`.

/// The texts of `demo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DemoWords {
    pub(crate) title: &'static str,
    pub(crate) subtitle: &'static str,
    /// With `{}` for the server and its version.
    pub(crate) started: &'static str,
    /// With `{}` for the number.
    pub(crate) stored: &'static str,
    pub(crate) ask: &'static str,
    /// Heading of a text before and after sanitizing.
    pub(crate) sanitized: &'static str,
    /// Comes before `next_steps`.
    pub(crate) next: &'static str,
    pub(crate) next_steps: &'static str,
    /// If Ctrl-C ended it.
    pub(crate) left_behind: &'static str,
}
