//! Parsing of addresses, and the errors for invalid ones.

#![allow(clippy::unwrap_used)]

use super::{Address, is_library_address, library_address};

#[test]
fn addresses_of_both_schemes_are_parsed() {
    let check = |path: &str, expected: &str| {
        for scheme in ["recall-kit:///", "go-mcp-context:///"] {
            let uri = format!("{scheme}{path}");
            assert!(is_library_address(&uri), "{uri}");
            let read = match Address::of(&uri) {
                Ok(Address::Library(id)) => format!("library {id}"),
                Ok(Address::Docs(query)) => {
                    let (id, version) = (query.library.unwrap(), query.version.unwrap());
                    format!("{id} {version}: {}", query.topics.join(" + "))
                }
                Err(body) => {
                    let fields = body.validation_errors.into_iter().flatten();
                    let words = fields.map(|field| field.message).collect::<Vec<_>>();
                    words.join("; ")
                }
            };
            assert!(read.contains(expected), "{uri}: {read}");
        }
    };
    check("library/1", "library 1");
    check("library/%31%32", "library 12");
    check("docs/chunk/1/latest/routing", "1 latest: routing");
    check(
        "docs/chunk/7/v1.9.0/overview,api,%20examples",
        "7 v1.9.0: overview + api + examples",
    );
    check(
        "docs/chunk/7/release%2F2.0/how%20do%20I%20route%3F",
        "7 release/2.0: how do I route?",
    );
    check("docs/chunk/7/1.0/a/b%2Fc", "7 1.0: a/b/c");
    // Decoded once, not repeatedly.
    check("docs/chunk/7/1.0/100%2525", "7 1.0: 100%25");
    check("library/", "libraryId must be a whole number");
    check("library/gin", "libraryId must be a whole number");
    check("library/0", "libraryId must be a whole number");
    check("library/1/more", "libraryId must be a whole number");
    check("docs/chunk/x/1.0/topic", "libraryId must be a whole number");
    check("docs/chunk/1/latest", "the address must be");
    check("docs/chunk/1//topic", "the address must be");
    check("docs/chunk/1/latest/", "the address must be");
    check("docs/chunk/1/latest/,", "topic");
    check("docs/chunk/1/%20/topic", "the address must be");
    check("docs/chunk/1/latest/%FF", "not UTF-8");
    check(
        "docs/chunk/1/latest/a,b,c,d,e,f,g,h,i,j,k",
        "11 topics are too many",
    );
}

#[test]
fn other_addresses_are_not_library_addresses() {
    for uri in [
        "recall-kit:///knowledge/graph",
        "recall-kit://library/1",
        "file:///library/1",
        "library/1",
        "",
    ] {
        assert!(!is_library_address(uri), "{uri}");
    }
    assert_eq!(
        Address::of(&library_address(5)),
        Ok(Address::Library(5)),
        "what is listed can be read"
    );
}
