//! Typed ids.

#![allow(clippy::unwrap_used)]

use super::resolve::crockford;

#[test]
fn typed_ids_are_converted_to_their_alphabet() {
    for (typed, expected) in [
        ("01kan4q3", "01KAN4Q3"),
        (" O1KAN4Q3\n", "01KAN4Q3"),
        ("0lkani", "01KAN1"),
    ] {
        assert_eq!(crockford(typed), expected);
    }
}
