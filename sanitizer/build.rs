//! Turns the rule files (`rules/*.toml`) into constants, and their expressions into matchers, so that no
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
struct Hosted {
    service: Vec<Service>,
}

/// Domains of one kind of hosted services.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Service {
    /// For readers of the file, as are the next two.
    #[serde(rename = "kind")]
    _kind: String,
    domains: Vec<String>,
    source: String,
    checked: Option<String>,
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

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=rules");
    // Set by `fuzz/run.sh` and by cargo-fuzz.
    println!("cargo::rustc-check-cfg=cfg(fuzzing)");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let mut files: Vec<PathBuf> = fs::read_dir("rules")?
        .map(|file| file.map(|file| file.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    let domains = hosted_domains(Path::new("rules/hosted.toml"))?;
    fs::write(
        out.join("hosted.rs"),
        format!(
            "/// Domains below which customers have names.\nconst HOSTED: &[&str] = &{domains:?};\n"
        ),
    )?;
    let mut packer = Packer::default();
    let mut rules = String::from("&[\n");
    for file in &files {
        if file.ends_with("keep.toml") {
            fs::write(out.join("keep.rs"), keep(file)?)?;
            continue;
        }
        if file.ends_with("hosted.toml") {
            continue;
        }
        let read: RuleFile = parsed(file)?;
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

fn parsed<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, Box<dyn Error>> {
    let content = fs::read_to_string(file)?;
    toml::from_str(&content).map_err(|error| format!("{}: {error}", file.display()).into())
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
        source(&rule.id, &rule.source, rule.checked.as_deref())?,
        rule.why,
        lists(&rule.examples),
        lists(&rule.negative_examples),
    )?;
    Ok(())
}

/// The page and the month in which somebody compared the entry with it: both or neither.
fn source(id: &str, page: &str, checked: Option<&str>) -> Result<String, Box<dyn Error>> {
    match (page, checked) {
        ("none", None) => Ok("None".to_owned()),
        (page, Some(month)) if page.starts_with("https://") && is_month(month) => Ok(format!(
            "Some(RuleSource {{ page: {page:?}, checked: {month:?} }})"
        )),
        _ => Err(format!(
            "{id}: give `source = \"https://…\"` with `checked = \"YYYY-MM\"`, or `source = \"none\"`"
        )
        .into()),
    }
}

/// The domains of hosted services, each once.
fn hosted_domains(file: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let hosted: Hosted = parsed(file)?;
    let mut domains = Vec::new();
    for service in hosted.service {
        let first = service.domains.first().map_or("", String::as_str);
        source(first, &service.source, service.checked.as_deref())?;
        domains.extend(service.domains);
    }
    domains.sort_unstable();
    domains.dedup();
    Ok(domains)
}

/// `2026-11`.
fn is_month(text: &str) -> bool {
    let shape = text
        .bytes()
        .map(|b| if b.is_ascii_digit() { b'0' } else { b });
    shape.eq(*b"0000-00")
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

/// A constant for each list of the keep-list.
fn keep(file: &Path) -> Result<String, Box<dyn Error>> {
    let lists: std::collections::BTreeMap<String, Vec<String>> = parsed(file)?;
    let mut out = String::new();
    for (name, words) in lists {
        writeln!(out, "const {}: &[&str] = &{words:?};", name.to_uppercase())?;
    }
    Ok(out)
}
