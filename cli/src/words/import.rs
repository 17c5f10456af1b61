//! The texts of `import-from`.

/// The texts about importing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImportWords {
    /// If no source has anything.
    pub(crate) nothing: &'static str,
    pub(crate) nothing_hint: &'static str,
    /// With `{}` for the numbers of records that were found, that are new, and that are left out.
    pub(crate) counts: &'static str,
    /// What a record becomes, if it is no entry of the knowledge base.
    pub(crate) experience: &'static str,
    pub(crate) nothing_new: &'static str,
    /// A question, with `{}` for the number of records.
    pub(crate) question: &'static str,
    pub(crate) all: &'static str,
    pub(crate) choose: &'static str,
    /// Asks which records to import, and says which keys answer.
    pub(crate) which: &'static str,
    pub(crate) nothing_imported: &'static str,
    pub(crate) importing: &'static str,
    /// The state after Ctrl-C.
    pub(crate) interrupted: &'static str,
    /// With `{}` for the numbers of records and of links.
    pub(crate) done: &'static str,
}
