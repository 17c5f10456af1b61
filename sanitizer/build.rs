//! Turns the rule files (`rules/*/*.toml`) into constants, and their expressions into matchers, so that no
//! program reads them when it starts.
//!
//! What a rule means is not judged here: a group or check that does not exist fails to compile, and
//! the tests run every example.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Deserialize;

#[path = "src/rules/compile/mod.rs"]
mod compile;
#[path = "evidence/build/hosted.rs"]
mod hosted;
#[path = "src/structure/patterns.rs"]
mod patterns;
#[path = "src/rules/shape/mod.rs"]
#[allow(dead_code, unused_imports, reason = "nothing is matched here")]
mod shape;

use compile::pack::Packer;
use shape::{Bytes, Shape};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    id: String,
    kind: String,
    group: String,
    #[serde(default)]
    anchors: Vec<String>,
    /// The domains of `hosted.toml` are anchors too.
    #[serde(default)]
    hosted: bool,
    #[serde(default)]
    beside: bool,
    pattern: String,
    replacement: String,
    #[serde(default = "default_check")]
    check: String,
    #[serde(default = "default_reach")]
    reach: [usize; 2],
    why: String,
    #[serde(default = "no_source")]
    source: String,
    checked: Option<String>,
    examples: Vec<Vec<String>>,
    negative_examples: Vec<Vec<String>>,
}

/// What a rule says of which nobody knows a page that documents its shape.
fn no_source() -> String {
    "none".to_owned()
}

fn default_check() -> String {
    "value".to_owned()
}

const fn default_reach() -> [usize; 2] {
    [0, 512]
}

/// The domains of hosted services, which are anchors of some rules.
const HOSTED: &str = "evidence/lists/hosted.toml";

fn main() -> Result<(), Box<dyn Error>> {
    for input in ["rules", "build.rs", "evidence/build", HOSTED] {
        println!("cargo::rerun-if-changed={input}");
    }
    // Set by `fuzz/run.sh` and by cargo-fuzz.
    println!("cargo::rustc-check-cfg=cfg(fuzzing)");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let domains = hosted::domains(Path::new(HOSTED))?;
    let mut packer = Packer::default();
    let mut rules = String::from("&[\n");
    for file in &rule_files(Path::new("rules"))? {
        let read: RuleFile = hosted::parsed(file)?;
        for mut rule in read.rule {
            if rule.hosted {
                rule.anchors
                    .extend(domains.iter().map(|domain| format!(".{domain}")));
            }
            let matcher = matcher(&rule).map(|shape| packer.pack(&shape));
            let behind = behind(&rule).map(|behind| packer.numbers(&behind));
            write_rule(&mut rules, &rule, (matcher.as_deref(), behind.as_deref()))?;
        }
    }
    rules.push(']');
    fs::write(out.join("rules.rs"), rules)?;
    let mut packed = |pattern: &str| {
        let shape = Shape::new(pattern, &[], 0);
        let shape = shape.ok_or_else(|| format!("no matcher for {pattern}"))?;
        Ok::<_, String>(byte_string(&packer.pack(&shape)))
    };
    let parts: Vec<String> = patterns::PARTS
        .iter()
        .map(|pattern| packed(pattern))
        .collect::<Result<_, _>>()?;
    fs::write(out.join("parts.rs"), format!("&[{}]", parts.join(",\n")))?;
    fs::write(out.join("inserted.rs"), packed(patterns::INSERTED)?)?;
    fs::write(out.join("pool.rs"), packer.pool())?;
    Ok(())
}

/// The matcher of a rule, if it has one.
fn matcher(rule: &Rule) -> Option<Shape> {
    let [before, _] = rule.reach;
    compile::of_rule(&rule.pattern, &rule.anchors, rule.beside, before)
}

/// What may stand right behind each anchor of a rule that has a matcher.
fn behind(rule: &Rule) -> Option<Vec<Bytes>> {
    let [before, _] = rule.reach;
    (!rule.beside).then(|| compile::behind_each(&rule.pattern, &rule.anchors, before))?
}

/// Bytes as Rust reads them.
fn byte_string(bytes: &[u8]) -> String {
    format!("b\"{}\"", bytes.escape_ascii())
}

/// `Debug` writes a string as Rust reads it.
fn write_rule(
    out: &mut String,
    rule: &Rule,
    (matcher, behind): (Option<&[u8]>, Option<&[usize]>),
) -> Result<(), Box<dyn Error>> {
    let anchors: Vec<String> = rule
        .anchors
        .iter()
        .map(|anchor| format!("Cow::Borrowed({anchor:?})"))
        .collect();
    writeln!(
        out,
        "Rule {{ id: Cow::Borrowed({:?}), kind: Cow::Borrowed({:?}), group: RuleGroup::{}, \
         anchors: Cow::Borrowed(&[{}]), #[cfg(test)] beside: {}, pattern: Cow::Borrowed({:?}), matcher: {}, behind: &{:?}, \
         replacement: Cow::Borrowed({:?}), check: Check::{}, reach: {:?}, source: {}, \
         #[cfg(test)] why: {:?}, #[cfg(any(test, fuzzing))] examples: &{}, \
         #[cfg(any(test, fuzzing))] negative_examples: &{} }},",
        rule.id,
        rule.kind,
        variant(&rule.group, '_'),
        anchors.join(", "),
        rule.beside,
        rule.pattern,
        matcher.map_or_else(
            || "None".to_owned(),
            |matcher| format!("Some({})", byte_string(matcher))
        ),
        behind.filter(|_| matcher.is_some()).unwrap_or_default(),
        rule.replacement,
        variant(&rule.check, '-'),
        rule.reach,
        source(rule)?,
        rule.why,
        lists(&rule.examples),
        lists(&rule.negative_examples),
    )?;
    Ok(())
}

/// The page that documents a rule, as Rust reads it.
fn source(rule: &Rule) -> Result<String, Box<dyn Error>> {
    let source = hosted::source(&rule.id, &rule.source, rule.checked.as_deref())?;
    Ok(source.map_or_else(
        || "None".to_owned(),
        |(page, month)| format!("Some(RuleSource {{ page: {page:?}, checked: {month:?} }})"),
    ))
}

/// Returns the rule files in the order of their names, whatever their folder.
fn rule_files(rules: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for folder in fs::read_dir(rules)? {
        let folder = folder?.path();
        if !folder.is_dir() {
            continue;
        }
        for file in fs::read_dir(folder)? {
            files.push(file?.path());
        }
    }
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    Ok(files)
}

fn lists(lists: &[Vec<String>]) -> String {
    let lists: Vec<String> = lists.iter().map(|list| format!("&{list:?}")).collect();
    format!("[{}]", lists.join(", "))
}

/// `url-host` → `UrlHost`.
fn variant(name: &str, separator: char) -> String {
    name.split(separator)
        .map(|word| {
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            first.to_uppercase() + rest
        })
        .collect()
}
