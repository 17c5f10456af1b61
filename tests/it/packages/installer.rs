//! `install.sh`, run from its folder: what it installs, and what it refuses.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use recall_kit_tests::{Home, Output, command_in, package, packages, run, run_in, unprivileged_in};

use super::{check_installed, demo};

/// Runs the script of the packages with arguments.
async fn install(home: &Home, args: &[&str]) -> Output {
    let script = packages().await.join("install.sh");
    let script = script.to_string_lossy();
    let args = [&[&*script], args].concat();
    run_in(home, "sh", &args).await
}

/// Whether nothing was installed below a prefix.
fn is_empty(prefix: &Path) -> bool {
    fs::read_dir(prefix.join("bin")).map_or(true, |mut entries| entries.next().is_none())
}

/// Makes a folder that has the packages of another, as links.
fn linked(home: &Home, folder: &Path) -> PathBuf {
    let copy = home.path().join("release");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        symlink(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    copy
}

#[tokio::test]
async fn it_installs_programs_pages_and_completions() {
    let home = Home::new();
    let folder = packages().await;
    let from = folder.to_string_lossy();
    let output = install(&home, &["--from", &from]).await;
    let bin = home.path().join(".local/bin");
    assert!(
        output.expect_code(0).contains(&*bin.to_string_lossy()),
        "{output:?}"
    );
    check_installed(
        &home,
        &bin.join("recall-kit-client"),
        &bin.join("recall-kit-server"),
    )
    .await;
    demo(&home, &bin.join("recall-kit-client"), &["demo"]).await;
    let share = home.path().join(".local/share");
    for file in [
        "man/man1/recall-kit-client.1",
        "man/man1/recall-kit-server-backup.1",
        "bash-completion/completions/recall-kit-client",
        "zsh/site-functions/_recall-kit-server",
        "fish/vendor_completions.d/recall-kit-server.fish",
    ] {
        assert!(share.join(file).is_file(), "{file}");
    }
    // Again over the first, from an address, while the old program is running.
    let mut running = command_in(&home, bin.join("recall-kit-client"), &["mcp"]);
    let mut running = recall_kit_tests::start(&mut running);
    let again = install(&home, &["--from", &format!("file://{from}")]).await;
    again.expect_code(0);
    running.kill().await.unwrap();
}

#[tokio::test]
async fn a_changed_archive_is_refused() {
    let home = Home::new();
    let folder = packages().await;
    let archive = package(&folder, "recall-kit-", "-linux-gnu.tar.gz");
    let release = linked(&home, &folder);
    let changed = release.join(archive.file_name().unwrap());
    fs::remove_file(&changed).unwrap();
    let mut bytes = fs::read(&archive).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&changed, &bytes).unwrap();
    let prefix = home.path().join("prefix");
    let args = [
        "--prefix",
        &*prefix.to_string_lossy(),
        "--from",
        &*release.to_string_lossy(),
    ];
    let output = install(&home, &args).await;
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output
            .stderr
            .contains("is not the file that SHA256SUMS names"),
        "{output:?}"
    );
    assert!(is_empty(&prefix));
    // So is one that breaks off, and one that is not there.
    fs::write(&changed, &bytes[..middle]).unwrap();
    install(&home, &args).await.expect_code(1);
    fs::remove_file(&changed).unwrap();
    let output = install(&home, &args).await;
    assert!(output.stderr.contains("error: cannot read"), "{output:?}");
    assert!(is_empty(&prefix));
}

#[tokio::test]
async fn it_needs_a_place_that_it_may_write_to() {
    let home = Home::new();
    let folder = packages().await;
    let (script, from) = (folder.join("install.sh"), folder.to_string_lossy());
    let (script, prefix) = (script.to_string_lossy(), home.path().join("prefix"));
    let mut homeless = command_in(&home, "sh", &[&script, "--from", &from]);
    homeless.env_remove("HOME");
    let output = run(homeless, "").await;
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("HOME is not set"), "{output:?}");
    assert!(output.stderr.contains("--prefix DIR"), "{output:?}");
    // With a prefix it needs no home.
    let mut homeless = command_in(&home, "sh", &[&script, "--from", &from]);
    homeless.env_remove("HOME").env("PREFIX", &prefix);
    run(homeless, "").await.expect_code(0);
    assert!(prefix.join("bin/recall-kit-server").is_file());

    let closed = home.path().join("closed");
    fs::create_dir(&closed).unwrap();
    home.open_to_all();
    fs::set_permissions(&closed, Permissions::from_mode(0o555)).unwrap();
    let copy = home.write("install.sh", fs::read(&*script).unwrap());
    let release = home.path().join("readable");
    fs::create_dir(&release).unwrap();
    fs::copy(folder.join("SHA256SUMS"), release.join("SHA256SUMS")).unwrap();
    let (copy, release) = (copy.to_string_lossy(), release.to_string_lossy());
    let args = [
        &*copy,
        "--from",
        &release,
        "--prefix",
        &closed.to_string_lossy(),
    ];
    let output = run(unprivileged_in(&home, "/bin/sh".as_ref(), &args), "").await;
    assert_eq!(output.code, Some(1), "{output:?}");
    let told = format!("cannot write to {}/bin", closed.display());
    assert!(output.stderr.contains(&told), "{output:?}");
}

#[tokio::test]
async fn other_platforms_and_broken_downloads_install_nothing() {
    let home = Home::new();
    let folder = packages().await;
    let (script, from) = (folder.join("install.sh"), folder.to_string_lossy());
    home.write_program(
        "fake/uname",
        "#!/bin/sh\n[ \"$1\" = -m ] && echo riscv64 || echo Linux\n",
    );
    let mut elsewhere = command_in(&home, "sh", &[&script.to_string_lossy(), "--from", &from]);
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", home.path().join("fake").display());
    elsewhere.env("PATH", path);
    let output = run(elsewhere, "").await;
    assert_eq!(output.code, Some(1), "{output:?}");
    let told = "there is no archive for riscv64-unknown-linux-gnu";
    assert!(output.stderr.contains(told), "{output:?}");
    assert!(
        output.stderr.contains("there are archives for: "),
        "{output:?}"
    );
    let output = install(&home, &["--from", &from, "--version", "9.9.9"]).await;
    assert!(output.stderr.contains("of version 9.9.9"), "{output:?}");
    let output = install(&home, &["--form", &from]).await;
    assert!(
        output.stderr.contains("unknown option --form"),
        "{output:?}"
    );
    // A script that is cut off, as by a broken download, does nothing.
    let text = fs::read_to_string(&script).unwrap();
    let end = text.rfind("main \"$@\"").unwrap();
    for length in [text.len() / 3, text.len() / 2, end] {
        let cut = text.get(..length).unwrap();
        let command = command_in(&home, "sh", &["-s", "--", "--from", &from]);
        let output = run(command, cut).await;
        assert!(!output.stdout.contains("installed"), "{output:?}");
    }
    assert!(is_empty(&home.path().join(".local")));
}
