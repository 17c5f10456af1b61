//! Bytes in several encodings.

#![allow(clippy::unwrap_used)]

use super::{decode, decode_page, is_utf16};

fn check(bytes: &[u8], text: &str, encoding: &str, note: &str) {
    let decoded = decode(bytes);
    assert_eq!(
        (
            decoded.text.as_str(),
            decoded.encoding,
            decoded.to_string().as_str()
        ),
        (text, encoding, note)
    );
}

#[test]
fn texts_are_decoded_and_assumptions_are_reported() {
    check(b"", "", "UTF-8", "");
    check("naïve 日本".as_bytes(), "naïve 日本", "UTF-8", "");
    check(b"\xef\xbb\xbf# Title", "# Title", "UTF-8", "");
    check(b"\xff\xfeH\0\xe9\0", "Hé", "UTF-16LE", "");
    check(b"\xfe\xff\0H\0\xe9", "Hé", "UTF-16BE", "");
    check(
        b"\xff\xfeH\0\0",
        "H\u{fffd}",
        "UTF-16LE",
        "one place is not valid UTF-16LE and reads \u{fffd}",
    );
    let guess = "read as windows-1252, which is a guess";
    let latin = b"Le d\xe9veloppeur a \xe9t\xe9 tr\xe8s content \xe0 No\xebl";
    let read = "Le développeur a été très content à Noël";
    check(latin, read, "windows-1252", guess);
    let cyrillic = b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0, \xea\xe0\xea \xe4\xe5\xeb\xe0";
    let guess = "read as windows-1251, which is a guess";
    check(cyrillic, "Привет, мир, как дела", "windows-1251", guess);
    check(
        "naïve café déjà\u{0}".as_bytes(),
        "naïve café déjà\0",
        "UTF-8",
        "",
    );
    check(
        b"na\xc3\xafve caf\xc3\xa9 d\xc3\xa9j\xc3\xa0 \xff!",
        "naïve café déjà \u{fffd}!",
        "UTF-8",
        "one place is not valid UTF-8 and reads \u{fffd}",
    );
    // A replacement character in the source is not an error.
    check("\u{fffd}".as_bytes(), "\u{fffd}", "UTF-8", "");
}

#[test]
fn utf16_is_recognized_by_its_byte_order_mark() {
    assert!(is_utf16(b"\xff\xfea\0"));
    assert!(is_utf16(b"\xfe\xff\0a"));
    assert!(!is_utf16(b"\xff\xfe\0\0a\0\0\0"));
    assert!(!is_utf16(b"a\0b\0"));
}

#[test]
fn pages_declare_their_encoding() {
    fn check(page: &[u8], text: &str, encoding: &str) {
        let decoded = decode_page(page);
        assert_eq!((decoded.text.as_str(), decoded.encoding), (text, encoding));
        assert_eq!(decoded.to_string(), "");
    }
    check(
        b"<meta charset=ISO-8859-1>caf\xe9 \x80",
        "<meta charset=ISO-8859-1>café €",
        "windows-1252",
    );
    check(
        b"<meta content='text/html; charset=koi8-r'>\xf4",
        "<meta content='text/html; charset=koi8-r'>Т",
        "KOI8-R",
    );
    // Valid UTF-8 is read as UTF-8, whatever the page declares.
    check(
        "<meta charset=\"latin1\">é".as_bytes(),
        "<meta charset=\"latin1\">é",
        "UTF-8",
    );
}
