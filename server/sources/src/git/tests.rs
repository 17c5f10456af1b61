//! Real repositories, on this machine and on a web server.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Source, SourceKind,
    fetch::tests::{Response, Server},
    tests::{error_text, lines, options, walked, write},
};

/// Runs git as the author of a repository.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let done = Command::new("git")
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "-c",
            "tag.gpgSign=false",
        ])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// Creates a repository with three versions, and with malicious settings and attributes.
fn repository(folder: &Path) -> PathBuf {
    let path = folder.join("project");
    fs::create_dir(&path).unwrap();
    git(&path, &["init", "--quiet", "--initial-branch=main"]);
    for version in ["v1.10.0", "v1.8.0", "v1.9.0"] {
        write(
            &path.join("docs/guide.md"),
            format!("guide of {version}\n$Id$ $Format:%H$\n"),
        );
        write(&path.join("docs/build/caching.md"), "same in all");
        write(&path.join("LICENSE"), "free");
        let attributes = "docs export-ignore\n*.md filter=evil ident export-subst eol=crlf\n";
        write(&path.join(".gitattributes"), attributes);
        git(&path, &["add", "-A"]);
        git(&path, &["commit", "--quiet", "-m", version]);
        match version {
            "v1.8.0" => git(&path, &["tag", version]),
            _ => git(&path, &["tag", "-a", "-m", version, version]),
        };
    }
    git(&path, &["branch", "topic", "v1.8.0"]);
    let harm = format!("touch {}", folder.join("harm").display());
    git(&path, &["config", "filter.evil.smudge", &harm]);
    git(&path, &["config", "core.fsmonitor", &harm]);
    git(&path, &["config", "tar.umask", "0000"]);
    path
}

/// Returns every file below a folder with its contents.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(snapshot(&path)),
            false => found.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

fn guide(source: &Source, at: Option<&str>) -> String {
    let (files, _) = walked(source, at).unwrap();
    let guide = files.into_iter().find(|(path, _)| path == "docs/guide.md");
    String::from_utf8(guide.unwrap().1).unwrap()
}

/// Checks what must be true of the repository, local or remote.
fn check_versions(source: &Source, project: &Path) {
    assert_eq!(source.tags().unwrap(), ["v1.8.0", "v1.9.0", "v1.10.0"]);
    for version in ["v1.10.0", "v1.8.0", "v1.9.0"] {
        // The file is as committed: line ends are unchanged, and nothing is substituted.
        let expected = format!("guide of {version}\n$Id$ $Format:%H$\n");
        assert_eq!(guide(source, Some(version)), expected);
        let commit = git(project, &["rev-parse", &format!("{version}^{{commit}}")]);
        let described = source.described(Some(version)).unwrap();
        assert_eq!(
            (described.kind, described.commit),
            (SourceKind::Git, Some(commit))
        );
    }
    assert!(guide(source, Some("topic")).contains("v1.8.0"));
    assert_eq!(
        lines(source, Some("main")).unwrap(),
        [
            "docs/build/caching.md",
            "docs/guide.md",
            ".gitattributes: its name begins with a dot",
            "LICENSE: it is a licence",
        ]
    );
    let message = error_text(source.walk(Some("--output=/tmp/x"), &mut |_| unreachable!()));
    assert!(
        message.contains("no tag, branch or commit `--output=/tmp/x`"),
        "{message}"
    );
}

#[test]
fn a_local_repository_is_read_in_place_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let project = repository(folder.path());
    write(&project.join("docs/draft.md"), "not committed");
    let before = snapshot(&project);
    let source = Source::open(project.to_str().unwrap(), &options(scratch.path())).unwrap();
    check_versions(&source, &project);
    // Without a version, the files of the folder on disk are read.
    let described = source.described(None).unwrap();
    assert_eq!(
        (described.kind, described.commit),
        (SourceKind::Folder, None)
    );
    assert!(
        lines(&source, None)
            .unwrap()
            .contains(&"docs/draft.md".to_owned())
    );
    assert!(snapshot(&project) == before);

    let bare = folder.path().join("bare");
    git(
        folder.path(),
        &["clone", "--quiet", "--bare", "project", "bare"],
    );
    let source = Source::open(bare.to_str().unwrap(), &options(scratch.path())).unwrap();
    check_versions(&source, &project);
    assert_eq!(source.described(None).unwrap().kind, SourceKind::Git);
    assert!(guide(&source, None).contains("v1.9.0"));
    drop(source);

    // An additional working tree has a `.git` file instead of a folder.
    let add = [
        "-c",
        "core.fsmonitor=false",
        "-c",
        "filter.evil.smudge=",
        "worktree",
        "add",
    ];
    git(
        &project,
        &[add.as_slice(), &["--quiet", "../tree", "v1.8.0"]].concat(),
    );
    let tree = folder.path().join("tree");
    let source = Source::open(tree.to_str().unwrap(), &options(scratch.path())).unwrap();
    check_versions(&source, &project);
    drop(source);
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    assert!(!folder.path().join("harm").exists());
}

#[test]
fn a_remote_repository_is_fetched_version_by_version() {
    let folder = tempfile::tempdir().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let project = repository(folder.path());
    let bare = folder.path().join("project.git");
    git(
        folder.path(),
        &["clone", "--quiet", "--bare", "project", "project.git"],
    );
    git(&bare, &["update-server-info"]);
    let root = folder.path().to_owned();
    let server =
        Server::start(
            move |path, _| match fs::read(root.join(path.trim_start_matches('/'))) {
                Ok(bytes) => Response::ok("application/octet-stream", bytes),
                Err(_) => Response::status(404),
            },
        );
    let mut options = options(scratch.path());
    let url = server.url("/project.git").replace("127.0.0.1", "localhost");
    let message = error_text(Source::open(&url, &options));
    assert!(
        message.contains("`localhost` is at") && message.contains("not a public address"),
        "{message}"
    );
    assert_eq!(server.requested(), Vec::<String>::new());
    options.allow_private_addresses = true;
    let source = Source::open(&url, &options).unwrap();
    check_versions(&source, &project);
    let described = source.described(None).unwrap();
    assert_eq!(described.origin, format!("git+{url}"));
    drop(source);
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    assert!(!folder.path().join("harm").exists());
}

#[test]
fn git_authenticates_follows_no_redirects_and_reveals_no_password() {
    let scratch = tempfile::tempdir().unwrap();
    let mut options = options(scratch.path());
    options.allow_private_addresses = true;
    let server = Server::start(|path, request| match path {
        path if path.starts_with("/moved.git") => Response::redirect("http://127.0.0.1:9/x.git"),
        _ if request.contains("Authorization: Basic YW5uOnMzY3IzdA==") => Response::status(403),
        _ => Response::status(401),
    });
    let check = |path: &str, part: &str| {
        let url = server
            .url(path)
            .replace("http://", "git+http://ann:s3cr3t@");
        let opened = Source::open(&url, &options);
        let debugged = format!("{opened:?}");
        let message = format!("{debugged} {}", error_text(opened));
        assert!(
            message.contains(part) && !message.contains("s3cr3t"),
            "{message}"
        );
    };
    check("/private.git", "403");
    check("/moved.git", "it has moved; give its new address");
    // The user is not asked for missing credentials.
    let message = error_text(Source::open(&server.url("/private.git"), &options));
    assert!(
        message.contains("git could not list the repository's versions"),
        "{message}"
    );
}

#[test]
fn an_empty_repository_and_a_folder_without_one_have_no_versions() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("plain/a.md"), "a");
    let plain = Source::open(
        folder.path().join("plain").to_str().unwrap(),
        &options(folder.path()),
    );
    let plain = plain.unwrap();
    assert!(plain.tags().unwrap().is_empty());
    assert!(error_text(plain.described(Some("v1"))).contains("is not a git repository"));
    let empty = folder.path().join("empty.git");
    fs::create_dir(&empty).unwrap();
    git(&empty, &["init", "--quiet", "--bare"]);
    let empty = Source::open(empty.to_str().unwrap(), &options(folder.path())).unwrap();
    assert!(empty.tags().unwrap().is_empty());
    assert!(error_text(empty.described(None)).contains("it has no commits yet"));
}
