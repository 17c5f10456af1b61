//! `Gemfile.lock`.

use std::collections::HashSet;

use super::Problem;
use crate::{
    files::Others,
    hosts::is_only_at,
    package::{Ecosystem, Origin, Package},
};

const PUBLIC: [&str; 2] = ["rubygems.org", "index.rubygems.org"];

/// `GEM` with its `remote:` and `specs:`, `GIT`, `PATH` and `PLUGIN SOURCE` likewise, and `DEPENDENCIES`.
pub(super) fn read(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let mut section = "";
    let mut origin = Origin::Unknown;
    let mut is_specs = false;
    let mut found: Vec<Package> = Vec::new();
    let mut direct = HashSet::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if indent == 0 {
            section = line;
            is_specs = false;
            origin = match section {
                "GIT" => Origin::Git,
                "PATH" => Origin::Local,
                "GEM" => Origin::Registry,
                _ => Origin::OtherRegistry,
            };
        } else if let (2, Some(remote)) = (indent, line.strip_prefix("remote:")) {
            // Of several remotes it is not known which one has a gem.
            let is_public = is_only_at(remote, &PUBLIC);
            if section == "GEM" && !is_public {
                origin = Origin::OtherRegistry;
            }
        } else if indent == 2 && line == "specs:" {
            is_specs = true;
        } else if indent == 2 && section == "DEPENDENCIES" {
            let name = line.split([' ', '!', '(']).next().unwrap_or_default();
            direct.insert(name.to_owned());
        } else if indent == 4 && is_specs {
            // `nokogiri (1.16.0-x86_64-linux)`: a platform follows the version.
            let (name, version) = line.split_once(' ').unwrap_or((line, ""));
            let version = version.trim_matches(['(', ')']);
            let version = version.split('-').next().unwrap_or_default();
            found.extend(Package::new(Ecosystem::Gem, name, Some(version), origin));
        }
    }
    if section.is_empty() {
        return Err(Problem::Malformed);
    }
    let found = found.into_iter().map(|package| {
        let is_direct = direct.contains(&package.name);
        package.direct(is_direct)
    });
    Ok(found.collect())
}
