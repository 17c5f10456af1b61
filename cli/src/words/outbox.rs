//! The texts of `outbox`, and those of other commands about the outbox.

/// The texts about the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutboxWords {
    pub(crate) nothing_waits: &'static str,
    pub(crate) encrypted: &'static str,
    /// With `{}` for the number of files that are not encrypted, and of all.
    pub(crate) not_encrypted: &'static str,
    /// Comes before the reports of hooks, with `{}` for their number.
    pub(crate) observed: &'static str,
    /// Replaces the title of an experience that cannot be read.
    pub(crate) unreadable: &'static str,
    /// This and the next are the states of an experience.
    pub(crate) waits: &'static str,
    pub(crate) refused: &'static str,
    /// With `{}` for the age, the server and the number of attempts.
    pub(crate) about: &'static str,
    /// Replaces the last error if there was none yet.
    pub(crate) under_way: &'static str,
    /// A question, with `{}` for the servers that experiences were confirmed for, and the current one.
    pub(crate) for_another: &'static str,
    pub(crate) no_they_wait: &'static str,
    /// If Ctrl-C ended the sending.
    pub(crate) left_behind: &'static str,
    /// With `{}` for the numbers of sent and of waiting experiences.
    pub(crate) done: &'static str,
    /// With `{}` for the number of experiences that were confirmed for other servers.
    pub(crate) elsewhere: &'static str,
    /// This and the next with `{}` for an id.
    pub(crate) no_such: &'static str,
    pub(crate) not_readable: &'static str,
    /// If it was sent or dropped while it was edited.
    pub(crate) gone: &'static str,
    /// With `{}` for the number.
    pub(crate) dropped: &'static str,
    /// This and the next two with `{}` for the id.
    pub(crate) kept: &'static str,
    pub(crate) kept_refused: &'static str,
    /// If an edited text was not confirmed.
    pub(crate) first_stays: &'static str,
    /// Comes before the reason why nothing could be stored.
    pub(crate) not_kept: &'static str,
    /// With `{}` for the number.
    pub(crate) sent_besides: &'static str,
    /// With `{}` for the id.
    pub(crate) refused_besides: &'static str,
}
