//! What other files say about the packages: the metadata of `cargo binstall`, the release workflow, the command's
//! own help.

use clap::CommandFactory as _;

use super::*;
use crate::platform::PLATFORMS;

fn read(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).unwrap()
}

#[test]
fn the_command_line_is_sound() {
    Args::command().debug_assert();
}

#[test]
fn binstall_finds_the_archives() {
    for (manifest, program) in [
        ("cli/Cargo.toml", "recall-kit-client"),
        ("server/Cargo.toml", "recall-kit-server"),
    ] {
        let manifest: toml::Table = toml::from_str(&read(manifest)).unwrap();
        let binstall = &manifest["package"]["metadata"]["binstall"];
        let filled = |key: &str| {
            let values = [
                ("{ repo }", release::REPOSITORY),
                ("{ version }", "1.2.3"),
                ("{ target }", "x86_64-unknown-linux-gnu"),
                ("{ bin }", program),
                ("{ binary-ext }", ""),
            ];
            let text = binstall[key].as_str().unwrap().to_owned();
            values
                .iter()
                .fold(text, |text, (name, value)| text.replace(name, value))
        };
        let release = Release {
            version: "1.2.3".to_owned(),
            platform: Platform::of_target("x86_64-unknown-linux-gnu").unwrap(),
            root: Path::new("."),
            programs: Vec::new(),
            format: Format {
                time: 0,
                compression: 0,
            },
        };
        let url = format!(
            "{}/releases/download/v1.2.3/{}.tar.gz",
            release::REPOSITORY,
            release.name()
        );
        assert_eq!(filled("pkg-url"), url);
        assert_eq!(filled("bin-dir"), format!("{}/{program}", release.name()));
        assert_eq!(filled("pkg-fmt"), "tgz");
    }
}

#[test]
fn the_release_workflow_builds_every_released_platform_and_no_other() {
    let workflow = read(".github/workflows/release.yml");
    for platform in &PLATFORMS {
        let line = format!("target: {}\n", platform.target);
        assert_eq!(workflow.contains(&line), platform.is_released, "{line}");
    }
}

#[test]
fn a_formula_names_only_archives_that_exist() {
    let all = [
        ("aarch64-apple-darwin", "a"),
        ("x86_64-unknown-linux-gnu", "b"),
        ("x86_64-pc-windows-msvc", "c"),
    ];
    let all = all.map(|(target, sum)| (Platform::of_target(target).unwrap(), sum.repeat(64)));
    let formula = homebrew::formula("1.2.3", &all).unwrap();
    for (block, checksum) in [
        ("on_macos do\n    on_arm do", "a"),
        ("on_linux do\n    on_intel do", "b"),
    ] {
        let after = formula.split_once(block).unwrap().1;
        let checksum = format!("sha256 \"{}\"", checksum.repeat(64));
        assert!(
            after.split("end").next().unwrap().contains(&checksum),
            "{formula}"
        );
    }
    assert_eq!(formula.matches("url \"").count(), 2, "{formula}");
    assert_eq!(homebrew::formula("1.2.3", &all[2..]), None);
}
