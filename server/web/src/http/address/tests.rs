//! Where a page may send its visitor.

use super::{own_path, with_query};

#[test]
fn no_address_leads_to_another_server() {
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
fn parameters_are_encoded_and_empty_ones_left_out() {
    let address = with_query("/", [("q", "a&b=ü?"), ("type", ""), ("page", "2")]);
    assert_eq!(address, "/?q=a%26b%3D%C3%BC%3F&page=2");
}
