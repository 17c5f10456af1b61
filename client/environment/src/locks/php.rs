//! `composer.lock`.

use serde_json::Value;

use super::Problem;
use crate::{
    files::Others,
    hosts::is_only_at,
    package::{Ecosystem, Origin, Package},
};

/// Where packages of Packagist have their archives and repositories.
const ARCHIVES: [&str; 6] = [
    "api.github.com",
    "codeload.github.com",
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "git.drupalcode.org",
];

/// `packages` and `packages-dev`. Packagist gives its packages an address to be notified at; other repositories have
/// another address or none.
pub(super) fn read(text: &str, _: &mut Others<'_>) -> Result<Vec<Package>, Problem> {
    let lock: Value = serde_json::from_str(text).map_err(|_| Problem::Malformed)?;
    let lock = lock.as_object().ok_or(Problem::Malformed)?;
    let tables = ["packages", "packages-dev"].iter();
    let listed = tables.filter_map(|name| lock.get(*name)?.as_array());
    let packages = listed.flatten().filter_map(|entry| {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let version = text("version");
        Package::new(Ecosystem::Composer, text("name")?, version, origin(entry))
    });
    Ok(packages.collect())
}

fn origin(entry: &Value) -> Origin {
    let of = |place: &str, name: &str| {
        let value = entry.get(place).and_then(|place| place.get(name));
        value.and_then(Value::as_str)
    };
    if of("dist", "type") == Some("path") {
        return Origin::Local;
    }
    let notified = entry.get("notification-url").and_then(Value::as_str);
    let is_packagist = notified.is_some_and(|url| is_only_at(url, &["packagist.org"]));
    let addresses = [of("dist", "url"), of("source", "url")];
    let mut addresses = addresses.into_iter().flatten();
    let are_public = addresses.all(|url| is_only_at(url, &ARCHIVES));
    let has_mirror = ["dist", "source"].iter().any(|place| {
        entry
            .get(*place)
            .is_some_and(|it| it.get("mirrors").is_some())
    });
    match notified {
        _ if is_packagist && are_public && !has_mirror => Origin::Registry,
        None if of("source", "type") == Some("git") => Origin::Git,
        _ => Origin::OtherRegistry,
    }
}
