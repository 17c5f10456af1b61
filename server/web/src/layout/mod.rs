//! What every page is made of: its frame, style and scripts, Markdown, and code in colours.

pub(crate) mod assets;
pub(crate) mod highlight;
pub(crate) mod markdown;
pub(crate) mod page;
pub(crate) mod plain;
