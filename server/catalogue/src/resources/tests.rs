//! Which files an address can refer to, and which it must not.

#![allow(clippy::unwrap_used)]

use std::{fs, os::unix::fs::symlink, process::Command};

use recall_kit_settings::ResourceSettings;

use super::{Content, MAX_FILE_BYTES, Resource, ResourceError};

fn settings(uri: &str) -> ResourceSettings {
    ResourceSettings {
        uri: uri.to_owned(),
        ..ResourceSettings::default()
    }
}

/// A folder with ordinary and dangerous files, and files beside it that must not be readable.
fn offered() -> (tempfile::TempDir, Resource) {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    fs::create_dir_all(at("docs/sub")).unwrap();
    fs::create_dir_all(at("docs/.git")).unwrap();
    fs::create_dir_all(at("private")).unwrap();
    for (name, text) in [
        ("docs/a.txt", "text of a"),
        ("docs/sub/b.json", "{}"),
        ("docs/100% #1?.md", "odd name"),
        ("docs/größe", "not ascii"),
        ("docs/%2e%2e", "named like an escape"),
        ("docs/.env", "HIDDEN"),
        ("docs/.git/config", "HIDDEN"),
        ("private/secret.txt", "SECRET"),
        ("docs-2.txt", "SECRET"),
    ] {
        fs::write(at(name), text).unwrap();
    }
    fs::write(at("docs/bytes.bin"), [0xff, 0, 0xfe]).unwrap();
    symlink(at("private/secret.txt"), at("docs/link.txt")).unwrap();
    symlink(at("private"), at("docs/linked")).unwrap();
    symlink("../docs", at("docs/circle")).unwrap();
    symlink("sub/b.json", at("docs/within.json")).unwrap();
    let pipe = Command::new("mkfifo").arg(at("docs/pipe")).status();
    assert!(pipe.unwrap().success());
    let uri = format!("file://{}/", at("docs").display());
    (home, Resource::new(&settings(&uri)).unwrap())
}

#[test]
fn only_files_in_the_folder_are_read() {
    let (home, folder) = offered();
    let check = |below: &str, expected: Option<&str>| {
        let uri = format!("{}{below}", folder.uri());
        let read = folder.read(&uri).map(|content| content.unwrap().body);
        let expected = expected.map(|text| Ok(text.to_owned()));
        assert_eq!(read, expected, "{below}");
        assert_eq!(folder.has(&uri), expected.is_some(), "{below}");
    };
    check("a.txt", Some("text of a"));
    check("sub/b.json", Some("{}"));
    check("sub%2Fb.json", Some("{}"));
    check("100%25%20%231%3F.md", Some("odd name"));
    check("gr%C3%B6%C3%9Fe", Some("not ascii"));
    check("größe", Some("not ascii"));
    check("within.json", Some("{}"));
    // Decoded once, not repeatedly.
    check("%252e%252e", Some("named like an escape"));
    let absolute = home.path().join("private/secret.txt");
    let absolute = absolute.to_string_lossy();
    for below in [
        "",
        "/",
        "sub",
        "pipe",
        "missing.txt",
        "a.txt/",
        "..",
        "../private/secret.txt",
        "sub/../../private/secret.txt",
        "sub/../a.txt",
        "./../private/secret.txt",
        "%2e%2e/private/secret.txt",
        "%2E%2E%2Fprivate%2Fsecret.txt",
        "..%2fprivate/secret.txt",
        "%252e%252e/private/secret.txt",
        "%252e%252e%252fprivate%252fsecret.txt",
        "..\\private\\secret.txt",
        "..%5cprivate%5csecret.txt",
        "%c0%ae%c0%ae/private/secret.txt",
        "\u{ff0e}\u{ff0e}/private/secret.txt",
        "a.txt%00",
        "a.txt%00.png",
        "a.txt\0",
        "%FF",
        "-2.txt",
        "link.txt",
        "linked/secret.txt",
        ".env",
        ".git/config",
        "sub/../.env",
        "%2eenv",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        &absolute,
        &absolute.replace('/', "%2F"),
        &format!("/{absolute}"),
        "file:///etc/passwd",
    ] {
        check(below, None);
    }
}

#[test]
fn pipes_and_folders_count_as_missing() {
    let (home, _) = offered();
    for name in ["docs/pipe", "docs/sub"] {
        let uri = format!("file://{}", home.path().join(name).display());
        let read = Resource::new(&settings(&uri)).unwrap().read(&uri);
        let is_missing = matches!(read, Some(Err(ResourceError::NotFound)));
        assert!(is_missing, "{name}: {read:?}");
    }
}

#[test]
fn other_addresses_do_not_belong_to_the_resource() {
    let (home, folder) = offered();
    let outside = format!("file://{}", home.path().join("docs-2.txt").display());
    for uri in [
        &outside,
        folder.uri().trim_end_matches('/'),
        "file:///",
        "memo://a.txt",
        "a.txt",
        "",
    ] {
        assert_eq!(folder.read(uri).map(|_| ()), None, "{uri}");
    }
}

#[test]
fn exactly_the_readable_files_without_links_are_listed() {
    let (_home, folder) = offered();
    let listed = folder.list();
    let mut names: Vec<_> = listed.iter().map(|l| l.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "%2e%2e",
            "100% #1?.md",
            "a.txt",
            "bytes.bin",
            "größe",
            "sub/b.json"
        ]
    );
    for file in &listed {
        let content = folder.read(&file.uri).unwrap().unwrap();
        let length = match content.body {
            Ok(text) => text.len(),
            Err(bytes) => bytes.len(),
        };
        assert_eq!(file.size, Some(length as u64), "{}", file.uri);
    }
    let template = folder.template().unwrap();
    assert_eq!(template.uri_template, format!("{}{{+path}}", folder.uri()));
    assert_eq!(template.name, "docs");
}

#[test]
fn the_media_type_is_configured_or_guessed() {
    let (home, folder) = offered();
    let read = |below: &str| {
        let uri = format!("{}{below}", folder.uri());
        let Content { mime_type, body } = folder.read(&uri).unwrap().unwrap();
        (mime_type, body.is_ok())
    };
    let check = |below: &str, mime_type: &str, is_text: bool| {
        assert_eq!(read(below), (mime_type.to_owned(), is_text), "{below}");
    };
    check("a.txt", "text/plain", true);
    check("sub/b.json", "application/json", true);
    check("100%25%20%231%3F.md", "text/markdown", true);
    check("gr%C3%B6%C3%9Fe", "text/plain", true);
    check("bytes.bin", "application/octet-stream", false);
    let uri = format!("file://{}", home.path().join("docs/a.txt").display());
    let given = ResourceSettings {
        mime_type: Some("text/x-notes".to_owned()),
        ..settings(&uri)
    };
    let file = Resource::new(&given).unwrap();
    assert_eq!(file.read(&uri).unwrap().unwrap().mime_type, "text/x-notes");
    assert_eq!(file.list()[0].name, "a.txt");
}

#[test]
fn too_large_and_missing_files_are_reported() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("large.txt");
    let uri = format!("file://{}", path.display());
    let file = Resource::new(&settings(&uri)).unwrap();
    let check = |expected: &str| {
        let read = file.read(&uri).unwrap().map(|content| content.body);
        let message = read.map_or_else(
            |error| error.to_string(),
            |body| body.unwrap().len().to_string(),
        );
        assert!(message.contains(expected), "{message}");
    };
    check("no such resource");
    let sized = fs::File::create(&path).unwrap();
    sized.set_len(MAX_FILE_BYTES + 1).unwrap();
    check("larger than");
    sized.set_len(MAX_FILE_BYTES).unwrap();
    check(&MAX_FILE_BYTES.to_string());
}

#[test]
fn invalid_settings_are_rejected() {
    let check = |uri: &str, text: Option<&str>, words: Option<&str>| {
        let result = Resource::new(&ResourceSettings {
            text: text.map(str::to_owned),
            ..settings(uri)
        });
        let message = result.err().map(|error| error.to_string());
        match (&message, words) {
            (Some(message), Some(words)) => assert!(message.contains(words), "{uri}: {message}"),
            (None, None) => {}
            _ => panic!("{uri}: {message:?}"),
        }
    };
    check("memo://rules", Some("be kind"), None);
    check("urn:note:1", Some(""), None);
    check("file:///tmp/a.txt", None, None);
    check("file:///tmp/", None, None);
    check("memo://rules", None, Some("give a `text`"));
    check("rules", Some("x"), Some("scheme"));
    check("1memo://rules", Some("x"), Some("scheme"));
    check("memo:", Some("x"), Some("scheme"));
    check("file:///tmp/a.txt", Some("x"), Some("no `text`"));
    check("file://relative/a.txt", None, Some("file:///absolute/path"));
    check("file:///tmp/%FF", None, Some("not valid text"));
    check("file:///tmp/%00", None, Some("not valid text"));
}
