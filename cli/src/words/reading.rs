//! The texts of `recall`, `knowledge`, `docs` and `show`.

/// The texts around what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadingWords {
    /// This and the next two name what a result is.
    pub(crate) experience: &'static str,
    pub(crate) knowledge: &'static str,
    pub(crate) library: &'static str,
    /// Says how one of the results is opened.
    pub(crate) how_to_open: &'static str,
    /// Says how the documentation of a library is read.
    pub(crate) how_to_read: &'static str,
    /// The hints if nothing was found: nothing at all, no entry, no documentation, no library.
    pub(crate) nothing_known: &'static str,
    pub(crate) no_entry: &'static str,
    pub(crate) no_documentation: &'static str,
    pub(crate) no_library: &'static str,
    /// If there is more documentation than was returned.
    pub(crate) more_documentation: &'static str,
    /// If the text of a section is cut.
    pub(crate) truncated: &'static str,
    /// If a library's documentation is old.
    pub(crate) stale: &'static str,
    /// With `{}` for the numbers of chunks with a vector and of all.
    pub(crate) embedding: &'static str,
    /// This and the next with `{}` for ids.
    pub(crate) superseded_by: &'static str,
    pub(crate) contradicts: &'static str,
    /// This and the next two with `{}` for the path of a file that an entry is about: it is as it was or that is not known, it is
    /// another one, or it is not there.
    pub(crate) cited_file: &'static str,
    pub(crate) changed_file: &'static str,
    pub(crate) missing_file: &'static str,
    /// This and the next come before the record that another was made from, or made into.
    pub(crate) promoted_from: &'static str,
    pub(crate) promoted_to: &'static str,
    /// With `{}` for a title, its relevance in a number and in words, and its id.
    pub(crate) resembles: &'static str,
}
