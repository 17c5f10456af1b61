//! Addresses of pages: building them, and making sure that a redirect stays on this server.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that are encoded in a segment and in a query: all but the unreserved ones of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Returns a path with its parameters that are not empty.
pub(crate) fn with_query<'a>(
    path: &str,
    parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let mut address = path.to_owned();
    let mut mark = '?';
    for (name, value) in parameters {
        if !value.is_empty() {
            address.push(mark);
            address.push_str(name);
            address.push('=');
            address.extend(utf8_percent_encode(value, ENCODED));
            mark = '&';
        }
    }
    address
}

/// Returns a text as one encoded segment of a path.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Returns `path` if it is a path of this server; `/` for anything that could lead elsewhere, such as
/// another host, in any form that a browser accepts (`//host`, `/\host`, tabs and line breaks between).
pub(crate) fn own_path(path: &str) -> &str {
    let mut chars = path.chars();
    let is_path = chars.next() == Some('/');
    let leads_away = matches!(chars.next(), Some('/' | '\\'));
    let is_plain = path.chars().all(|c| c.is_ascii_graphic() && c != '\\');
    if is_path && !leads_away && is_plain {
        path
    } else {
        "/"
    }
}

#[cfg(test)]
mod tests;
