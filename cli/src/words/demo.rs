//! The words of `demo`.

/// What `demo` tells while it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DemoWords {
    pub(crate) title: &'static str,
    pub(crate) subtitle: &'static str,
    /// With `{}` for the server and its version.
    pub(crate) started: &'static str,
    /// With `{}` for how many.
    pub(crate) stored: &'static str,
    pub(crate) ask: &'static str,
    /// Stands above a text before and after.
    pub(crate) sanitized: &'static str,
    /// Stands before `next_steps`.
    pub(crate) next: &'static str,
    pub(crate) next_steps: &'static str,
    /// Where Ctrl-C ended it.
    pub(crate) left_behind: &'static str,
}
