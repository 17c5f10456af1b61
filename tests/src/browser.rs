//! A real browser that opens the pages of a server: Chromium, driven by the scripts `tests/data/browser*.mjs`.

use std::path::PathBuf;

use serde_json::Value;

use crate::{Home, node::node_with};

/// Runs a flow of a script against a server; `ids` has the ids of the records that the flow opens, and other
/// parameters.
pub async fn run_browser_flow(home: &Home, script: &str, flow: &str, url: &str, ids: &Value) {
    let browser = browser();
    let browser = browser.to_string_lossy();
    let args = [flow, url, &ids.to_string()];
    let env = [("RECALL_KIT_TEST_BROWSER", &*browser)];
    let output = node_with(home, script, &args, &env).await;
    let stdout = output.expect_code(0);
    assert_eq!(stdout.trim(), "fine", "{flow}");
}

/// Finds the browser: the one that `RECALL_KIT_TEST_BROWSER` names, otherwise one on the `PATH`.
fn browser() -> PathBuf {
    if let Some(named) = std::env::var_os("RECALL_KIT_TEST_BROWSER") {
        return named.into();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let names = ["chromium", "google-chrome"];
    let found = names.iter().find_map(|name| {
        let mut places = folders.iter().map(|folder| folder.join(name));
        places.find(|place| place.is_file())
    });
    found.expect("the tests need Chromium, which `tests/run` installs where it can")
}
