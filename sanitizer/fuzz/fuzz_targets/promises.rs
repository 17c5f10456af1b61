//! What the sanitizer promises of every text: clean stays clean, lines stay, pieces do not matter.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recall_kit_sanitizer::{RuleGroup, Sanitizer, check, fuzzing, sanitize};

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else {
        return;
    };
    let groups: Vec<RuleGroup> = RuleGroup::ALL
        .into_iter()
        .enumerate()
        .filter(|(bit, _)| choice >> bit & 1 == 1)
        .map(|(_, group)| group)
        .collect();
    let made = fuzzing::text(bytes);
    let bytes = match choice >> 7 {
        0 => bytes,
        _ => made.as_bytes(),
    };
    let text = String::from_utf8_lossy(bytes);
    let clean = sanitize(&text, &groups);
    assert_eq!(clean.text.split('\n').count(), text.split('\n').count());
    let again = check(&clean.text, &groups);
    assert!(again.is_empty(), "{text:?} {:?} {again:?}", clean.text);

    let mut stream = Sanitizer::builtin().stream(&groups);
    let mut streamed = String::new();
    for piece in bytes.chunks(usize::from(choice >> 4) + 1) {
        streamed += &stream.push(piece).text;
    }
    let done = stream.finish();
    streamed += &done.text;
    assert_eq!(streamed, clean.text);
});
