//! `go.mod`.

use std::collections::HashMap;

use super::Problem;
use crate::{
    files::Others,
    package::{Ecosystem, Origin, Package},
};

/// `require`, `replace` and `exclude`, each with a line or a block of lines.
pub(super) fn read(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let mut block = String::new();
    let mut found = Vec::new();
    let mut replaced: HashMap<(String, Option<String>), Vec<String>> = HashMap::new();
    let mut has_module = false;
    for line in text.lines() {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let words = code
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '`']));
        let mut words: Vec<&str> = words.collect();
        if words == [")"] {
            block.clear();
            continue;
        }
        if block.is_empty() {
            let Some(verb) = words.first().copied() else {
                continue;
            };
            words.remove(0);
            if words == ["("] {
                block = verb.to_owned();
                continue;
            }
            has_module |= verb == "module";
            directive(verb, &words, comment, &mut found, &mut replaced);
        } else {
            directive(&block, &words, comment, &mut found, &mut replaced);
        }
    }
    if !has_module {
        return Err(Problem::Malformed);
    }
    let replace = |package: Package| {
        let key = |version| (package.name.clone(), version);
        let exact = replaced.get(&key(package.version.clone()));
        let by = exact.or_else(|| replaced.get(&key(None)));
        let Some(by) = by else {
            return Some(package);
        };
        // A folder, or another module.
        match by.as_slice() {
            [module, version] => {
                let other = module_of(module, Some(version), Origin::Registry)?;
                Some(other.direct(package.is_direct))
            }
            _ => Some(Package {
                origin: Origin::Local,
                ..package
            }),
        }
    };
    Ok(found.into_iter().filter_map(replace).collect())
}

fn directive(
    verb: &str,
    words: &[&str],
    comment: &str,
    found: &mut Vec<Package>,
    replaced: &mut HashMap<(String, Option<String>), Vec<String>>,
) {
    match (verb, words) {
        ("module", [name]) => found.extend(module_of(name, None, Origin::Local)),
        ("require", [name, version]) => {
            let is_direct = comment.trim() != "indirect";
            let one = module_of(name, Some(version), Origin::Registry);
            found.extend(one.map(|one| one.direct(is_direct)));
        }
        ("replace", words) => {
            let mut sides = words.splitn(2, |word| *word == "=>");
            let (Some(old), Some(new)) = (sides.next(), sides.next()) else {
                return;
            };
            let Some(name) = old.first() else { return };
            let version = old.get(1).map(|version| (*version).to_owned());
            let new = new.iter().map(|word| (*word).to_owned()).collect();
            replaced.insert(((*name).to_owned(), version), new);
        }
        _ => {}
    }
}

fn module_of(name: &str, version: Option<&str>, origin: Origin) -> Option<Package> {
    Package::new(Ecosystem::Golang, name, version, origin)
}
