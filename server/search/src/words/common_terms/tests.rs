//! Which shared words of texts are returned.

use super::shared_words;

#[test]
fn words_of_most_texts_are_returned_once() {
    let check = |texts: &[&str], expected: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(shared_words(&texts, 3), expected, "{texts:?}");
    };
    check(
        &[
            "The Docker build fails on E0502",
            "docker: build with E0502 again",
        ],
        &["docker", "build", "e0502"],
    );
    check(
        &["数据库连接超时", "连接数据库失败"],
        &["据库", "数据", "连接"],
    );
    check(&["cache one", "cache two", "other"], &["cache"]);
    check(&["one of it is the", "the of it is one"], &[]);
    check(
        &["useState is stale", "stale useState"],
        &["usestate", "stale"],
    );
}
