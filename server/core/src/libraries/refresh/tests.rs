//! What is asked for when a version is read in again.

#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::*;

#[tokio::test]
async fn a_version_is_asked_for_as_it_was_before() {
    let check = async |at: Option<&str>, revision: Option<&str>, expected: Option<Option<&str>>| {
        let version = LibraryVersion {
            id: 1,
            version: "2.0".to_owned(),
            // Nothing to look into: what was asked for needs no guess.
            source: "/no/such/folder".to_owned(),
            at: at.map(str::to_owned),
            revision: revision.map(str::to_owned),
            files: 1,
            chunks: 1,
            tokens: 1,
            ingested_at: Timestamp::UNIX_EPOCH,
        };
        let library = Library {
            id: 1,
            name: "gin".to_owned(),
            description: String::new(),
            default_version: "2.0".to_owned(),
            versions: vec![version.clone()],
        };
        let asked = request(&library, &version, &SourceOptions::default()).await;
        let asked = asked.map(|request| (request.at, request.is_default));
        let expected = expected.map(|at| (at.map(str::to_owned), true));
        assert_eq!(asked.ok(), expected, "{at:?}, {revision:?}");
    };
    check(Some("main"), Some("c0ffee"), Some(Some("main"))).await;
    check(None, None, Some(None)).await;
    // Of a version from git that nobody named a branch for, the source has to say.
    check(None, Some("c0ffee"), None).await;
}
