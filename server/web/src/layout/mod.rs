//! The common parts of pages: the frame, static files, Markdown, and syntax highlighting.

pub(crate) mod assets;
pub(crate) mod highlight;
pub(crate) mod markdown;
pub(crate) mod page;
pub(crate) mod plain;
