//! Tells types, of programs and as people call them, from values.

use super::words::{TOLD_TYPES, TYPES};
use crate::words::wordlike::words;

/// `String`, `varchar(255)`, `Option<String>`, `string[]`, `&str`.
pub(super) fn is_type(value: &str) -> bool {
    let lower = value.to_lowercase();
    let word = lower
        .split([' ', '(', ',', '，'])
        .next()
        .unwrap_or_default();
    if TOLD_TYPES.contains(&word) || TOLD_TYPES.contains(&&*lower) {
        return true;
    }
    let bare = value.trim_start_matches(['&', '*', '?', ':']);
    let name = bare
        .split(['<', '(', '[', '|', '?', '!'])
        .next()
        .unwrap_or_default();
    name.len() <= 24
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && (TYPES.iter().any(|one| name.eq_ignore_ascii_case(one)) || is_class(name))
        && (bare.len() == name.len()
            || bare.ends_with(['>', ')', ']', '?', '!'])
            || is_sized(bare.get(name.len()..).unwrap_or_default())
            || bare.contains('|'))
}

/// `varchar(64`, of which the value's end took the bracket away.
fn is_sized(behind: &str) -> bool {
    behind
        .strip_prefix('(')
        .is_some_and(|size| !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit()))
}

/// `UITextField`, `PasswordInput`: what classes of fields and strings are called.
fn is_class(name: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "Field",
        "View",
        "Input",
        "Label",
        "Control",
        "String",
        "Bytes",
        "Type",
        "Text",
        "Schema",
        "Widget",
        "Box",
        "Str",
        "Ref",
        "Entity",
        "Dto",
        "Model",
        "Response",
        "Request",
        "Output",
        "Payload",
        "Enum",
        "Buffer",
        "Struct",
        "Interface",
        "Record",
        "Proto",
        "Expr",
        "Node",
        "Builder",
        "Factory",
        "Provider",
        "Service",
        "Repository",
        "Serializer",
        "Validator",
    ];
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_alphabetic())
        && words(name).len() >= 2
        && words(name)
            .last()
            .is_some_and(|last| ENDINGS.contains(last))
}
