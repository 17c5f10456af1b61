//! Every rule, ready to run: one index over all anchors, one matcher each, made when first needed.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use recall_kit_evidence::keys::key;
use regex::Regex;

use crate::rules::anchors::{Anchor, Anchors, Found, Hit};
use crate::rules::pool::POOL;
use crate::rules::rule::Rule;
use crate::rules::shape::{Bytes, PLACES, Shape};

/// Most rules without anchors that are told apart by what they begin with.
const MAX_STARTERS: usize = 32;

/// The compiled rules.
#[derive(Debug)]
pub(crate) struct RuleSet {
    pub(crate) rules: Vec<Compiled>,
    /// Over the anchors of rules, the marks of keys and labels.
    pub(crate) anchors: Anchors,
    /// For each anchor the rules that it wakes.
    woken: Lists,
    /// For each anchor what key may stand there.
    marks: Box<[Option<Mark>]>,
    /// Rules without anchors that have a shape.
    pub(crate) starters: Starters,
    /// Rules without anchors and shape: the whole text is searched.
    pub(crate) unanchored: Vec<usize>,
}

/// What an anchor stands for.
#[derive(Debug, Default)]
struct Woken {
    rules: Vec<Waking>,
    /// A key may stand here.
    key: Option<Mark>,
}

/// A rule that an anchor wakes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waking {
    /// Its index.
    pub(crate) rule: usize,
    /// What may stand right behind the anchor.
    pub(crate) behind: &'static Bytes,
}

impl Waking {
    /// Whether the rule may match around an anchor that ends at `end`, by the byte behind it.
    #[inline]
    pub(crate) fn may_match(&self, text: &[u8], end: usize) -> bool {
        text.get(end).is_none_or(|byte| self.behind.contains(*byte))
    }
}

/// Lists of rules, one behind the other.
#[derive(Debug, Default)]
struct Lists {
    all: Vec<Waking>,
    ends: Vec<u32>,
}

impl Lists {
    fn push(&mut self, list: &[Waking]) {
        self.all.extend_from_slice(list);
        self.ends.push(self.all.len() as u32);
    }

    fn get(&self, number: usize) -> Option<&[Waking]> {
        let end = *self.ends.get(number)? as usize;
        let before = number.checked_sub(1).and_then(|last| self.ends.get(last));
        let start = before.map_or(0, |start| *start as usize);
        self.all.get(start..end)
    }
}

/// What a key is recognised by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A part of its name.
    Part,
    /// A label of [`key::labels`].
    Label,
    /// No key, but a statement that may list names of columns.
    Statement,
}

/// A rule and its matchers, made when it is first woken: a short text wakes few.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) rule: Rule,
    shape: OnceLock<Option<Shape>>,
    regex: OnceLock<Regex>,
}

impl Compiled {
    fn new(rule: Rule) -> Self {
        Self {
            rule,
            shape: OnceLock::new(),
            regex: OnceLock::new(),
        }
    }

    /// The matcher that starts at anchors; nothing where whole windows have to be searched.
    pub(crate) fn shape(&self) -> Option<&Shape> {
        let shape = self.shape.get_or_init(|| {
            let packed = self.rule.matcher?;
            let shape = Shape::read(packed, &POOL);
            Some(shape.unwrap_or_else(|| unreachable!("{} is read by a test", self.rule.id)))
        });
        shape.as_ref()
    }

    /// The linear-time engine.
    pub(crate) fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            Regex::new(&self.rule.pattern).unwrap_or_else(|error| {
                unreachable!("{} is compiled by a test: {error}", self.rule.id)
            })
        })
    }
}

impl RuleSet {
    /// Indexes rules by their anchors.
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        let rules: Vec<Compiled> = rules.into_iter().map(Compiled::new).collect();
        let mut woken: BTreeMap<String, Woken> = BTreeMap::new();
        for (index, compiled) in rules.iter().enumerate() {
            let mut behind = compiled.rule.behind.iter();
            for anchor in compiled.rule.anchors.iter() {
                let woken = woken.entry(anchor.to_ascii_lowercase()).or_default();
                let number = behind.next().map(|number| usize::from(*number));
                // The last one is this rule where the anchor stands twice in its list.
                if woken.rules.last().is_none_or(|last| last.rule != index) {
                    woken.rules.push(Waking {
                        rule: index,
                        behind: number
                            .and_then(|number| POOL.bytes.get(number))
                            .unwrap_or(&Bytes::ALL),
                    });
                }
            }
        }
        for mark in key::KEY_MARKS {
            woken.entry((*mark).to_owned()).or_default().key = Some(Mark::Part);
        }
        for (label, _) in key::labels() {
            woken.entry(label.to_ascii_lowercase()).or_default().key = Some(Mark::Label);
        }
        woken.entry(key::STATEMENT.to_owned()).or_default().key = Some(Mark::Statement);
        let beside = woken.iter().map(|(text, woken)| {
            let (before, after) = neighbours(&rules, text, woken);
            Anchor {
                text: text.as_bytes().into(),
                before,
                after,
            }
        });
        let mut anchors = Anchors::new(beside);
        let (starters, unanchored) = Starters::of(&rules);
        for (places, at_word) in &starters.firsts {
            anchors.watch(places, *at_word);
        }
        let mut lists = Lists::default();
        woken.values().for_each(|woken| lists.push(&woken.rules));
        Self {
            rules,
            anchors,
            woken: lists,
            marks: woken.values().map(|woken| woken.key).collect(),
            starters,
            unanchored,
        }
    }

    /// Returns the rules that an anchor wakes.
    pub(crate) fn woken(&self, anchor: u32) -> &[Waking] {
        self.woken.get(anchor as usize).unwrap_or_default()
    }

    /// Returns by what a key is recognised at a hit.
    pub(crate) fn mark(&self, hit: &Hit) -> Option<Mark> {
        match hit.anchor {
            Found::Anchor(anchor) => self.marks.get(anchor as usize).copied().flatten(),
            Found::Watched => None,
        }
    }
}

/// What may stand beside an anchor for one of the rules that it wakes.
fn neighbours(rules: &[Compiled], anchor: &str, woken: &Woken) -> (Bytes, Bytes) {
    const SHORT: usize = 2;
    if woken.key.is_some() {
        return (Bytes::ALL, Bytes::ALL);
    }
    if anchor.len() > SHORT {
        let mut after = Bytes::NONE;
        woken
            .rules
            .iter()
            .for_each(|waking| after.unite(waking.behind));
        return (Bytes::ALL, after);
    }
    let (mut all_before, mut all_after) = (Bytes::NONE, Bytes::NONE);
    for compiled in woken
        .rules
        .iter()
        .filter_map(|waking| rules.get(waking.rule))
    {
        let shape = compiled.shape();
        let (before, after) = shape.map_or((&Bytes::ALL, &Bytes::ALL), Shape::neighbours);
        all_before.unite(before);
        all_after.unite(after);
    }
    (all_before, all_after)
}

/// Rules without anchors, told apart by the first bytes of their matches.
#[derive(Debug)]
pub(crate) struct Starters {
    /// Their indices.
    pub(crate) rules: Vec<usize>,
    /// For each of the first places and each byte the rules that allow it there, as bits.
    places: Vec<[u32; 256]>,
    /// What they may begin with, two bytes, and whether only where a word begins.
    firsts: Vec<([Bytes; 2], bool)>,
}

impl Starters {
    /// Takes the rules without anchors; returns those that have no shape beside them.
    fn of(rules: &[Compiled]) -> (Self, Vec<usize>) {
        let mut starters = Self {
            rules: Vec::new(),
            places: vec![[0; 256]; PLACES],
            firsts: Vec::new(),
        };
        let mut others = Vec::new();
        for (index, compiled) in rules.iter().enumerate() {
            if !compiled.rule.anchors.is_empty() {
                continue;
            }
            match compiled.shape() {
                Some(shape) if starters.rules.len() < MAX_STARTERS => starters.add(index, shape),
                _ => others.push(index),
            }
        }
        (starters, others)
    }

    fn add(&mut self, index: usize, shape: &Shape) {
        let bit = 1 << self.rules.len();
        for (rules, allowed) in self.places.iter_mut().zip(shape.places()) {
            for (byte, rules) in (0..=u8::MAX).zip(rules) {
                if allowed.contains(byte) {
                    *rules |= bit;
                }
            }
        }
        let [first, second, ..] = *shape.places();
        self.firsts.push(([first, second], shape.begins_words()));
        self.rules.push(index);
    }

    /// The rules whose matches may begin at `at`, as bits.
    pub(crate) fn at(&self, text: &[u8], at: usize) -> u32 {
        let bytes = text.get(at..).unwrap_or_default();
        let mut rules = u32::MAX;
        for (place, byte) in self.places.iter().zip(bytes) {
            rules &= place.get(usize::from(*byte)).copied().unwrap_or(0);
            if rules == 0 {
                break;
            }
        }
        rules
    }
}
