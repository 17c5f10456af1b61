//! Character references of HTML and XML: `&#89;`, `&#x59;`, `&lowbar;`. Source of the names: the HTML
//! standard, 13.5, of which these are the ones for ASCII and for what nobody sees.

use super::escapes::is_readable;
use crate::views::map::Edit;

/// Longest reference, in bytes.
const MAX_LENGTH: usize = 24;

/// Names and what they stand for.
const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("apos", '\''),
    ("ast", '*'),
    ("bsol", '\\'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("dash", '-'),
    ("dollar", '$'),
    ("equals", '='),
    ("excl", '!'),
    ("grave", '`'),
    ("gt", '>'),
    ("hat", '^'),
    ("hyphen", '-'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lrm", '\u{200e}'),
    ("lsqb", '['),
    ("lt", '<'),
    ("nbsp", ' '),
    ("ntilde", 'ñ'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("agrave", 'à'),
    ("ccedil", 'ç'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("auml", 'ä'),
    ("szlig", 'ß'),
    ("atilde", 'ã'),
    ("otilde", 'õ'),
    ("oacute", 'ó'),
    ("iacute", 'í'),
    ("aacute", 'á'),
    ("uacute", 'ú'),
    ("ecirc", 'ê'),
    ("ocirc", 'ô'),
    ("acirc", 'â'),
    ("euml", 'ë'),
    ("icirc", 'î'),
    ("ucirc", 'û'),
    ("ugrave", 'ù'),
    ("nobreak", '\u{2060}'),
    ("num", '#'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("quest", '?'),
    ("quot", '"'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcub", '}'),
    ("rlm", '\u{200f}'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("semi", ';'),
    ("shy", '\u{ad}'),
    ("sol", '/'),
    ("tilde", '~'),
    ("underbar", '_'),
    ("verbar", '|'),
    ("vert", '|'),
    ("zerowidthspace", '\u{200b}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
];

/// Adds what is read for each reference.
pub(in crate::views) fn edits(text: &str, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'&', bytes) {
        let Some(body) = bytes.get(at + 1..) else {
            break;
        };
        let found = match body.first() {
            Some(b'#') => numbered(body),
            Some(first) if first.is_ascii_alphabetic() => named(body),
            _ => None,
        };
        if let Some((c, length)) = found.filter(|(c, _)| is_readable(*c)) {
            let c = if c == '"' && is_in_attribute(bytes, at) {
                '\''
            } else {
                c
            };
            edits.push(Edit::read(at..at + 1 + length, c));
        }
    }
}

/// Whether a quote is written inside an attribute that quotes enclose: `data-x="{&quot;…`.
fn is_in_attribute(bytes: &[u8], at: usize) -> bool {
    const REACH: usize = 400;
    let near = bytes.get(at.saturating_sub(REACH)..at).unwrap_or_default();
    memchr::memrchr(b'"', near)
        .and_then(|quote| near.get(..quote))
        .is_some_and(|before| before.ends_with(b"="))
}

/// `#89;` and `#x59;`; the semicolon may be missing, as browsers have it.
fn numbered(body: &[u8]) -> Option<(char, usize)> {
    let (radix, from) = match body.get(1)? {
        b'x' | b'X' => (16, 2),
        _ => (10, 1),
    };
    let digits = body.get(from..)?.iter().take(7);
    let length = digits
        .take_while(|byte| char::from(**byte).is_digit(radix))
        .count();
    let number = std::str::from_utf8(body.get(from..from + length)?).ok()?;
    let c = char::from_u32(u32::from_str_radix(number, radix).ok()?)?;
    let end = from + length;
    Some((c, end + usize::from(body.get(end) == Some(&b';'))))
}

fn named(body: &[u8]) -> Option<(char, usize)> {
    let letters = body.iter().take(MAX_LENGTH);
    let length = letters
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    if body.get(length) != Some(&b';') {
        return None;
    }
    let name = body.get(..length)?;
    let same = |(known, _): &&(&str, char)| known.as_bytes().eq_ignore_ascii_case(name);
    let (_, c) = NAMED.iter().find(same)?;
    Some((*c, length + 1))
}
