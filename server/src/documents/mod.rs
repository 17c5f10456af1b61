//! Reading documentation: where its files come from and what is in them.
//!
//! `source` walks the files of a folder, an archive, a git repository or a web address, `decode`
//! makes text of their bytes. Nothing here knows of databases, searching or transports.

pub mod decode;
pub mod source;
