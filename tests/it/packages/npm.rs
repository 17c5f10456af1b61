//! The npm packages, installed from their files without a network.

use std::{fs, path::PathBuf};

use recall_kit_tests::{Home, command_in, package, packages, run, run_in};

use super::{check_installed, demo};

/// Installs packages into the home; nothing is asked of a registry.
pub(super) async fn install(home: &Home, archives: &[PathBuf], options: &[&str]) {
    let names: Vec<_> = archives.iter().map(|path| path.to_string_lossy()).collect();
    let mut args = vec![
        "install",
        "--offline",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ];
    args.extend(options);
    args.extend(names.iter().map(|name| &**name));
    run_in(home, "npm", &args).await.expect_code(0);
}

/// Returns the packages of the commands and of the programs.
pub(super) async fn archives() -> [PathBuf; 2] {
    let folder = packages().await;
    let platform = format!("recall-kit-cli-{}", std::env::consts::OS);
    let digit = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name["recall-kit-cli-".len()..].starts_with(|c: char| c.is_ascii_digit())
    };
    let entries = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut commands = entries
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("recall-kit-cli-")
        })
        .filter(digit);
    [
        commands.next().unwrap(),
        package(&folder, &platform, ".tgz"),
    ]
}

#[tokio::test]
async fn the_commands_run_as_an_agent_and_a_person_start_them() {
    let home = Home::new();
    install(&home, &archives().await, &[]).await;
    let bin = home.path().join("node_modules/.bin");
    check_installed(&home, &bin.join("cli"), &bin.join("recall-kit-server")).await;
    let npx = ["--offline", "-y", "@recall-kit/cli", "demo"];
    demo(&home, "npx".as_ref(), &npx).await;
    // The launcher passes on the exit code.
    let usage = run_in(&home, bin.join("recall-kit-client"), &["no-such-command"]).await;
    assert_eq!(usage.code, Some(2), "{usage:?}");
}

#[tokio::test]
async fn half_an_installation_says_what_is_missing() {
    let home = Home::new();
    let [commands, _] = archives().await;
    install(&home, &[commands], &["--omit=optional"]).await;
    let bin = home.path().join("node_modules/.bin/cli");
    let output = run_in(&home, &bin, &["--version"]).await;
    assert_eq!((output.code, &*output.stdout), (Some(1), ""), "{output:?}");
    for told in [
        "the package @recall-kit/cli-",
        "is not installed",
        "--include=optional",
    ] {
        assert!(output.stderr.contains(told), "{told}: {output:?}");
    }
    // A platform without a package has nothing to install.
    let elsewhere = "Object.defineProperty(process, 'platform', { value: 'sunos' });";
    let preload = home.write("elsewhere.cjs", elsewhere);
    let mut command = command_in(&home, &bin, &["--version"]);
    command.env("NODE_OPTIONS", format!("--require={}", preload.display()));
    let output = run(command, "").await;
    assert_eq!(output.code, Some(1), "{output:?}");
    for told in [
        "there is no recall-kit-client for sunos-",
        "linux-x64",
        "darwin-arm64",
    ] {
        assert!(output.stderr.contains(told), "{told}: {output:?}");
    }
}

#[tokio::test]
async fn the_library_finds_the_programs_beside_it() {
    let home = Home::new();
    let folder = packages().await;
    let [commands, programs] = archives().await;
    let library = package(&folder, "recall-kit-mcp-client-", ".tgz");
    for (archive, name) in [(&commands, "cli"), (&library, "mcp-client")] {
        unpack(&home, archive, name).await;
    }
    let launcher = home
        .path()
        .join("node_modules/@recall-kit/mcp-client/bin/recall-kit-client.js");
    // There is no other program on the PATH, only Node.
    let node = home.path().join("node");
    fs::create_dir(&node).unwrap();
    let found = run_in(&home, "sh", &["-c", "command -v node"]).await;
    std::os::unix::fs::symlink(found.expect_code(0).trim(), node.join("node")).unwrap();
    let launch = async || {
        let mut command = command_in(&home, &launcher, &["--version"]);
        command.env("PATH", &node);
        run(command, "").await
    };
    let half = launch().await;
    assert_eq!(half.code, Some(1), "{half:?}");
    assert!(
        half.stderr
            .contains("is an optional dependency of @recall-kit/cli"),
        "{half:?}"
    );

    let name = programs.file_name().unwrap().to_string_lossy().into_owned();
    let platform = name
        .trim_start_matches("recall-kit-")
        .rsplit_once('-')
        .unwrap()
        .0;
    unpack(&home, &programs, platform).await;
    let whole = launch().await;
    assert!(
        whole.expect_code(0).starts_with("recall-kit-client "),
        "{whole:?}"
    );
}

/// Unpacks a package into `node_modules`, without its dependencies.
async fn unpack(home: &Home, archive: &std::path::Path, name: &str) {
    let place = home.path().join("node_modules/@recall-kit").join(name);
    fs::create_dir_all(&place).unwrap();
    let (archive, place) = (archive.to_string_lossy(), place.to_string_lossy());
    let args = ["-xzf", &archive, "--strip-components=1", "-C", &place];
    run_in(home, "tar", &args).await.expect_code(0);
}
