//! Items are counted whatever the body's layout and nesting.

use super::items;

#[test]
fn items_of_a_batch_are_counted() {
    let check = |body: &str, expected: u32| {
        let shown: String = body.chars().take(60).collect();
        assert_eq!(items(body.as_bytes()), expected, "{shown}");
    };
    check("", 1);
    check("{}", 1);
    check("{\"a\": [1, 2, 3]}", 1);
    check("not json", 1);
    check("[]", 0);
    check("[{}]", 1);
    check(" \t\r\n[{}, {}]", 2);
    check("[1, [2, 3], {\"a\": [4, 5]}, \"]\", \"[\\\"\"]", 5);
    // A truncated or malformed batch counts as one, since none of it is carried out.
    check("[{}, {}", 1);
    check("[{},]", 1);
    check(&format!("[{}{{}}]", "{},".repeat(9_999)), 10_000);
    // Deep nesting does not stop the count.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    check(&format!("[{{}}, {deep}, {{}}]"), 3);
}
