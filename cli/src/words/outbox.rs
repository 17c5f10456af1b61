//! The words of `outbox`, and of what other commands do with it.

/// The outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutboxWords {
    pub(crate) nothing_waits: &'static str,
    pub(crate) encrypted: &'static str,
    /// With `{}` for how many of how many are not encrypted.
    pub(crate) not_encrypted: &'static str,
    /// Stands for the title of what cannot be read.
    pub(crate) unreadable: &'static str,
    /// How something in it stands, as does the next.
    pub(crate) waits: &'static str,
    pub(crate) refused: &'static str,
    /// With `{}` for its age, its server and how often it was tried.
    pub(crate) about: &'static str,
    /// Stands for the last error where there was none yet.
    pub(crate) under_way: &'static str,
    /// Asks, with `{}` for the servers it was confirmed for and the one of now.
    pub(crate) for_another: &'static str,
    pub(crate) no_they_wait: &'static str,
    /// Where Ctrl-C ended the sending.
    pub(crate) left_behind: &'static str,
    /// With `{}` for how many were sent and how many wait.
    pub(crate) done: &'static str,
    /// With `{}` for how many are meant for other servers.
    pub(crate) elsewhere: &'static str,
    /// With `{}` for an id, as does the next.
    pub(crate) no_such: &'static str,
    pub(crate) not_readable: &'static str,
    /// Where it went while it was edited.
    pub(crate) gone: &'static str,
    /// With `{}` for how many.
    pub(crate) dropped: &'static str,
    /// With `{}` for its id, as do the next two.
    pub(crate) kept: &'static str,
    pub(crate) kept_refused: &'static str,
    /// Where an edited text was not confirmed.
    pub(crate) first_stays: &'static str,
    /// Stands before the reason why nothing could be kept.
    pub(crate) not_kept: &'static str,
    /// With `{}` for how many.
    pub(crate) sent_besides: &'static str,
    /// With `{}` for its id.
    pub(crate) refused_besides: &'static str,
}
