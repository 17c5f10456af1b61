//! Runs the rules: one overlapping pass over all anchors, then each woken rule in a bounded window.

use std::ops::Range;

use crate::RuleGroup;
use crate::clues::Clue;
use crate::rule::{Check, Rule};
use crate::rule_set::{Compiled, RuleSet, rules};
use crate::syntax::{floor, head, tail};
use crate::{checksum, hosts, persons, sites, value};

/// How much of the text around a span its check may read, in bytes.
const CONTEXT: usize = 320;

/// Finds every span that a rule of the given groups matches.
pub(crate) fn clues(text: &str, groups: &[RuleGroup]) -> Vec<Clue> {
    let set = rules();
    let mut clues = Vec::new();
    for (compiled, windows) in set.rules.iter().zip(windows(text, set)) {
        if groups.contains(&compiled.rule.group) {
            for window in windows {
                collect(text, compiled, window, &mut clues);
            }
        }
    }
    clues
}

/// For each rule the parts of the text that it may match in. Windows that overlap become one, so
/// that no byte is searched twice by a rule however many anchors stand close together.
fn windows(text: &str, set: &RuleSet) -> Vec<Vec<Range<usize>>> {
    let mut windows: Vec<Vec<Range<usize>>> = vec![Vec::new(); set.rules.len()];
    for hit in set.anchors.find_overlapping_iter(text) {
        for &index in set
            .woken
            .get(hit.pattern().as_usize())
            .into_iter()
            .flatten()
        {
            let (Some(compiled), Some(windows)) = (set.rules.get(index), windows.get_mut(index))
            else {
                continue;
            };
            let [before, after] = compiled.rule.reach;
            let start = floor(text, hit.start().saturating_sub(before));
            let end = floor(text, hit.end() + after);
            let covered = windows.last().is_some_and(|last| end <= last.end);
            let end = match covered {
                true => end,
                false => window_end(text, end, &compiled.rule),
            };
            match windows.last_mut() {
                Some(last) if start <= last.end => {
                    last.start = last.start.min(start);
                    last.end = last.end.max(end);
                }
                _ => windows.push(start..end),
            }
        }
    }
    for &index in &set.unanchored {
        if let Some(windows) = windows.get_mut(index) {
            windows.push(0..text.len());
        }
    }
    windows
}

/// No window cuts a secret: where its reach ends inside a run of visible characters, it goes on to
/// the end of the run and to the character behind, which a rule may ask for.
fn window_end(text: &str, end: usize, rule: &Rule) -> usize {
    let visible = |b: u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>');
    match rule.group {
        RuleGroup::RemoveApiKeys => text.ceil_char_boundary(run_end(text, end, visible) + 1),
        _ => end,
    }
}

/// The whole secret: a token longer than its rule knows goes to its last character.
fn whole_token(text: &str, span: Range<usize>, rule: &Rule) -> Range<usize> {
    let token = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let ends_in_token = text
        .as_bytes()
        .get(..span.end)
        .and_then(<[u8]>::last)
        .is_some_and(|last| token(*last) || *last == b'=');
    match rule.group {
        RuleGroup::RemoveApiKeys if ends_in_token => span.start..run_end(text, span.end, token),
        _ => span,
    }
}

/// Where the run of bytes that `belongs` accepts, all of them ASCII, ends from `at` on.
fn run_end(text: &str, at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take_while(|b| belongs(**b)).count()
}

/// Takes every match in the window. The next one may begin where the secret ends: what stands
/// behind it is often what has to stand before the next.
fn collect(text: &str, compiled: &'static Compiled, window: Range<usize>, clues: &mut Vec<Clue>) {
    let Some(haystack) = text.get(..window.end) else {
        return;
    };
    let mut at = window.start;
    while let Some(captures) = compiled.regex().captures_at(haystack, at) {
        let Some(whole) = captures.get(0) else {
            return;
        };
        let found = captures.name("secret").unwrap_or(whole);
        let span = whole_token(text, found.range(), &compiled.rule);
        at = span.end.max(text.ceil_char_boundary(at + 1));
        clues.extend(clue(text, compiled, span));
        if at > haystack.len() {
            return;
        }
    }
}

fn clue(text: &str, compiled: &'static Compiled, span: Range<usize>) -> Option<Clue> {
    let rule = &compiled.rule;
    let matched = text.get(span.clone())?;
    if matched.is_empty() || matched == rule.replacement || !holds(rule.check, text, &span, matched)
    {
        return None;
    }
    Some(Clue {
        span,
        group: rule.group,
        rule: &rule.id,
        kind: &rule.kind,
        replacement: rule.replacement.clone(),
        specific: true,
    })
}

fn holds(check: Check, text: &str, span: &Range<usize>, matched: &str) -> bool {
    let before = tail(text.get(..span.start).unwrap_or_default(), CONTEXT);
    let after = head(text.get(span.end..).unwrap_or_default(), CONTEXT);
    match check {
        Check::Value => !value::is_placeholder(matched) && !value::is_reference(matched),
        Check::Opaque => value::is_opaque(matched, 8),
        Check::Password => value::is_password(matched, true),
        Check::Chosen => value::is_password(matched, false),
        Check::KeyMaterial => value::has_key_material(matched),
        Check::Card => checksum::is_card(matched),
        Check::Iban => checksum::is_iban(matched),
        Check::ChineseId => checksum::is_chinese_id(matched),
        Check::Ssn => checksum::is_ssn(matched),
        Check::Cpf => checksum::is_cpf(matched),
        Check::Dni => checksum::is_dni(matched),
        Check::Identity => persons::is_identity(matched),
        Check::Address => persons::is_address(matched),
        Check::Ipv4 => hosts::is_private_ipv4(before, matched, after),
        Check::Ipv6 => hosts::is_private_ipv6(before, matched, after),
        Check::Mac => hosts::is_device_mac(before, matched, after),
        Check::Email => persons::is_email(before, matched, after),
        Check::UrlHost => hosts::is_private_in_url(before, matched, after),
        Check::BareHost => hosts::is_private_alone(before, matched, after),
        Check::KeyedHost => {
            !sites::is_manifest_page(before, matched) && hosts::is_private_keyed(matched, after)
        }
        Check::PortHost => hosts::is_private_with_port(before, matched),
        Check::User => persons::is_user(matched),
        Check::Name => persons::is_name(matched),
        Check::Person => persons::is_person(matched),
        Check::Login => persons::is_login(matched),
        Check::UrlUser => {
            persons::is_url_user(matched, after.split(['\n', ' ']).next().unwrap_or_default())
        }
        Check::ChineseMobile => persons::is_chinese_mobile(before, matched, after),
        Check::Phone => persons::is_phone(before, matched, after),
    }
}
