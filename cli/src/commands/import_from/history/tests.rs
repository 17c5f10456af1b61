//! Files are read in pieces of whole lines.

use std::io::BufReader;

use super::{OVERLAP_BYTES, PIECE_BYTES, keep_end, read_piece};

#[test]
fn a_piece_has_whole_lines_and_a_line_that_is_too_long_is_left_out() {
    let line = "x".repeat(1 << 20);
    let long = "y".repeat(3 * PIECE_BYTES);
    let text = format!("first\n{long}\n{}last", format!("{line}\n").repeat(20));
    let mut reader = BufReader::new(text.as_bytes());
    let (mut piece, mut pieces, mut read) = (Vec::new(), 0, 0);
    while read_piece(&mut reader, &mut piece).unwrap() {
        assert!(piece.len() < 2 * PIECE_BYTES + OVERLAP_BYTES);
        let text = String::from_utf8(piece.clone()).unwrap();
        assert!(
            text.lines()
                .all(|it| it == line || it == "first" || it == "last")
        );
        read += text.lines().count();
        pieces += 1;
        keep_end(&mut piece);
    }
    // Lines of more than the overlap are not read again.
    assert_eq!((read, pieces > 2), (22, true));
}

#[test]
fn the_end_of_a_piece_is_read_again_with_the_next_one() {
    let mut piece = format!("{}\nab\ncd\n", "x".repeat(2 * OVERLAP_BYTES)).into_bytes();
    keep_end(&mut piece);
    assert_eq!(piece, b"ab\ncd\n");
    let mut short = b"ab\ncd\n".to_vec();
    keep_end(&mut short);
    assert_eq!(short, b"cd\n");
}
