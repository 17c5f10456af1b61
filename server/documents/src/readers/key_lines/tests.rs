//! Lines of keys in JSON and YAML, also with unusual formatting.

use super::KeyLines;

const JSON: &str = r#"{
  "info": {"title": "Shop", "paths": 1},
  "paths": {
    "/a\/b": {
      "get": {
        "description": "paths:"
      },
      "post": {}
    }, "/c": {"get": {}}
  },
  "tags": [
    "paths"
  ]
}"#;

const YAML: &str = "# paths:
info:
  description: |
    paths:
      /a/b:
paths:
  '/a/b':
    get:
      tags:
      - pets
  /c:verb: # a path with a colon
    post: {}
";

#[test]
fn a_key_is_found_by_its_parents() {
    for (text, path, expected) in [
        (JSON, &["paths"][..], 3),
        (JSON, &["paths", "/a/b"], 4),
        (JSON, &["paths", "/a/b", "get"], 5),
        (JSON, &["paths", "/a/b", "post"], 8),
        // This key does not begin its line.
        (JSON, &["paths", "/c", "get"], 3),
        (JSON, &["definitions"], 1),
        (YAML, &["paths"], 6),
        (YAML, &["paths", "/a/b", "get"], 8),
        (YAML, &["paths", "/c:verb", "post"], 12),
        (YAML, &["info", "description"], 3),
        ("{\"paths\": {\"/a\": {}}}", &["paths", "/a"], 1),
        ("", &["paths"], 1),
    ] {
        assert_eq!(
            KeyLines::of(text).line(path),
            expected,
            "{path:?} in {text}"
        );
    }
}
