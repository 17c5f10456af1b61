//! The folder of packages: checksums, the list of crates, the Debian package.

use std::{collections::BTreeSet, fs};

use recall_kit_tests::{Home, command_in, package, packages, run, run_in};
use serde_json::Value;

use super::check_installed;

#[tokio::test]
async fn the_checksums_name_every_package() {
    let home = Home::new();
    let folder = packages().await;
    let mut command = command_in(&home, "sha256sum", &["--check", "--strict", "SHA256SUMS"]);
    command.current_dir(&folder);
    let checked = run(command, "").await;
    let checked: BTreeSet<&str> = checked
        .expect_code(0)
        .lines()
        .filter_map(|line| line.strip_suffix(": OK"))
        .collect();
    for ending in [".tar.gz", ".tgz", ".whl", ".cdx.json", ".rb", ".sh"] {
        assert!(
            checked.iter().any(|name| name.ends_with(ending)),
            "{ending}: {checked:?}"
        );
    }
    let listed = fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    let formula = fs::read_to_string(folder.join("recall-kit.rb")).unwrap();
    let archive = listed
        .lines()
        .find(|line| line.ends_with("-linux-gnu.tar.gz"))
        .unwrap();
    let (checksum, name) = archive.split_once("  ").unwrap();
    assert!(
        formula.contains(&format!("sha256 \"{checksum}\"")),
        "{formula}"
    );
    assert!(formula.contains(&format!("/{name}\"")), "{formula}");
}

#[tokio::test]
async fn the_list_of_crates_has_what_ships_and_no_more() {
    let list = package(&packages().await, "recall-kit-", ".cdx.json");
    let list: Value = serde_json::from_slice(&fs::read(list).unwrap()).unwrap();
    assert_eq!(
        (&list["bomFormat"], &list["specVersion"]),
        (&"CycloneDX".into(), &"1.6".into())
    );
    let components = list["components"].as_array().unwrap();
    let mut names = BTreeSet::new();
    for component in components {
        let name = component["name"].as_str().unwrap();
        names.insert(name);
        let hash = component["hashes"][0]["content"].as_str();
        // The project's own crates have no archive.
        assert_eq!(
            hash.is_some(),
            !name.starts_with("recall-kit-"),
            "{component}"
        );
        assert!(
            component["licenses"][0]["expression"].is_string(),
            "{component}"
        );
    }
    for shipped in [
        "recall-kit-cli",
        "recall-kit-server",
        "recall-kit-sanitizer",
        "tokio",
        "tantivy",
    ] {
        assert!(names.contains(shipped), "{shipped}");
    }
    for other in [
        "insta",
        "criterion",
        "proptest",
        "recall-kit-tests",
        "recall-kit-package",
    ] {
        assert!(!names.contains(other), "{other}");
    }
    // Every crate that is depended upon is listed.
    let references: Vec<&Value> = components.iter().map(|it| &it["bom-ref"]).collect();
    for dependency in list["dependencies"].as_array().unwrap() {
        let needed = dependency["dependsOn"].as_array().unwrap();
        assert!(
            needed.iter().all(|it| references.contains(&it)),
            "{dependency}"
        );
    }
}

#[tokio::test]
async fn the_debian_package_has_everything_in_its_place() {
    let home = Home::new();
    let archive = package(&packages().await, "recall-kit_", ".deb");
    let archive = archive.to_string_lossy();
    let info = run_in(&home, "dpkg-deb", &["--info", &archive]).await;
    let info = info.expect_code(0);
    for line in [
        "Package: recall-kit",
        "Depends: libc6 (>= 2.",
        "Priority: optional",
    ] {
        assert!(info.contains(line), "{line}: {info}");
    }
    let contents = run_in(&home, "dpkg-deb", &["--contents", &archive]).await;
    let contents = contents.expect_code(0);
    for (mode, path) in [
        ("drwxr-xr-x root/root", "./usr/bin/"),
        ("-rwxr-xr-x root/root", "./usr/bin/recall-kit-client"),
        ("-rwxr-xr-x root/root", "./usr/bin/recall-kit-server"),
        (
            "-rw-r--r-- root/root",
            "./usr/share/doc/recall-kit/copyright",
        ),
        (
            "-rw-r--r-- root/root",
            "./usr/share/man/man1/recall-kit-client-mcp.1.gz",
        ),
        (
            "-rw-r--r-- root/root",
            "./usr/share/man/man1/recall-kit-server.1.gz",
        ),
        (
            "-rw-r--r-- root/root",
            "./usr/share/bash-completion/completions/recall-kit-server",
        ),
        (
            "-rw-r--r-- root/root",
            "./usr/share/zsh/vendor-completions/_recall-kit-client",
        ),
    ] {
        let mut lines = contents.lines();
        let fits = |line: &str| line.starts_with(mode) && line.ends_with(&format!(" {path}"));
        assert!(lines.any(fits), "{mode} {path}: {contents}");
    }
    let root = home.path().join("root");
    let place = root.to_string_lossy();
    let unpacked = run_in(&home, "dpkg-deb", &["--extract", &archive, &place]).await;
    unpacked.expect_code(0);
    let bin = root.join("usr/bin");
    check_installed(
        &home,
        &bin.join("recall-kit-client"),
        &bin.join("recall-kit-server"),
    )
    .await;
    // Pages and scripts are what the programs print.
    let page = root.join("usr/share/man/man1/recall-kit-server-health.1.gz");
    let page = run_in(&home, "gzip", &["-dc", &page.to_string_lossy()]).await;
    assert!(page.expect_code(0).contains(".TH recall"), "{page:?}");
    let script = root.join("usr/share/bash-completion/completions/recall-kit-server");
    run_in(&home, "bash", &["-n", &script.to_string_lossy()])
        .await
        .expect_code(0);
}
