//! The demo's example records and its preview.

#![allow(clippy::unwrap_used)]

use recall_kit_client::ConfiguredSanitizer;

use super::*;

#[test]
fn the_examples_are_complete_and_contain_no_secrets() {
    let requests: Vec<SubmitExperienceRequest> = serde_json::from_str(EXPERIENCES).unwrap();
    assert!(requests.len() >= 8);
    for request in requests {
        assert!(request.root_cause.is_some() && request.context.is_some());
        let shown = Draft::from(request.clone()).sanitize(&ConfiguredSanitizer::default());
        assert_eq!(
            shown.request(),
            &request,
            "the sanitizer changed an example"
        );
    }
}

#[test]
fn the_preview_shows_the_documented_example() {
    let after = sanitize(&snippet(), &RuleGroup::REMOVAL);
    assert_eq!(
        after.text,
        "const apiKey = \"YOUR_API_KEY\";\n\
         fetch(\"https://api.example.com/data\", {\n\
         \x20 headers: { \"Authorization\": `Bearer ${apiKey}` }\n\
         });"
    );
}
