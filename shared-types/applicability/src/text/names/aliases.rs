//! Names that a text completes in parentheses: "Symfony 6 (symfony/framework-bundle)", "the artifact hibernate-core 6.1
//! (org.hibernate)".

use super::{
    super::tokens::{Kind, Token},
    written_in_full,
};
use crate::purl::PackageName;

/// How many tokens before the parentheses are looked at.
const LOOK_BACK: usize = 40;

/// Returns the names in lower case, and the package that each means in the text.
pub(in super::super) fn read(tokens: &[Token<'_>]) -> Vec<(String, PackageName)> {
    let inside = |at: usize| tokens[at].text == "(" && tokens[at + 2].text == ")";
    (0..tokens.len().saturating_sub(2))
        .filter(|at| inside(*at) && tokens[at + 1].kind == Kind::Word)
        .filter_map(|at| {
            let first = at.saturating_sub(LOOK_BACK);
            alias(&tokens[first..at], tokens[at + 1].text)
        })
        .collect()
}

/// Returns what a word in parentheses says of a name before it.
fn alias(before: &[Token<'_>], text: &str) -> Option<(String, PackageName)> {
    let mut sentence = before
        .iter()
        .rev()
        .take_while(|token| !matches!(token.kind, Kind::End))
        .filter(|token| token.kind == Kind::Word);
    if let Some((vendor, _)) = text.split_once('/') {
        let package = written_in_full(text, None).filter(|package| package.kind() == "composer")?;
        let named = sentence.any(|token| token.text.eq_ignore_ascii_case(vendor));
        return named.then(|| (vendor.to_lowercase(), package));
    }
    let is_group = text.split('.').count() >= 2
        && matches!(
            text.split('.').next(),
            Some("com" | "de" | "dev" | "io" | "net" | "org")
        );
    if !is_group {
        return None;
    }
    // An artifact has hyphens, or a version behind it.
    let artifact = before.iter().enumerate().rev().find(|(at, token)| {
        let versioned = before
            .get(at + 1)
            .is_some_and(|next| next.kind == Kind::Version);
        let plain = token
            .text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        token.kind == Kind::Word && plain && (token.text.contains('-') || versioned)
    });
    let name = artifact?.1.text;
    let package = PackageName::new("maven", Some(text), name).ok()?;
    Some((name.to_lowercase(), package))
}
