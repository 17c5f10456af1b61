//! The order of matching names.

use recall_kit_store::Library;

use super::score;

fn library(name: &str, description: &str) -> Library {
    Library {
        id: 1,
        name: name.to_owned(),
        description: description.to_owned(),
        default_version: "latest".to_owned(),
        versions: Vec::new(),
    }
}

/// Checks which names match, best first.
fn check(typed: &str, names: &[(&str, &str)], expected: &[&str]) {
    let mut found: Vec<(f64, &str)> = names
        .iter()
        .map(|(name, description)| (score(typed, &library(name, description)), *name))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    assert!(found.iter().all(|(score, _)| *score <= 1.0), "{found:?}");
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let found: Vec<&str> = found.into_iter().map(|(_, name)| name).collect();
    assert_eq!(found, expected, "{typed}");
}

#[test]
fn matches_are_ordered_exact_prefix_contained_described_misspelt() {
    let names = [
        ("serde", "serialisation framework"),
        ("serde_json", "JSON for serde"),
        ("serde_yaml_ng", ""),
        ("typeserde", ""),
        ("config", "layers of settings, with serde"),
        ("serve", ""),
        ("tokio", "runtime"),
    ];
    check(
        "Serde",
        &names,
        &[
            "serde",
            "serde_json",
            "serde_yaml_ng",
            "typeserde",
            "config",
            "serve",
        ],
    );
    check("serde-json", &names, &["serde_json"]);
    check("tokoi", &names, &["tokio"]);
    check("layers of settings", &names, &["config"]);
    check("…", &names, &[]);
    check("C++", &[("c", ""), ("C++", "")], &["C++"]);
}
