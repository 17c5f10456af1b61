//! The npm packages: `@recall-kit/cli` with the commands, a package with the programs for each platform, of which npm
//! installs the one that fits, and the library `@recall-kit/mcp-client`.

use anyhow::Context as _;
use serde_json::{Map, Value, json};

use crate::{
    archive::Entry,
    platform::{PLATFORMS, Platform},
    release::{LICENCE, Package, REPOSITORY, Release, SUMMARY},
};

/// The files of `@recall-kit/cli` besides its description.
const FILES: [(&str, &str); 5] = [
    ("README.md", include_str!("../npm/README.md")),
    (
        "bin/recall-kit-client.js",
        include_str!("../npm/bin/recall-kit-client.js"),
    ),
    (
        "bin/recall-kit-server.js",
        include_str!("../npm/bin/recall-kit-server.js"),
    ),
    ("index.js", include_str!("../npm/index.js")),
    ("launch.js", include_str!("../npm/launch.js")),
];

/// The folder that every file of an npm package is in.
const FOLDER: &str = "package/";

/// The folder of the library in this repository.
const LIBRARY: &str = "client/npm";

/// Makes the packages.
pub(crate) fn packages(release: &Release) -> anyhow::Result<[Package; 3]> {
    Ok([commands(release)?, programs(release)?, library(release)?])
}

/// Makes `@recall-kit/cli`, the same on every platform.
fn commands(release: &Release) -> anyhow::Result<Package> {
    let mut description = description(release, "");
    description["keywords"] = json!(["mcp", "recall-kit", "agents", "memory"]);
    description["bin"] = json!({
        "cli": "bin/recall-kit-client.js",
        "recall-kit-client": "bin/recall-kit-client.js",
        "recall-kit-server": "bin/recall-kit-server.js",
    });
    description["main"] = json!("index.js");
    description["engines"] = json!({"node": ">=20"});
    let released = PLATFORMS.iter().filter(|platform| platform.is_released);
    let version = |it: &Platform| {
        (
            format!("@recall-kit/cli-{}", it.npm),
            json!(release.version),
        )
    };
    let optional: Map<String, Value> = released.map(version).collect();
    description["optionalDependencies"] = Value::Object(optional);
    let mut entries = vec![package_json(&description)?];
    for (path, text) in FILES {
        let path = format!("{FOLDER}{path}");
        entries.push(match text.starts_with("#!") {
            true => Entry::program(path, text.as_bytes()),
            false => Entry::file(path, text.as_bytes()),
        });
    }
    entries.extend(release.licence_files(FOLDER)?);
    Ok(Package {
        name: format!("recall-kit-cli-{}.tgz", release.version),
        about: "npm: @recall-kit/cli, the commands",
        bytes: release.format.tar_gz(&entries)?,
    })
}

/// Makes the package with the programs for the platform.
fn programs(release: &Release) -> anyhow::Result<Package> {
    let platform = release.platform;
    let (system, cpu) = platform.npm.split_once('-').context("no processor")?;
    let mut description = description(release, &format!("-{}", platform.npm));
    description["os"] = json!([system]);
    description["cpu"] = json!([cpu.trim_end_matches("-musl")]);
    if let Some(libc) = platform.libc {
        description["libc"] = json!([libc]);
    }
    // Package managers that run packages from archives unpack this one.
    description["preferUnplugged"] = json!(true);
    let readme = format!(
        "# @recall-kit/cli-{0}\n\nThe programs of [RecallKit]({REPOSITORY}) for {0}. Install \
         `@recall-kit/cli`, which uses this package.\n",
        platform.npm
    );
    let mut entries = vec![
        package_json(&description)?,
        Entry::text(format!("{FOLDER}README.md"), readme),
    ];
    entries.extend(release.program_files(&format!("{FOLDER}bin/")));
    entries.extend(release.licence_files(FOLDER)?);
    Ok(Package {
        name: format!("recall-kit-cli-{}-{}.tgz", platform.npm, release.version),
        about: "npm: the programs for this platform",
        bytes: release.format.tar_gz(&entries)?,
    })
}

/// Packs `@recall-kit/mcp-client` as `npm pack` would.
fn library(release: &Release) -> anyhow::Result<Package> {
    let text = release.read(&format!("{LIBRARY}/package.json"))?;
    let mut description: Value =
        serde_json::from_slice(&text).context("the package.json of the library is invalid")?;
    description["version"] = json!(release.version);
    let mut entries = vec![package_json(&description)?];
    let listed = description["files"].as_array().into_iter().flatten();
    let mut names: Vec<&str> = listed.filter_map(Value::as_str).collect();
    names.push("README.md");
    while let Some(name) = names.pop() {
        if name == "bin" {
            names.push("bin/recall-kit-client.js");
            continue;
        }
        let bytes = release.read(&format!("{LIBRARY}/{name}"))?;
        entries.push(match bytes.starts_with(b"#!") {
            true => Entry::program(format!("{FOLDER}{name}"), bytes),
            false => Entry::file(format!("{FOLDER}{name}"), bytes),
        });
    }
    entries.extend(release.licence_files(FOLDER)?);
    Ok(Package {
        name: format!("recall-kit-mcp-client-{}.tgz", release.version),
        about: "npm: @recall-kit/mcp-client, the library",
        bytes: release.format.tar_gz(&entries)?,
    })
}

fn description(release: &Release, suffix: &str) -> Value {
    let about = match suffix {
        "" => SUMMARY.to_owned(),
        _ => format!("{SUMMARY}: the programs for {}", release.platform.npm),
    };
    json!({
        "name": format!("@recall-kit/cli{suffix}"),
        "version": release.version,
        "description": about,
        "license": LICENCE,
        "homepage": REPOSITORY,
        "repository": {"type": "git", "url": format!("git+{REPOSITORY}.git")},
        // Packages of a scope are private unless they say otherwise.
        "publishConfig": {"access": "public"},
    })
}

fn package_json(description: &Value) -> anyhow::Result<Entry<'static>> {
    let text = serde_json::to_string_pretty(description)?;
    Ok(Entry::text(format!("{FOLDER}package.json"), text + "\n"))
}
