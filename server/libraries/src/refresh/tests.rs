//! The request that ingests a version again.

#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::*;

#[tokio::test]
async fn a_refresh_requests_the_same_tag_or_branch() {
    let check = async |at: Option<&str>, revision: Option<&str>, expected: Option<Option<&str>>| {
        let version = LibraryVersion {
            id: 1,
            version: "2.0".to_owned(),
            // Does not exist: the original request must be enough.
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
        let request = request(&library, &version, &SourceOptions::default()).await;
        let found = request.map(|request| (request.at, request.is_default));
        let expected = expected.map(|at| (at.map(str::to_owned), true));
        assert_eq!(found.ok(), expected, "{at:?}, {revision:?}");
    };
    check(Some("main"), Some("c0ffee"), Some(Some("main"))).await;
    check(None, None, Some(None)).await;
    // A version from git without a requested branch needs the source.
    check(None, Some("c0ffee"), None).await;
}
