//! The order of versions.

use std::cmp::Ordering;

/// Orders versions: numbers by value, `1.0.0-rc.1` before `1.0.0`, `v1` as `1`.
pub fn by_version(a: &str, b: &str) -> Ordering {
    let (left, right) = (pieces(a), pieces(b));
    for pair in left.iter().zip(&right) {
        let order = match pair {
            (Piece::Number(a), Piece::Number(b)) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
            (Piece::Text(a), Piece::Text(b)) => a.cmp(b),
            (Piece::Number(_), Piece::Text(_)) => Ordering::Greater,
            (Piece::Text(_), Piece::Number(_)) => Ordering::Less,
        };
        if order.is_ne() {
            return order;
        }
    }
    // `1.0` is before `1.0.1`, but after `1.0-rc1`.
    let rest = |longer: &[Piece<'_>], shorter: usize| match longer.get(shorter) {
        Some(Piece::Text(_)) => Ordering::Less,
        _ => Ordering::Greater,
    };
    match left.len().cmp(&right.len()) {
        Ordering::Greater => rest(&left, right.len()),
        Ordering::Less => rest(&right, left.len()).reverse(),
        Ordering::Equal => a.cmp(b),
    }
}

enum Piece<'a> {
    /// Without leading zeros.
    Number(&'a str),
    Text(&'a str),
}

fn pieces(version: &str) -> Vec<Piece<'_>> {
    let is_numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let unprefixed = version.strip_prefix(['v', 'V']);
    let mut rest = unprefixed
        .filter(|rest| is_numbered(rest))
        .unwrap_or(version);
    let mut pieces = Vec::new();
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let ends = |c: char| c.is_ascii_digit() != is_digit || ".-_+/".contains(c);
        let end = rest.find(ends).unwrap_or(rest.len());
        let (piece, more) = rest.split_at(end);
        rest = more;
        if piece.is_empty() {
            // A separator.
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        } else if is_digit {
            pieces.push(Piece::Number(piece.trim_start_matches('0')));
        } else {
            pieces.push(Piece::Text(piece));
        }
    }
    pieces
}
