//! Which files texts cite, what stays, and when a cited file is another one.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use super::*;

/// Long enough to be cited.
const PADDING: &str = "Sixty-four bytes or more: the hash of a shorter text can be guessed.";

/// A repository in a temporary folder.
struct Repository {
    folder: tempfile::TempDir,
    hashes: Hashes,
}

impl Repository {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        let repository = Self {
            folder,
            hashes: Hashes::default(),
        };
        for (path, text) in files {
            repository.write(path, text);
        }
        repository
    }

    /// Writes a file that is long enough to be cited.
    fn write(&self, path: &str, text: &str) {
        self.write_bytes(path, padded(text).as_bytes());
    }

    fn write_bytes(&self, path: &str, bytes: &[u8]) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn tree(&self, start: &str) -> WorkingTree {
        WorkingTree::find(&self.folder.path().join(start), None).unwrap()
    }

    fn cited(&self, start: &str, text: &str) -> Vec<String> {
        let is_secret = |text: &str| text.contains("hush");
        let cited = self
            .tree(start)
            .cited_in(&[text], &self.hashes, soon(), is_secret);
        cited.into_iter().map(|one| one.path).collect()
    }

    fn state(&self, path: &str, sha256: &str) -> Option<FileState> {
        let tree = self.tree("");
        tree.compare([(path, sha256)], &self.hashes, soon())[0].state
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn padded(text: &str) -> String {
    format!("{text}\n# {PADDING}\n")
}

fn sha256(bytes: &[u8]) -> String {
    let hash = sha2::Digest::finalize(<sha2::Sha256 as sha2::Digest>::new_with_prefix(bytes));
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn texts_cite_the_files_whose_paths_they_have() {
    let files = [
        ("src/pool.rs", "a"),
        ("src/größe.rs", "b"),
        ("app/[id]/my page.tsx", "c"),
        ("Makefile", "d"),
        ("docs/a.md", "e"),
        ("src/deep/mod.rs", "f"),
    ];
    let repository = Repository::new(&files);
    for (text, expected) in [
        (
            "The pool in src/pool.rs:12:5 runs dry.",
            &["src/pool.rs"][..],
        ),
        (
            "See `src/pool.rs`, (docs/a.md#L3) and ./docs/a.md.",
            &["src/pool.rs", "docs/a.md"],
        ),
        (
            "问题在src/pool.rs中，另见src/größe.rs。",
            &["src/pool.rs", "src/größe.rs"],
        ),
        (r"src\pool.rs", &["src/pool.rs"]),
        (
            "`app/[id]/my page.tsx` and Makefile",
            &["app/[id]/my page.tsx", "Makefile"],
        ),
        ("https://example.com/src/pool.rs", &[]),
        (
            "pool.rs, src, src/, missing/file.rs, /etc/hostname, ../../etc/hostname",
            &[],
        ),
        ("a/b or 1/2, e.g. v1.2.3", &[]),
    ] {
        assert_eq!(repository.cited("", text), expected, "{text}");
    }
    // From a folder below, paths from it count as well; they are named from the root.
    assert_eq!(
        repository.cited("src", "deep/mod.rs pool.rs ../Makefile"),
        ["src/deep/mod.rs", "src/pool.rs", "Makefile"]
    );
    let absolute = repository.tree("").root.join("src/pool.rs");
    let absolute = absolute.to_str().unwrap();
    assert_eq!(repository.cited("", absolute), ["src/pool.rs"]);
}

#[test]
fn ignored_files_and_secrets_are_not_cited() {
    let paths = [
        "out/a.rs",
        "b.log",
        "keep.log",
        "src/made.rs",
        ".env",
        "config/.env.local",
        "tls/server.pem",
        "secrets.yaml",
        "src/secrets.rs",
        "home/.ssh/config",
        ".git/config",
        "local.md",
        "src/token.rs",
    ];
    let mut files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "text")).collect();
    files.extend([
        (".gitignore", "out/\n*.log\n!keep.log\n"),
        ("src/.gitignore", "/made.rs\n"),
        (".git/info/exclude", "local.md\n"),
        ("src/quiet.rs", "hush"),
        ("hush/a.rs", "text"),
    ]);
    let repository = Repository::new(&files);
    let text = format!("{} src/quiet.rs hush/a.rs", paths.join(" "));
    let cited = repository.cited("", &text);
    assert_eq!(cited, ["keep.log", "src/secrets.rs", "src/token.rs"]);
    // What is ignored is not compared either, whether it is there or not.
    let hash = sha256(padded("text").as_bytes());
    for path in ["out/a.rs", "out/gone.rs", "b.log", "local.md"] {
        assert_eq!(repository.state(path, &hash), None, "{path}");
    }
    // That a file was compared does not make it one that may be cited.
    assert!(repository.state("src/quiet.rs", "0").is_some());
    assert_eq!(repository.cited("", "src/quiet.rs"), [""; 0]);
    // Rules that cannot be read could ignore everything.
    fs::create_dir(repository.folder.path().join("docs")).unwrap();
    repository.write("docs/a.md", "text");
    fs::create_dir(repository.folder.path().join("docs/.gitignore")).unwrap();
    assert_eq!(repository.cited("", "docs/a.md"), [""; 0]);
}

#[test]
fn at_most_as_many_files_are_cited_as_an_entry_takes() {
    let names: Vec<String> = (0..30).map(|number| format!("src/{number}.rs")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "text")).collect();
    let repository = Repository::new(&files);
    let cited = repository.cited("", &names.join(" "));
    assert_eq!(cited, names[..MAX_CITATIONS]);
    let large = "x".repeat(usize::try_from(files::MAX_BYTES).unwrap() + 1);
    repository.write("large.rs", &large);
    assert_eq!(repository.cited("", "large.rs"), [""; 0]);
    assert_eq!(repository.state("large.rs", "0"), None);
}

#[test]
fn a_file_is_compared_whatever_its_line_ends() {
    let repository = Repository::new(&[("a.rs", "one")]);
    let text = padded("one");
    let raw = text.replace('\n', "\r\n");
    repository.write_bytes("b.rs", raw.as_bytes());
    let is_secret = |_: &str| false;
    let tree = repository.tree("");
    let cited = tree.cited_in(&["a.rs b.rs"], &repository.hashes, soon(), is_secret);
    assert_eq!(cited[0].sha256, sha256(text.as_bytes()));
    assert_eq!(cited[0].sha256, cited[1].sha256);
    for path in ["a.rs", "b.rs"] {
        assert_eq!(
            repository.state(path, &cited[0].sha256),
            Some(FileState::Same)
        );
    }
    let raw = sha256(raw.as_bytes());
    assert_eq!(repository.state("b.rs", &raw), Some(FileState::Same));
    repository.write("a.rs", "two");
    assert_eq!(
        repository.state("a.rs", &cited[0].sha256),
        Some(FileState::Changed)
    );
    // Another text of the same size, at once after the other.
    repository.write("a.rs", "six");
    let other = sha256(padded("two").as_bytes());
    assert_eq!(repository.state("a.rs", &other), Some(FileState::Changed));
    fs::remove_file(repository.folder.path().join("a.rs")).unwrap();
    assert_eq!(repository.state("a.rs", &other), Some(FileState::Missing));
}

#[test]
fn nothing_is_told_of_what_an_entry_must_not_name() {
    let repository = Repository::new(&[(".env", "text"), ("src/a.rs", "text")]);
    let hash = sha256(padded("text").as_bytes());
    for path in [
        ".env",
        "../a.rs",
        "/etc/hostname",
        "src\\a.rs",
        "src/./a.rs",
        "",
    ] {
        assert_eq!(repository.state(path, &hash), None, "{path}");
    }
    assert_eq!(repository.state("src", &hash), Some(FileState::Missing));
    assert_eq!(
        repository.state("src/a.rs/b", &hash),
        Some(FileState::Missing)
    );
    assert_eq!(repository.state("src/a.rs", &hash), Some(FileState::Same));
}

#[cfg(unix)]
#[test]
fn links_lead_neither_out_of_the_tree_nor_to_secrets() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.rs"), padded("text")).unwrap();
    let repository = Repository::new(&[("src/a.rs", "text"), (".env", "text")]);
    let root = repository.folder.path();
    symlink(outside.path().join("a.rs"), root.join("out.rs")).unwrap();
    symlink(outside.path(), root.join("folder")).unwrap();
    symlink(root.join(".env"), root.join("plain.rs")).unwrap();
    symlink(root.join("src/a.rs"), root.join("in.rs")).unwrap();
    symlink(outside.path().join("gone.rs"), root.join("gone.rs")).unwrap();
    let cited = repository.cited("", "out.rs folder/a.rs plain.rs in.rs");
    assert_eq!(
        cited,
        ["src/a.rs"],
        "a link in the tree stands for its file"
    );
    let hash = sha256(padded("text").as_bytes());
    // Nor can it be told whether a file outside exists.
    for path in [
        "out.rs",
        "folder/a.rs",
        "folder/gone.rs",
        "gone.rs",
        "plain.rs",
    ] {
        assert_eq!(repository.state(path, &hash), None, "{path}");
    }
    assert_eq!(repository.state("in.rs", &hash), Some(FileState::Same));
}

#[test]
fn a_home_and_a_folder_outside_of_repositories_are_no_tree() {
    let folder = tempfile::tempdir().unwrap();
    assert!(WorkingTree::find(folder.path(), Some(folder.path())).is_none());
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    fs::create_dir_all(folder.path().join("notes")).unwrap();
    let notes = folder.path().join("notes");
    assert!(WorkingTree::find(&notes, Some(folder.path())).is_none());
    assert!(WorkingTree::find(&notes, None).is_some());
}

#[test]
fn names_of_copies_and_of_keys_look_secret() {
    for path in [
        "terraform.tfstate.backup",
        "app.env.local",
        "server.pem.bak",
        "server.pem~",
        "id_rsa.bak",
        "id_ed25519_work",
        "AuthKey_X.p8",
        "service-account.json",
        "auth.json",
        ".my.cnf",
        ".s3cfg",
        "secrets/db.yaml",
        "config/credentials/prod.yml",
    ] {
        assert!(rules::looks_secret(path), "{path}");
    }
    for path in [
        "src/secrets/mod.rs",
        "src/auth.rs",
        "a.local",
        "docs/old.md",
    ] {
        assert!(!rules::looks_secret(path), "{path}");
    }
}

#[test]
fn a_text_that_can_be_guessed_is_neither_cited_nor_compared() {
    let repository = Repository::new(&[]);
    repository.write_bytes("pin.rs", b"1234");
    assert_eq!(repository.cited("", "pin.rs"), [""; 0]);
    assert_eq!(repository.state("pin.rs", &sha256(b"1234")), None);
    let tree = repository.tree("");
    let compared = tree.compare([("pin.rs", "0")], &repository.hashes, soon());
    assert!(compared[0].is_there, "{compared:?}");
}

/// Makes the clone a linked worktree, as `git worktree add` does.
fn link_worktree(repository: &Repository) {
    let root = repository.folder.path();
    fs::rename(root.join(".git"), root.join("main.git")).unwrap();
    let of_worktree = root.join("main.git/worktrees/one");
    fs::create_dir_all(&of_worktree).unwrap();
    fs::write(of_worktree.join("commondir"), "../..\n").unwrap();
    fs::write(root.join(".git"), "gitdir: main.git/worktrees/one\n").unwrap();
}

#[test]
fn the_rules_of_a_clone_count_in_its_worktrees() {
    let repository = Repository::new(&[("local.md", "a"), ("own.md", "b"), ("src/a.rs", "c")]);
    let write = |path: &str, text: &str| repository.write_bytes(path, text.as_bytes());
    write(".git/info/exclude", "local.md\n");
    write("rules", "own.md\n");
    write(
        ".git/config",
        "[remote \"a\"]\n\tx = y\n[Core]\n\tExcludesFile = \"rules\" # mine\n",
    );
    assert_eq!(
        repository.cited("", "local.md own.md src/a.rs"),
        ["src/a.rs"]
    );
    link_worktree(&repository);
    assert_eq!(
        repository.cited("", "local.md own.md src/a.rs"),
        ["src/a.rs"]
    );
    // A clone whose rules cannot be found could ignore everything.
    write(".git", "gitdir: gone\n");
    assert_eq!(repository.cited("", "src/a.rs"), [""; 0]);
}

#[test]
fn rules_that_are_not_text_ignore_everything() {
    let repository = Repository::new(&[("src/a.rs", "a"), ("b.rs", "b")]);
    repository.write_bytes("src/.gitignore", b"\xff\na.rs\n");
    assert_eq!(repository.cited("", "src/a.rs b.rs"), ["b.rs"]);
    assert_eq!(repository.state("src/a.rs", "0"), None);
}

#[test]
fn rules_that_cannot_be_read_ignore_everything() {
    let repository = Repository::new(&[("src/a.rs", "a"), ("b.rs", "b")]);
    let folder = |path: &str| fs::create_dir_all(repository.folder.path().join(path)).unwrap();
    assert_eq!(repository.cited("", "src/a.rs b.rs"), ["src/a.rs", "b.rs"]);
    // Not even root can read a folder as a file.
    folder("src/.gitignore");
    assert_eq!(repository.cited("", "src/a.rs b.rs"), ["b.rs"]);
    folder(".git/info/exclude");
    assert_eq!(repository.cited("", "src/a.rs b.rs"), [""; 0]);
}

#[test]
fn settings_that_git_includes_count_and_others_are_not_read() {
    let repository = Repository::new(&[("own.md", "a"), ("b.rs", "b")]);
    let write = |path: &str, text: &str| repository.write_bytes(path, text.as_bytes());
    write("rules", "own.md\n");
    write(".git/more", "[core]\n\texcludesFile = rules\n");
    write(".git/HEAD", "ref: refs/heads/topic/one\n");
    // Who reads this one cannot know the rules.
    fs::create_dir(repository.folder.path().join(".git/unreadable")).unwrap();
    let root = repository.tree("").root;
    let root = root.to_str().unwrap().replace('\\', "/");
    let (all, one, none): (&[&str], &[&str], &[&str]) = (&["own.md", "b.rs"], &["b.rs"], &[]);
    let included =
        |condition: &str, path: &str| format!("[includeIf \"{condition}\"]\n\tpath = {path}\n");
    let remote = "[remote \"origin\"]\n\turl = https://example.com/team/shop.git\n";
    for (settings, expected) in [
        (String::new(), all),
        ("[include] path = \\\n more ; below\n".to_owned(), one),
        ("[include]\n\tpath = missing\n".to_owned(), all),
        ("[include]\n\tpath = unreadable\n".to_owned(), none),
        ("[include]\n\tpath = config\n".to_owned(), none),
        (included(&format!("gitdir:{root}/"), "more"), one),
        (
            included(&format!("gitdir/i:{}/.GIT", root.to_uppercase()), "more"),
            one,
        ),
        (included("gitdir:.git", "more"), one),
        (included("gitdir:elsewhere/", "unreadable"), all),
        (included("onbranch:topic/", "more"), one),
        (included("onbranch:main", "unreadable"), all),
        (
            remote.to_owned() + &included("hasconfig:remote.*.url:https://*/team/**", "more"),
            one,
        ),
        (
            remote.to_owned()
                + &included("hasconfig:remote.*.url:https://*/other/**", "unreadable"),
            all,
        ),
        (included("of-a-later-git:x", "unreadable"), all),
    ] {
        write(".git/config", &settings);
        assert_eq!(repository.cited("", "own.md b.rs"), expected, "{settings}");
    }
    // Without a branch no condition on one holds; a branch that only git can tell could be any.
    write(".git/config", &included("onbranch:main", "unreadable"));
    for (head, expected) in [
        ("0123456789abcdef0123456789abcdef01234567\n", all),
        ("ref: refs/heads/.invalid\n", none),
    ] {
        write(".git/HEAD", head);
        assert_eq!(repository.cited("", "own.md b.rs"), expected, "{head}");
    }
}

#[test]
fn files_of_a_nested_repository_are_not_those_of_the_outer_one() {
    for mark in MARKS {
        let repository = Repository::new(&[("clone/src/a.rs", "text"), ("src/a.rs", "text")]);
        let hash = sha256(padded("text").as_bytes());
        let path = "clone/src/a.rs";
        assert_eq!(repository.state(path, &hash), Some(FileState::Same));
        fs::create_dir(repository.folder.path().join("clone").join(mark)).unwrap();
        assert_eq!(
            repository.cited("", "clone/src/a.rs src/a.rs"),
            ["src/a.rs"]
        );
        assert_eq!(repository.state(path, &hash), None, "{mark}");
        assert_eq!(repository.state("clone/gone.rs", &hash), None, "{mark}");
    }
}

#[test]
fn a_path_that_names_two_files_names_none() {
    let files = [
        ("Cargo.toml", "a"),
        ("crate/Cargo.toml", "b"),
        ("crate/only.toml", "c"),
    ];
    let repository = Repository::new(&files);
    assert_eq!(
        repository.cited("crate", "Cargo.toml only.toml"),
        ["crate/only.toml"]
    );
    assert_eq!(repository.cited("", "Cargo.toml"), ["Cargo.toml"]);
}

#[test]
fn paths_out_of_the_tree_are_refused_before_files_are_looked_at() {
    let path = |path: &str| normalised(Path::new(path));
    assert_eq!(path("/a/b/../../net/host"), Some("/net/host".into()));
    assert_eq!(path("/a/./b/../c"), Some("/a/c".into()));
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().canonicalize().unwrap().join("root");
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(root.join("a.rs"), padded("a")).unwrap();
    let tree = WorkingTree::find(&root, None).unwrap();
    assert_eq!(tree.file_named("../root/a.rs").as_deref(), Some("a.rs"));
    // Even a link outside that leads back in is not looked at.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&root, outer.path().join("back")).unwrap();
        assert_eq!(tree.file_named("../back/a.rs"), None);
    }
}

#[test]
fn no_file_is_read_after_the_deadline() {
    let repository = Repository::new(&[("a.rs", "text")]);
    let (tree, now) = (repository.tree(""), Instant::now());
    let hashes = &repository.hashes;
    assert_eq!(tree.cited_in(&["a.rs"], hashes, now, |_| false), []);
    assert_eq!(tree.compare([("a.rs", "0")], hashes, now), []);
}
