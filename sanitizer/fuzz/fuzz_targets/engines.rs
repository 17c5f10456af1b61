//! Engine against engine: the matcher of a rule finds what `regex` finds, at every place and from its
//! anchors.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recall_kit_sanitizer::fuzzing;

fuzz_target!(|bytes: &[u8]| {
    let [high, low, middle, bytes @ ..] = bytes else {
        return;
    };
    let rule = usize::from(u16::from_be_bytes([*high, *low]));
    let (before, after) = bytes.split_at(bytes.len().min(usize::from(*middle)));
    fuzzing::engines_agree(rule, &fuzzing::text(before), &fuzzing::text(after));
});
