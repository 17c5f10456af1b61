//! Every match of a rule contains one of its anchors: a rule whose expression can match a text without
//! them would sleep through it. And every anchor stands in some match, within the rule's reach.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use recall_kit_evidence::keep;
use recall_kit_evidence::places::hosts::{INTERNAL_LABELS, INTERNAL_TLDS};
use recall_kit_evidence::places::sites;
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::RuleGroup::RemoveUrls;
use crate::Sanitizer;
use crate::rules::rule::Check;
use crate::rules::scan;

/// Letters that case folding equates with usual ones and that nobody writes in keys: the long s, the
/// Kelvin sign, old Cyrillic forms.
const OUTLANDISH: &[char] = &[
    'ſ', '\u{212a}', '\u{1c80}', '\u{1c81}', '\u{1c82}', '\u{1c83}', '\u{1c84}', '\u{1c85}',
    '\u{1c86}', '\u{1c87}', '\u{1c88}',
];

/// Texts that an expression matches without an anchor in them, one for each of the beginnings of
/// anchors that they may end in.
type Ways = BTreeMap<String, String>;

/// What matches that have no anchor in them look like. What stands beside a match (`^`, `\b`) is not
/// looked at.
struct Avoiding {
    /// In lower case.
    anchors: Vec<String>,
    /// The characters of anchors, in either case.
    letters: BTreeSet<char>,
    /// For each anchor that a match may hold as its first how many bytes of the match stand before it
    /// at least.
    before: RefCell<BTreeMap<String, usize>>,
}

impl Avoiding {
    fn new(anchors: impl Iterator<Item = String>) -> Self {
        let anchors: Vec<String> = anchors.map(|anchor| anchor.to_ascii_lowercase()).collect();
        let letters = anchors.iter().flat_map(|anchor| anchor.chars());
        let letters = letters.flat_map(|c| [c, c.to_ascii_uppercase()]).collect();
        Self {
            anchors,
            letters,
            before: RefCell::default(),
        }
    }

    /// A text that the expression matches and no anchor stands in.
    fn text(&self, hir: &Hir) -> Option<String> {
        let start = Ways::from([(String::new(), String::new())]);
        self.walk(hir, &start).into_values().next()
    }

    fn walk(&self, hir: &Hir, ways: &Ways) -> Ways {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => ways.clone(),
            HirKind::Literal(literal) => {
                let literal = std::str::from_utf8(&literal.0).unwrap();
                literal
                    .chars()
                    .fold(ways.clone(), |ways, c| self.step(&ways, &[c]))
            }
            HirKind::Class(class) => self.step(ways, &self.told_apart(class)),
            HirKind::Capture(capture) => self.walk(&capture.sub, ways),
            HirKind::Concat(parts) => parts
                .iter()
                .fold(ways.clone(), |ways, part| self.walk(part, &ways)),
            HirKind::Alternation(parts) => parts
                .iter()
                .flat_map(|part| self.walk(part, ways))
                .collect(),
            HirKind::Repetition(repeated) => {
                let least =
                    (0..repeated.min).fold(ways.clone(), |ways, _| self.walk(&repeated.sub, &ways));
                let (mut all, mut newest) = (least.clone(), least);
                let most = repeated.max.unwrap_or(u32::MAX);
                for _ in repeated.min..most {
                    newest = self.walk(&repeated.sub, &newest);
                    newest.retain(|end, _| !all.contains_key(end));
                    if newest.is_empty() {
                        break;
                    }
                    all.extend(newest.clone());
                }
                all
            }
        }
    }

    /// Each way gone on by one of the characters, where that ends no anchor.
    fn step(&self, ways: &Ways, chars: &[char]) -> Ways {
        let mut further = Ways::new();
        for (end, text) in ways {
            for &c in chars {
                let mut end = format!("{end}{}", c.to_ascii_lowercase());
                if let Some(anchor) = self.anchors.iter().find(|anchor| end.ends_with(*anchor)) {
                    let before = text.len() + c.len_utf8() - anchor.len();
                    let mut least = self.before.borrow_mut();
                    let least = least.entry(anchor.clone()).or_insert(before);
                    *least = before.min(*least);
                    continue;
                }
                while !self.anchors.iter().any(|anchor| anchor.starts_with(&end)) {
                    end.remove(0);
                }
                let gone = further.entry(end).or_insert_with(|| format!("{text}{c}"));
                if gone.len() > text.len() + c.len_utf8() {
                    *gone = format!("{text}{c}");
                }
            }
        }
        further
    }

    /// The characters of a class that anchors are made of, and one for all others.
    fn told_apart(&self, class: &Class) -> Vec<char> {
        let ranges: Vec<(char, char)> = match class {
            Class::Unicode(class) => class.iter().map(|r| (r.start(), r.end())).collect(),
            Class::Bytes(class) => {
                let ranges = class.iter();
                ranges.map(|r| (r.start().into(), r.end().into())).collect()
            }
        };
        let holds = |c: &char| ranges.iter().any(|(from, to)| (from..=to).contains(&c));
        let mut others = ranges.iter().flat_map(|(from, to)| *from..=*to);
        let other = others.find(|c| !self.letters.contains(c) && !OUTLANDISH.contains(c));
        let letters = self.letters.iter().copied().filter(holds);
        letters.chain(other).collect()
    }
}

#[test]
fn every_match_contains_an_anchor() {
    let mut asleep = Vec::new();
    for compiled in &Sanitizer::builtin().rules.rules {
        let rule = &compiled.rule;
        if rule.anchors.is_empty() || rule.beside || rule.check == Check::BareHost {
            continue;
        }
        let avoiding = Avoiding::new(rule.anchors.iter().map(ToString::to_string));
        let hir = regex_syntax::parse(&rule.pattern).unwrap();
        if let Some(text) = avoiding.text(&hir) {
            asleep.push(format!("{} sleeps through {text:?}", rule.id));
        }
        let [reach, _] = rule.reach;
        let least = avoiding.before.take();
        for anchor in &avoiding.anchors {
            match least.get(anchor) {
                None => asleep.push(format!("{} needs no {anchor:?}", rule.id)),
                Some(before) if *before > reach => {
                    asleep.push(format!("{} never reaches back from {anchor:?}", rule.id));
                }
                Some(_) => {}
            }
        }
    }
    assert_eq!(asleep, [""; 0]);
}

/// The expression of bare hosts matches any; what its check lets through has an anchor.
#[test]
fn every_private_host_contains_an_anchor() {
    let labels = INTERNAL_LABELS
        .iter()
        .map(|label| format!("ab.{label}.oakmere.net"));
    let ends = INTERNAL_TLDS
        .iter()
        .map(|end| format!("ab-1.oakmere.{end}"));
    let tenants = keep::tenants()
        .iter()
        .chain(sites::hosted())
        .map(|parent| format!("oakmere-1.{parent}"));
    let rules = &Sanitizer::builtin().rules;
    let asleep: Vec<String> = labels
        .chain(ends)
        .chain(tenants)
        .filter(|host| {
            !scan::alone(rules, host, &[RemoveUrls])
                .iter()
                .any(|clue| clue.rule == "private-host")
        })
        .collect();
    assert_eq!(asleep, [""; 0]);
}
