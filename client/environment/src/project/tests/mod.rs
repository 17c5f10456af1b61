//! Which files count for a folder, the cache, and what cannot be read.

#![allow(clippy::unwrap_used)]

mod private;

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use super::*;

/// A folder with files; paths begin with `home/` or `work/`, the repository is `work/shop`.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new(files: &[(&str, &str)]) -> Self {
        let disk = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(disk.path("work/shop/.git")).unwrap();
        fs::create_dir_all(disk.path("home")).unwrap();
        files.iter().for_each(|(name, text)| disk.write(name, text));
        disk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn finder(&self) -> Finder {
        Finder::new(Some(self.path("home")), self.path("system"), |_| None)
    }

    fn find(&self, start: &str) -> Project {
        self.finder().find(&self.path(start))
    }
}

/// The public packages with their versions.
fn public(project: &Project) -> Vec<String> {
    let known = project.packages.iter().filter(|known| known.held.is_none());
    let mut names: Vec<String> = known
        .map(|known| {
            let version = known.package.version.as_deref().unwrap_or("-");
            format!("{} {version}", known.package.name)
        })
        .collect();
    names.sort();
    names
}

fn cargo_lock(name: &str, version: &str) -> String {
    format!(
        "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n"
    )
}

fn npm_lock(packages: &[(&str, &str)]) -> String {
    let entries = packages.iter().map(|(name, version)| {
        format!(
            r#""node_modules/{name}": {{"version": "{version}",
            "resolved": "https://registry.npmjs.org/{name}/-/{name}-{version}.tgz"}}"#
        )
    });
    let entries: Vec<String> = entries.collect();
    format!(r#"{{"packages": {{{}}}}}"#, entries.join(", "))
}

#[test]
fn the_nearest_lock_file_of_each_ecosystem_counts() {
    let disk = Disk::new(&[
        ("work/Cargo.lock", &cargo_lock("outside", "1.0.0")),
        ("work/shop/Cargo.lock", &cargo_lock("serde", "1.0.1")),
        (
            "work/shop/package-lock.json",
            &npm_lock(&[("react", "18.0.0")]),
        ),
        (
            "work/shop/web/package-lock.json",
            &npm_lock(&[("react", "19.0.0")]),
        ),
        ("work/shop/web/src/app.ts", ""),
        ("work/shop/api/requirements.txt", "flask==3.0.0\n"),
    ]);
    assert_eq!(
        public(&disk.find("work/shop/web/src/app.ts")),
        ["react 19.0.0", "serde 1.0.1"]
    );
    assert_eq!(
        public(&disk.find("work/shop/web/src/new/file.ts")),
        ["react 19.0.0", "serde 1.0.1"]
    );
    // What is not upwards is found below.
    assert_eq!(
        public(&disk.find("work/shop")),
        ["flask 3.0.0", "react 18.0.0", "serde 1.0.1"]
    );
    // Files that a text names come first.
    let texts = ["  at render (web/src/app.ts:12:3)"];
    let project = disk.finder().find_for(&disk.path("work/shop"), &texts);
    let environment = project.relevant(&["npm ERR! react@19"]);
    assert_eq!(environment.packages[0].purl, "pkg:npm/react");
    assert_eq!(environment.packages[0].version.as_deref(), Some("19.0.0"));
    // Files outside of the repository are not looked at, nor those above the home.
    let texts = ["see ../Cargo.lock and /etc/passwd"];
    assert!(
        !public(&disk.finder().find_for(&disk.path("work/shop"), &texts))
            .contains(&"outside 1.0.0".to_owned())
    );
    disk.write("home/a/b/Cargo.lock", &cargo_lock("inner", "1.0.0"));
    disk.write("home/Cargo.lock", &cargo_lock("of-home", "1.0.0"));
    assert_eq!(public(&disk.find("home/a/b")), ["inner 1.0.0"]);
    assert_eq!(public(&disk.find("home/a")), ["inner 1.0.0"]);
    // What is above a folder that is not there is no project, unless it is a repository.
    assert!(disk.find("home/a/b/none").files.is_empty());
    // The home itself and the root of the system are no projects.
    assert!(disk.find("home").files.is_empty());
    assert!(
        disk.finder()
            .find(std::path::Path::new("/"))
            .files
            .is_empty()
    );
}

#[test]
fn of_two_lock_files_one_counts_and_both_say_what_is_private() {
    let yarn = "react@^18:\n  version \"18.0.0\"\n  resolved \"https://registry.yarnpkg.com/react/-/react-18.0.0.tgz\"\n\n\
                lodash@^4:\n  version \"4.0.0\"\n  resolved \"https://npm.acme.test/lodash/-/lodash-4.0.0.tgz\"\n";
    let npm = npm_lock(&[("react", "19.0.0"), ("lodash", "4.0.0")]);
    let disk = Disk::new(&[
        ("work/shop/package-lock.json", &npm),
        ("work/shop/yarn.lock", yarn),
    ]);
    let age = |name: &str, seconds: u64| {
        let file = fs::File::options()
            .append(true)
            .open(disk.path(name))
            .unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - seconds);
        file.set_modified(time).unwrap();
    };
    age("work/shop/package-lock.json", 10);
    age("work/shop/yarn.lock", 20);
    assert_eq!(public(&disk.find("work/shop")), ["react 19.0.0"]);
    age("work/shop/package-lock.json", 30);
    let project = disk.find("work/shop");
    assert_eq!(public(&project), ["react 18.0.0"]);
    assert_eq!(project.notes.len(), 1);
    assert_eq!(project.notes[0].reason, Reason::Superseded);
    disk.write(
        "work/shop/package.json",
        r#"{"packageManager": "npm@10.0.0"}"#,
    );
    assert_eq!(public(&disk.find("work/shop")), ["react 19.0.0"]);
}

#[test]
fn what_cannot_be_read_is_a_note_and_nothing_beside_it_is_public() {
    let disk = Disk::new(&[
        ("work/shop/package-lock.json", "{"),
        (
            "work/shop/yarn.lock",
            "react@^18:\n  version \"18.0.0\"\n  resolved \"https://registry.yarnpkg.com/react/-/react-18.0.0.tgz\"\n",
        ),
        ("work/shop/Cargo.lock", &cargo_lock("serde", "1.0.1")),
    ]);
    let project = disk.find("work/shop");
    assert_eq!(public(&project), ["serde 1.0.1"]);
    let problem = |problem| Reason::Problem(problem);
    assert!(
        project
            .notes
            .iter()
            .any(|note| note.reason == problem(Problem::Malformed))
    );
    #[cfg(unix)]
    {
        let lock = disk.path("work/shop/Cargo.lock");
        let check = |expected: Problem| {
            let project = disk.find("work/shop");
            assert!(
                project
                    .notes
                    .iter()
                    .any(|note| note.reason == problem(expected)),
                "{expected}"
            );
            assert!(public(&project).is_empty(), "{expected}");
        };
        // A pipe that nobody writes to, a device, a link out of the repository, a link to itself, a huge file.
        fs::remove_file(&lock).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &lock, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        check(Problem::NotAFile);
        for (target, expected) in [
            (PathBuf::from("/dev/zero"), Problem::Outside),
            (disk.path("work/Cargo.lock"), Problem::Outside),
            (lock.clone(), Problem::Outside),
        ] {
            disk.write("work/Cargo.lock", &cargo_lock("outside", "1.0.0"));
            fs::remove_file(&lock).unwrap();
            std::os::unix::fs::symlink(target, &lock).unwrap();
            check(expected);
        }
        fs::remove_file(&lock).unwrap();
        let file = fs::File::create(&lock).unwrap();
        file.set_len((16 << 20) + 1).unwrap();
        check(Problem::TooLarge);
    }
}

#[test]
#[cfg(unix)]
fn folders_in_a_circle_and_other_repositories_are_not_entered() {
    let disk = Disk::new(&[
        ("work/shop/a/requirements.txt", "flask==3.0.0\n"),
        ("work/shop/b/.git/HEAD", ""),
        ("work/shop/b/requirements.txt", "django==5.0\n"),
        ("work/shop/node_modules/x/requirements.txt", "numpy==1.0\n"),
        ("work/other/requirements.txt", "pandas==1.0\n"),
    ]);
    std::os::unix::fs::symlink(disk.path("work/shop"), disk.path("work/shop/a/loop")).unwrap();
    std::os::unix::fs::symlink(disk.path("work/other"), disk.path("work/shop/other")).unwrap();
    assert_eq!(public(&disk.find("work/shop")), ["flask 3.0.0"]);
}

#[test]
fn runtimes_are_those_of_the_nearest_folder_and_exact() {
    let disk = Disk::new(&[
        (
            "work/shop/rust-toolchain.toml",
            "[toolchain]\nchannel = \"1.80.0\"\n",
        ),
        ("work/shop/.nvmrc", "v20.11.0\n"),
        ("work/shop/web/.nvmrc", "lts/iron\n"),
        (
            "work/shop/web/package.json",
            r#"{"engines": {"node": ">=18"}}"#,
        ),
        ("work/shop/.python-version", "3.11.4\n"),
        (
            "work/shop/.tool-versions",
            "ruby 3.3.0\npython 3.12.0\njava temurin-21.0.2+13\n",
        ),
        (
            "work/shop/go.mod",
            "module x.test/a\ngo 1.22\ntoolchain go1.22.1\n",
        ),
        (
            "work/shop/global.json",
            r#"{"sdk": {"version": "8.0.100"}}"#,
        ),
    ]);
    let project = disk.find("work/shop/web");
    let mut found: Vec<String> = project
        .runtimes
        .iter()
        .map(|it| format!("{} {}", it.name, it.version.as_deref().unwrap()))
        .collect();
    found.sort();
    let expected = [
        "dotnet 8.0.100",
        "go 1.22.1",
        "java 21.0.2+13",
        "node 20.11.0",
        "python 3.11.4",
        "ruby 3.3.0",
        "rustc 1.80.0",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_cache_answers_until_a_file_changes() {
    let disk = Disk::new(&[
        ("work/shop/requirements.txt", "-r base.txt\nflask==3.0.0\n"),
        ("work/shop/base.txt", "numpy==1.0\n"),
        ("work/shop/yarn.lock", "<"),
    ]);
    let path = disk.path("data/environment.cache");
    let names = ["requirements.txt", "base.txt", "yarn.lock"];
    let age = || names.map(|name| set_age(&disk.path(&format!("work/shop/{name}")), 60));
    age();
    let find = || {
        public(
            &disk
                .finder()
                .with_cache(path.clone())
                .find(&disk.path("work/shop")),
        )
    };
    let both = ["flask 3.0.0", "numpy 1.0"];
    assert_eq!(find(), both);
    let written = fs::read_to_string(&path).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    // What is in the cache is used: here, a version that no file has.
    fs::write(&path, written.replace("1.0\tnumpy", "9.9\tnumpy")).unwrap();
    assert_eq!(find(), ["flask 3.0.0", "numpy 9.9"]);
    // A change of a file that was included counts, and so does one that damages the cache.
    disk.write("work/shop/base.txt", "numpy==1.25\n");
    assert_eq!(find(), ["flask 3.0.0", "numpy 1.25"]);
    disk.write("work/shop/base.txt", "numpy==1.0\n");
    age();
    for damage in [
        "",
        "recall-kit environment 1\nF\t99999999\t/x\n",
        "recall-kit environment 1\nF\t5\n",
        &written[..written.len() - 3],
    ] {
        fs::write(&path, damage).unwrap();
        assert_eq!(find(), both, "{damage}");
    }
    let folder = fs::read_dir(path.parent().unwrap()).unwrap();
    assert_eq!(folder.count(), 1);
}

/// Says that a file was changed so many seconds ago.
fn set_age(path: &Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    let time = SystemTime::now() - Duration::from_secs(seconds);
    file.set_modified(time).unwrap();
}

#[test]
fn a_file_that_was_changed_just_now_is_read_again() {
    let disk = Disk::new(&[("work/shop/requirements.txt", "-r base.txt\n")]);
    let (path, base) = (
        disk.path("data/environment.cache"),
        disk.path("work/shop/base.txt"),
    );
    let find = || {
        let finder = disk.finder().with_cache(path.clone());
        public(&finder.find(&disk.path("work/shop")))
    };
    set_age(&disk.path("work/shop/requirements.txt"), 60);
    disk.write("work/shop/base.txt", "numpy==1.0\n");
    let changed = fs::metadata(&base).unwrap().modified().unwrap();
    assert_eq!(find(), ["numpy 1.0"]);
    // The same size, and the same time, as on a system with coarse times.
    disk.write("work/shop/base.txt", "numpy==2.0\n");
    let file = fs::File::options().write(true).open(&base).unwrap();
    file.set_modified(changed).unwrap();
    assert_eq!(find(), ["numpy 2.0"]);
}
