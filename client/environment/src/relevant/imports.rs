//! The table of names in source code for packages with other names.

use crate::package::Ecosystem;

const TABLE: &str = include_str!("imports.txt");

/// Returns each name in source code, in lower case, with the packages that it may be from.
pub(super) fn table() -> impl Iterator<Item = (Ecosystem, &'static str, Vec<&'static str>)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        let ecosystem = Ecosystem::named(words.next()?)?;
        Some((ecosystem, words.next()?, words.collect()))
    })
}
