//! Addresses of pages: made of their parts, and never led away from the server.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stays as it is in a segment and in a query. Source: RFC 3986, unreserved characters.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Writes a path with those parameters that say something.
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
            address.extend(utf8_percent_encode(value, KEPT));
            mark = '&';
        }
    }
    address
}

/// Writes a text as one segment of a path.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// Returns a path of this server, or the front page for anything that could lead elsewhere: another
/// host, also one that only a browser reads as such (`//host`, `/\host`, tabs and line breaks
/// between).
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
