//! Redirects stay on this server, and parameters are encoded.

use super::{own_path, with_query};

#[test]
fn addresses_of_other_servers_are_replaced_by_the_front_page() {
    for own in ["/", "/knowledge?type=bug&page=2", "/experiences/0197#top"] {
        assert_eq!(own_path(own), own);
    }
    let others = [
        "",
        "//elsewhere.example",
        "/\\elsewhere.example",
        "https://elsewhere.example/",
        "javascript:alert(1)",
        "/\t/elsewhere.example",
        "/a\r\nSet-Cookie: b=c",
        "knowledge",
    ];
    for other in others {
        assert_eq!(own_path(other), "/", "{other:?}");
    }
}

#[test]
fn parameters_are_encoded_and_empty_ones_omitted() {
    let address = with_query("/", [("q", "a&b=ü?"), ("type", ""), ("page", "2")]);
    assert_eq!(address, "/?q=a%26b%3D%C3%BC%3F&page=2");
}
