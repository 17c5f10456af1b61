//! The wheel, checked against its own list and installed by pip into a fresh environment.

use std::path::Path;

use recall_kit_tests::{Home, package, packages, python, run_in, virtual_environment};
use serde_json::Value;

use super::{check_installed, demo};

/// Installs a wheel into a virtual environment; nothing is asked of an index.
pub(super) async fn install(home: &Home, scripts: &Path, wheel: &Path) {
    let options = [
        "install",
        "--no-index",
        "--disable-pip-version-check",
        "--quiet",
    ];
    let wheel = wheel.to_string_lossy();
    let args = [&options[..], &[&*wheel]].concat();
    run_in(home, scripts.join("pip"), &args)
        .await
        .expect_code(0);
}

#[tokio::test]
async fn the_wheel_names_its_files_and_its_platform() {
    let home = Home::new();
    let wheel = package(&packages().await, "recall_kit-", ".whl");
    let output = python(&home, "check_wheel.py", &[&wheel.to_string_lossy()]).await;
    let seen: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    let tag = seen["tags"][0].as_str().unwrap();
    let named = wheel.file_stem().unwrap().to_string_lossy();
    assert!(named.ends_with(tag), "{named}: {tag}");
    assert!(tag.starts_with("py3-none-"), "{tag}");
    assert_eq!(seen["scripts"].as_array().map(Vec::len), Some(2), "{seen}");
}

#[tokio::test]
async fn pip_installs_the_programs_and_the_short_name() {
    let home = Home::new();
    let wheel = package(&packages().await, "recall_kit-", ".whl");
    let scripts = virtual_environment(&home).await;
    install(&home, &scripts, &wheel).await;
    let client = scripts.join("recall-kit");
    check_installed(&home, &client, &scripts.join("recall-kit-server")).await;
    demo(&home, &client, &["demo"]).await;
    let module = run_in(
        &home,
        scripts.join("python"),
        &["-m", "recall_kit", "--version"],
    )
    .await;
    assert!(
        module.expect_code(0).starts_with("recall-kit-client "),
        "{module:?}"
    );
}
