//! Versions in text: what a record's texts say about where it applies, and what a question says about its surroundings.
//!
//! Texts become [`tokens`], tokens become [`items`] with the help of [`names`] and the [`lexicon`], and the [`grammar`]
//! finds expressions of versions among them. [`subjects`] finds the package of each, and [`statements`] reads what it
//! bounds from the words [`around`] it and its clause, or that the advice does not help there; [`meaning`] makes
//! ranges. Lines of manifests and tables are read first, each by its own syntax. Precision comes first: a number beside
//! a word that is no known package, runtime, tool or system says nothing.

mod around;
mod grammar;
mod items;
mod lexicon;
mod manifest_lines;
mod meaning;
mod names;
mod platforms;
mod statements;
mod subjects;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;

use std::{cmp::Ordering, collections::HashMap};

use recall_kit_shared_types::applicability::{
    Applies, AppliesSource, Environment, NamedVersion, PackageVersion,
    applicability_limits::{MAX_APPLIES, MAX_ENVIRONMENT_ITEMS, MAX_WORD_CHARS},
};

use self::{
    items::{Item, items},
    lexicon::Cue,
    meaning::fixed_range,
    names::{Mention, Names, aliases, ecosystem::Hints},
    statements::{Reader, Stated, Statement, is_for_security},
    tokens::{Token, tokens},
};
use crate::{claims::Claim, purl::PackageName, range::Range, scheme::Scheme, subject::Subject};

/// The texts of a record.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordTexts<'a> {
    /// The title.
    pub title: &'a str,
    /// The problem.
    pub problem: &'a str,
    /// What caused it.
    pub cause: &'a str,
    /// What solved it.
    pub solution: &'a str,
    /// Where it occurred.
    pub context: &'a str,
    /// Keywords.
    pub keywords: &'a [String],
}

/// Names of packages that are known beyond the built-in ones: seen in pins, environments and `applies`.
pub trait Vocabulary {
    /// Returns the package that a name in a text means.
    ///
    /// It is asked once for each distinct word, as it is written, and then in lower case.
    fn package(&self, name: &str) -> Option<PackageName>;
}

/// Knows no name beyond the built-in ones.
impl Vocabulary for () {
    fn package(&self, _: &str) -> Option<PackageName> {
        None
    }
}

/// Which text of a record is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Problem,
    Cause,
    Solution,
    Context,
    Keywords,
}

/// The most bytes of one text that are read; versions that matter stand before.
const MAX_TEXT: usize = 200_000;

/// One text, ready to be read.
struct Text<'a> {
    field: Field,
    /// The prose: lines of manifests and tables are read by themselves.
    tokens: Vec<Token<'a>>,
    lines: manifest_lines::Found,
    text: &'a str,
}

impl<'a> Text<'a> {
    fn read(field: Field, text: &'a str, hints: &mut Hints) -> Self {
        let mut end = text.len().min(MAX_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = &text[..end];
        let tokens = tokens(text);
        hints.read(text, &tokens);
        let lines = manifest_lines::read(text);
        for (package, _) in &lines.pins {
            hints.add(package.kind(), 2);
        }
        Self {
            field,
            tokens,
            lines,
            text,
        }
    }
}

/// Finds what a record's texts say about where it applies.
///
/// *Shape*: at most [`MAX_APPLIES`] items, each stated, or inferred where the texts deny it; packages first in the
/// order in which the texts name them.
pub fn claims_in(texts: &RecordTexts<'_>, vocabulary: &dyn Vocabulary) -> Vec<Applies> {
    let keywords = texts.keywords.join("\n\n");
    let fields = [
        (Field::Title, texts.title),
        (Field::Problem, texts.problem),
        (Field::Cause, texts.cause),
        (Field::Context, texts.context),
        (Field::Keywords, keywords.as_str()),
        (Field::Solution, texts.solution),
    ];
    let mut hints = Hints::default();
    let read = fields.map(|(field, text)| Text::read(field, text, &mut hints));
    let names = names_of(vocabulary, &read, &hints);
    let items: Vec<Vec<Item<'_>>> = read
        .iter()
        .map(|text| items(&text.tokens, &names))
        .collect();
    let fails = items.iter().flatten().any(|item| {
        matches!(
            item,
            Item::Cue(Cue::Fails | Cue::Broken | Cue::Gone | Cue::Unfit)
        )
    });
    let about_security = items.iter().any(|items| is_for_security(items));
    let topic = topic(&items);
    let mut collected = Collected::default();
    for (text, items) in read.iter().zip(&items) {
        collected.read(
            text,
            &Reader {
                items,
                names: &names,
                field: text.field,
                topic,
                fails,
                about_security,
            },
        );
    }
    collected.claims()
}

/// Finds the versions that a question names: of packages, runtimes, tools and the operating system.
///
/// *Shape*: each subject once, with the version that the text names last.
pub fn surroundings_in(question: &str, vocabulary: &dyn Vocabulary) -> Environment {
    let mut hints = Hints::default();
    let read = [Text::read(Field::Problem, question, &mut hints)];
    let names = names_of(vocabulary, &read, &hints);
    let items = items(&read[0].tokens, &names);
    let reader = Reader {
        items: &items,
        names: &names,
        field: Field::Problem,
        topic: None,
        fails: false,
        about_security: false,
    };
    let mut environment = Environment::default();
    let lines = read[0]
        .lines
        .pins
        .iter()
        .map(|(package, version)| (Subject::Package(package.clone()), version.as_str()));
    let mut pins: Vec<(Subject, &str)> = Vec::new();
    for (subject, version) in lines.chain(reader.pins()) {
        let version =
            crate::range::manifest::without_wildcard(version.trim_start_matches(['v', 'V']));
        if version.len() > MAX_WORD_CHARS {
            continue;
        }
        match pins.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, known)) => *known = version,
            None => pins.push((subject, version)),
        }
        if pins.len() >= MAX_APPLIES {
            break;
        }
    }
    for (subject, version) in pins {
        let version = Some(version.to_owned());
        match subject {
            Subject::Package(name) if environment.packages.len() < MAX_ENVIRONMENT_ITEMS => {
                environment.packages.push(PackageVersion {
                    purl: name.to_string(),
                    version,
                });
            }
            Subject::Package(_) => {}
            Subject::Runtime(name) => environment.runtimes.push(NamedVersion { name, version }),
            Subject::Tool(name) => environment.tools.push(NamedVersion { name, version }),
            Subject::Os(name) => {
                environment.os = version.map(|version| format!("{name} {version}"))
            }
        }
    }
    if environment.os.is_none() {
        environment.os = platforms::named(&items).into_iter().next();
    }
    environment
}

/// Prepares the names of some texts.
fn names_of<'v>(vocabulary: &'v dyn Vocabulary, texts: &[Text<'_>], hints: &Hints) -> Names<'v> {
    let mut local = HashMap::new();
    for (package, _) in texts.iter().flat_map(|text| &text.lines.pins) {
        local.insert(package.name().to_lowercase(), package.clone());
    }
    for (name, package) in texts.iter().flat_map(|text| aliases::read(&text.tokens)) {
        local.entry(name).or_insert(package);
    }
    Names::new(vocabulary, hints, local)
}

/// Returns the package that the record is about: the first that it names.
fn topic<'i>(items: &'i [Vec<Item<'_>>]) -> Option<&'i Subject> {
    items.iter().flatten().find_map(|item| match item {
        Item::Name(Mention {
            subject: subject @ Subject::Package(_),
            weak: false,
            ..
        }) => Some(subject),
        _ => None,
    })
}

/// The statements of a record by subject.
#[derive(Default)]
struct Collected {
    subjects: Vec<(Subject, Ranges)>,
    /// Operating systems that are named without a version.
    platforms: Vec<String>,
    /// Operating systems to which the texts limit the record.
    exclusive: Vec<String>,
}

/// The ranges that are stated for one subject.
#[derive(Default)]
struct Ranges {
    affected: Option<Range>,
    /// The versions that end the problem.
    fixed: Vec<String>,
    named: Option<Range>,
    /// Where the advice does not help.
    denied: Option<Range>,
    /// What is recommended instead.
    recommended: Option<Range>,
    /// Whether the recommendation, if nothing else is stated, says where the record applies.
    recommended_alone: bool,
    /// What the title says is updated to.
    goal: Option<(Range, String)>,
}

impl Collected {
    /// Adds what one text states.
    fn read(&mut self, text: &Text<'_>, reader: &Reader<'_, '_>) {
        let in_solution = text.field == Field::Solution;
        let of_tables = tables::statements(text.text, reader.names);
        for statement in of_tables.into_iter().chain(reader.statements()) {
            self.add(statement, in_solution);
        }
        for (package, range) in &text.lines.ranges(text.field) {
            let subject = Subject::Package(package.clone());
            let statement = Statement {
                subject,
                bound: Stated::Named(range.clone()),
            };
            self.add(statement, in_solution);
        }
        if !in_solution {
            self.platforms.extend(platforms::named(reader.items));
            self.exclusive.extend(platforms::exclusive(&text.tokens));
        }
    }

    fn add(&mut self, statement: Statement, in_solution: bool) {
        let index = match self
            .subjects
            .iter()
            .position(|(subject, _)| *subject == statement.subject)
        {
            Some(index) => index,
            None if self.subjects.len() >= MAX_APPLIES => return,
            None => {
                self.subjects.push((statement.subject, Ranges::default()));
                self.subjects.len() - 1
            }
        };
        let ranges = &mut self.subjects[index].1;
        let (range, more) = match statement.bound {
            Stated::FixedIn(versions) => {
                ranges.add_fixes(versions);
                return;
            }
            Stated::Goal { breaks, version } => {
                ranges.goal = Some((breaks, version));
                return;
            }
            Stated::Affected(range) => (&mut ranges.affected, range),
            Stated::Named(range) => (&mut ranges.named, range),
            Stated::Denied(range) => (&mut ranges.denied, range),
            Stated::Recommended(range) => {
                ranges.recommended_alone |= !in_solution;
                (&mut ranges.recommended, range)
            }
        };
        // A union with too many intervals keeps what it has, and so does one that has every version: "before 0.4 it
        // fails; since 0.4 it is safe".
        *range = match range.take() {
            None => Some(more),
            Some(known) => known
                .union(&more)
                .filter(|union| !union.is_any())
                .or(Some(known)),
        };
    }

    fn claims(mut self) -> Vec<Applies> {
        self.subjects
            .sort_by_key(|(subject, _)| !matches!(subject, Subject::Package(_)));
        let mut applies = Vec::new();
        for (subject, ranges) in self.subjects {
            if let Subject::Os(name) = &subject {
                self.platforms.retain(|platform| platform != name);
            }
            if let Some(denied) = ranges.denied.clone() {
                let claim = Claim {
                    excluded: true,
                    ..Claim::stated(subject.clone(), denied)
                };
                applies.extend(claim.to_wire());
            }
            if let Some(range) = ranges.decide(subject.scheme()) {
                applies.extend(Claim::stated(subject, range).to_wire());
            }
        }
        if !self.exclusive.is_empty() {
            self.platforms = self.exclusive;
        }
        self.platforms.dedup();
        for name in self.platforms {
            if applies
                .iter()
                .all(|item: &Applies| item.os.as_ref() != Some(&name))
            {
                let source = AppliesSource::Stated;
                applies.push(Applies {
                    os: Some(name),
                    source,
                    ..Applies::default()
                });
            }
        }
        applies.truncate(MAX_APPLIES);
        applies
    }
}

impl Ranges {
    /// Adds the versions of one statement. Of two statements about a branch, the later version counts: "partly fixed in
    /// 1.2.3, wholly in 1.2.4".
    fn add_fixes(&mut self, versions: Vec<String>) {
        let earlier = self.fixed.len();
        let branch = |version: &str| {
            version
                .rsplit_once('.')
                .map(|(branch, _)| branch.to_owned())
        };
        for version in versions {
            let wanted = branch(&version);
            let same = |known: &String| wanted.is_some() && branch(known) == wanted;
            match self.fixed[..earlier].iter().position(same) {
                Some(index) => {
                    let later = Scheme::Generic.compare(&self.fixed[index], &version);
                    if later.is_some_and(Ordering::is_lt) {
                        self.fixed[index] = version;
                    }
                }
                None if self.fixed.len() < MAX_APPLIES => self.fixed.push(version),
                None => {}
            }
        }
    }

    /// Decides between what is stated: where the problem is, cut where it ends if that is open; else where it ends;
    /// else what is named.
    fn decide(mut self, scheme: Scheme) -> Option<Range> {
        if let Some((breaks, version)) = self.goal.take() {
            let before = fixed_range(scheme, std::slice::from_ref(&version));
            let known = self.affected.as_ref();
            let had_before = known
                .and_then(|known| known.intersection(&before?))
                .is_some();
            match self.affected.take() {
                // "regression in 1.4.2", and the title updates to 1.4.3.
                Some(known) if had_before => {
                    self.fixed.push(version);
                    self.affected = Some(known);
                }
                Some(known) => self.affected = known.union(&breaks).or(Some(known)),
                None if self.fixed.is_empty() => self.affected = Some(breaks),
                None => {}
            }
        }
        let decided = match (self.affected, fixed_range(scheme, &self.fixed)) {
            (Some(affected), Some(fixed)) if affected.is_open() => {
                affected.intersection(&fixed).or(Some(affected))
            }
            // "added in 2.3, will be removed in 3.0"
            (None, Some(fixed)) => match self.named.filter(Range::is_open) {
                Some(named) => named.intersection(&fixed).or(Some(fixed)),
                None => Some(fixed),
            },
            (affected, fixed) => affected.or(fixed).or(self.named),
        };
        match (decided, self.recommended) {
            // "It fails with 3.13; use 3.11 or 3.12."
            (Some(range), Some(recommended)) => recommended
                .complement()
                .and_then(|others| range.intersection(&others))
                .or(Some(range)),
            (None, recommended) => recommended.filter(|_| self.recommended_alone),
            (decided, None) => decided,
        }
    }
}
