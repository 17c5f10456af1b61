//! Streams that expand to too much, with each filter and combinations of filters.

#![allow(clippy::unwrap_used)]

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};
use pdf_extract::Object;
use weezl::{BitOrder, encode::Encoder};

use super::*;

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn lzw(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = Encoder::with_tiff_size_switch(BitOrder::Msb, 8);
    encoder.encode(bytes).unwrap()
}

/// Encodes as ASCII 85, without the abbreviation `z` for four zeros.
fn ascii85(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for group in bytes.chunks(4) {
        let mut padded = [0; 4];
        padded[..group.len()].copy_from_slice(group);
        let mut number = u32::from_be_bytes(padded);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = u8::try_from(number % 85).unwrap() + b'!';
            number /= 85;
        }
        out.extend_from_slice(&digits[..=group.len()]);
    }
    out.extend_from_slice(b"~>");
    out
}

fn stream(filters: &[&str], content: Vec<u8>) -> Stream {
    let filters = filters
        .iter()
        .map(|it| Object::Name(it.as_bytes().to_vec()));
    let mut dictionary = Dictionary::new();
    dictionary.set("Filter", Object::Array(filters.collect()));
    Stream::new(dictionary, content)
}

#[test]
fn every_filter_is_limited() {
    fn check(filters: &[&str], content: Vec<u8>, expected: Option<usize>) {
        let unpacked = unpacked(&stream(filters, content)).ok();
        assert_eq!(unpacked, expected, "{filters:?}");
    }
    let (flate, lzw_name, ascii) = ("FlateDecode", "LZWDecode", "ASCII85Decode");
    let text = b"BT /F1 12 Tf (word) Tj ET\n".repeat(100);
    check(&[flate], deflated(&text), Some(text.len()));
    check(&[lzw_name], lzw(&text), Some(text.len()));
    check(&[ascii], ascii85(&text), Some(text.len()));
    check(&[ascii, flate], ascii85(&deflated(&text)), Some(text.len()));
    check(&[], text.clone(), Some(0));
    let bomb = vec![0; RATIO_FROM + 1];
    let (flat, twice) = (deflated(&bomb), deflated(&deflated(&bomb)));
    check(&[flate], flat.clone(), None);
    check(&[flate, flate], twice, None);
    check(&[lzw_name], lzw(&bomb), None);
    check(&[ascii, flate], ascii85(&flat), None);
    check(&[flate, ascii], deflated(&vec![b'z'; RATIO_FROM / 2]), None);
    // A broken header does not hide the rest.
    let mut broken = flat;
    broken[0] ^= 0xff;
    check(&[flate], broken, None);
    // Filters that the loader does not support are not applied.
    check(&["DCTDecode", flate], text, Some(0));
}

#[test]
fn streams_that_the_loader_decompresses_are_limited_first() {
    let bomb = deflated(&vec![b'0'; RATIO_FROM + 1]);
    for kind in ["XRef", "ObjStm"] {
        let mut file = b"%PDF-1.5\n".to_vec();
        let start = file.len();
        let (first, index) = ("/First 4 /N 1", "/W [1 2 1] /Index [0 2] /Root 1 0 R");
        let head = format!(
            "1 0 obj\n<< /Type /{kind} /Size 2 {first} {index} /Filter /FlateDecode /Length {} >> stream\n",
            bomb.len()
        );
        file.extend_from_slice(head.as_bytes());
        file.extend_from_slice(&bomb);
        file.extend_from_slice(b"\nendstream\nendobj\n");
        let table = file.len();
        let entry = format!("xref\n0 2\n0000000000 65535 f \n{start:010} 00000 n \n");
        file.extend_from_slice(entry.as_bytes());
        let at = if kind == "XRef" { start } else { table };
        let tail = format!("trailer << /Size 2 /Root 1 0 R >>\nstartxref\n{at}\n%%EOF");
        file.extend_from_slice(tail.as_bytes());
        let error = load(&file).map(|_| ()).unwrap_err();
        assert_eq!(error, "its streams unpack to more than 4 MB", "{kind}");
    }
}
