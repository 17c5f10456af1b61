//! Which sources clients may name.

use recall_kit_settings::IngestSources::{All, Off, Urls};

use super::allow;

#[test]
fn the_settings_decide_which_sources_are_allowed() {
    let check = |source: &str, is_web: bool| {
        let words = |allowed| allow(allowed, source).err().map(|body| body.message);
        assert_eq!(words(All), None, "{source}");
        let message = words(Urls).unwrap_or_default();
        assert_eq!(message.is_empty(), is_web, "{source}: {message}");
        assert!(
            is_web || message.contains("web address"),
            "{source}: {message}"
        );
        assert!(words(Off).is_some_and(|message| message.contains("libraries.ingest")));
    };
    check("https://example.com/docs.zip", true);
    check("http://example.com/llms.txt", true);
    check("git+https://example.com/project", true);
    check("https://github.com/owner/project", true);
    // It has the form of a web address, whether or not the host exists.
    check("https:///etc/passwd", true);
    for source in [
        "/etc/passwd",
        "docs",
        "../docs",
        "~/docs",
        "file:///etc/passwd",
        "git+file:///srv/project",
        "FILE:///etc/passwd",
        "ssh://git@example.com/project",
        "git@example.com:project",
        "/srv/https://example.com/x/..",
        "http:",
        "",
    ] {
        check(source, false);
    }
}
