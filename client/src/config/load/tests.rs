//! What a file that was found by searching may not set.

#![allow(clippy::unwrap_used)]

use std::fs;

use tempfile::TempDir;

use crate::config::{CONFIG_FILE_NAME, ConfigSearch, tests::load};

#[test]
fn a_found_file_cannot_weaken_the_protection() {
    let sanitizer = ("RECALL_KIT_CLIENT_SANITIZER__ENABLED", "true");
    let unasked = ("RECALL_KIT_CLIENT_PROMPT_ON_SUBMIT", "false");
    for (file, variables, key) in [
        (
            r#"{"sanitizer": {"enabled": false}}"#,
            &[][..],
            "sanitizer.enabled",
        ),
        (
            r#"{"sanitizer": {"enabled": "false"}}"#,
            &[],
            "sanitizer.enabled",
        ),
        (
            r#"{"autoSubmit": true, "promptOnSubmit": false}"#,
            &[],
            "autoSubmit",
        ),
        (r#"{"autoSubmit": "true"}"#, &[unasked], "autoSubmit"),
    ] {
        let error = load(file, variables).unwrap_err();
        let words = format!("has `{key}` send");
        assert!(error.contains(&words), "{file}: {error}");
    }
    for (file, variables) in [
        (r#"{"sanitizer": {"enabled": false}}"#, &[sanitizer][..]),
        (r#"{"autoSubmit": true}"#, &[]),
        (r#"{"promptOnSubmit": false}"#, &[]),
    ] {
        load(file, variables).unwrap();
    }
    let dir = TempDir::new().unwrap();
    let file = dir.path().join(CONFIG_FILE_NAME);
    fs::write(&file, r#"{"autoSubmit": true, "promptOnSubmit": false}"#).unwrap();
    let search = ConfigSearch {
        user_dir: Some(dir.path().to_owned()),
        ..ConfigSearch::default()
    };
    assert!(search.load().unwrap().config.sends_unasked());
}
