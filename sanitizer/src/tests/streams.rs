//! Texts in pieces: the pieces do not matter, what was learnt stays, nothing is passed over in silence.

use super::{holds_promises, joined};
use crate::stream::{Reason, Stream, Streamed};
use crate::{RuleGroup, Sanitizer, sanitize};

/// Sanitizes a text in pieces of so many bytes, with parts of so many.
fn streamed(bytes: &[u8], piece: usize, part: usize) -> Streamed {
    let mut stream = Stream::new(Sanitizer::builtin(), &RuleGroup::REMOVAL, part);
    let mut all = Streamed::default();
    let mut add = |done: Streamed| {
        all.text += &done.text;
        all.findings.extend(done.findings);
        all.unjudged.extend(done.unjudged);
    };
    for piece in bytes.chunks(piece) {
        add(stream.push(piece));
    }
    add(stream.finish());
    all
}

fn log() -> String {
    let mut log = String::new();
    for line in 0..60 {
        log += &match line % 6 {
            0 => joined(&format!("DB_PASSWORD=hunter-¦86-{line}\n")),
            1 => format!("line {line} by nadia.k@oakmere.net from 10.104.87.{line}\n"),
            2 => "nothing to see — 漢字\n\n".to_owned(),
            3 => joined(&format!("again hunter-¦86-{}\n", line - 3)),
            4 => joined(
                "-----BEGIN PRIVATE¦ KEY-----\nMIIiVldYA7tT92w1NNlVY7Ae8re9HTe4\nMIIiVldYA7tT92w1NNlVY7Ae8re9HTe4\n-----END PRIVATE KEY-----\n",
            ),
            _ => "key:\n  value\n".to_owned(),
        };
    }
    log
}

#[test]
fn pieces_do_not_matter_and_parts_neither_where_lines_stand_alone() {
    let log = log();
    let whole = sanitize(&log, &RuleGroup::REMOVAL);
    for part in [300, 512, 1000, 100_000] {
        let expected = streamed(log.as_bytes(), log.len(), part);
        assert_eq!(expected.text, whole.text, "parts of {part}");
        assert_eq!(expected.findings, whole.findings, "parts of {part}");
        assert_eq!(expected.unjudged, [], "parts of {part}");
        for piece in [1, 7, 64, 299] {
            assert_eq!(
                streamed(log.as_bytes(), piece, part),
                expected,
                "{piece} of {part}"
            );
        }
    }
    holds_promises(&log, &RuleGroup::REMOVAL);
}

#[test]
fn what_is_not_text_is_replaced_and_reported() {
    let mut bytes = b"ok \xff\xfe ".to_vec();
    bytes.extend(joined("PASSWORD=\"hunter-¦86-x\"\nÃ").bytes());
    bytes.push(0xe2);
    let done = streamed(&bytes, 3, 4096);
    assert_eq!(
        done.text,
        "ok \u{fffd}\u{fffd} PASSWORD=\"YOUR_PASSWORD\"\nÃ\u{fffd}"
    );
    let found = done.findings.first().map(|finding| finding.span.clone());
    assert_eq!(found, Some(16..27));
    let spans: Vec<_> = done
        .unjudged
        .iter()
        .map(|one| (one.span.clone(), one.reason))
        .collect();
    let end = bytes.len();
    assert_eq!(
        spans,
        [
            (3..4, Reason::NotUtf8),
            (4..5, Reason::NotUtf8),
            (end - 1..end, Reason::NotUtf8)
        ]
    );
    let report = Sanitizer::builtin()
        .check_reader(&b"\xff"[..], &RuleGroup::REMOVAL)
        .unwrap();
    assert!(!report.is_clean() && report.kinds.is_empty());
}

#[test]
fn lines_longer_than_a_part_are_cut_between_words_and_reported() {
    let line = joined("x, PASSWORD=\"hunter-¦86-x\"; ").repeat(40);
    let done = streamed(line.as_bytes(), 100, 256);
    assert_eq!(done.text, sanitize(&line, &RuleGroup::REMOVAL).text);
    assert!(!done.unjudged.is_empty());
    assert!(
        done.unjudged
            .iter()
            .all(|one| one.reason == Reason::LongLine)
    );
    let run = "é".repeat(1000);
    assert_eq!(streamed(run.as_bytes(), 11, 64).text, run);
}

#[test]
fn variables_of_long_texts_are_reported() {
    let code = "const total = rows.length;\nuse(total);\n".repeat(30);
    let mut stream = Stream::new(Sanitizer::builtin(), &RuleGroup::ALL, 200);
    let done = stream.push(code.as_bytes());
    assert_eq!(
        done.unjudged.first().map(|one| one.reason),
        Some(Reason::Variables)
    );
    assert!(done.text.starts_with("const total"));
    let mut short = Stream::new(Sanitizer::builtin(), &RuleGroup::ALL, 4096);
    assert_eq!(short.push(code.as_bytes()).text, "");
    assert!(short.finish().text.starts_with("const var_001"));
}

#[test]
fn readers_become_writers() {
    let (log, mut written) = (log(), Vec::new());
    let sanitizer = Sanitizer::builtin();
    let report = sanitizer
        .sanitize_reader(log.as_bytes(), &mut written, &RuleGroup::REMOVAL)
        .unwrap();
    let whole = sanitize(&log, &RuleGroup::REMOVAL);
    assert_eq!(written, whole.text.as_bytes());
    assert_eq!(report.kinds, crate::summary(&whole.findings));
    assert!(!report.is_clean());
    let clean = sanitizer
        .check_reader(&written[..], &RuleGroup::REMOVAL)
        .unwrap();
    assert!(clean.is_clean(), "{clean:?}");
}

#[test]
fn a_byte_order_mark_stays_where_a_file_begins_and_nowhere_else() {
    let text = "\u{feff}one\n\u{feff}two\u{200b}\n";
    for piece in [1, 2, 100] {
        let done = streamed(text.as_bytes(), piece, 64);
        assert_eq!(done.text, "\u{feff}one\ntwo\n");
        let spans = done
            .findings
            .iter()
            .map(|finding| &text[finding.span.clone()]);
        assert_eq!(spans.collect::<Vec<_>>(), ["\u{feff}", "\u{200b}"]);
    }
}
