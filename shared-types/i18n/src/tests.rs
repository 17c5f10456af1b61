//! Ages, languages and placeholders.

use super::*;

#[test]
fn ages_are_expressed_in_words() {
    let now = "2026-11-22T12:00:00Z".parse().expect("a time");
    let check = |time: &str, expected: [&str; 3]| {
        let time = time.parse().expect("a time");
        let ages = Language::ALL.map(|language| Ages::of(language).between(time, now));
        assert_eq!(ages, expected, "{time}");
    };
    let now_words = ["just now", "刚刚", "à l’instant"];
    check("2026-11-22T11:59:30Z", now_words);
    check("2026-11-22T13:00:00Z", now_words);
    check(
        "2026-11-22T11:58:59Z",
        ["a minute ago", "1 分钟前", "il y a une minute"],
    );
    check(
        "2026-11-22T07:00:00.123Z",
        ["5 hours ago", "5 小时前", "il y a 5 heures"],
    );
    check(
        "2026-11-21T12:00:00Z",
        ["a day ago", "1 天前", "il y a un jour"],
    );
    check(
        "2026-09-01T00:00:00Z",
        ["2 months ago", "2 个月前", "il y a 2 mois"],
    );
    check(
        "2024-11-01T00:00:00Z",
        ["2 years ago", "2 年前", "il y a 2 ans"],
    );
}

#[test]
fn codes_and_locales_name_a_language() {
    for (code, expected) in [
        ("zh_CN.UTF-8", Some(Language::Chinese)),
        ("zh-Hans", Some(Language::Chinese)),
        ("FR-ch", Some(Language::French)),
        ("fr@euro", Some(Language::French)),
        (" en", Some(Language::English)),
        ("frr_DE", None),
        ("C", None),
        ("", None),
    ] {
        assert_eq!(Language::of(code), expected, "{code:?}");
    }
}

#[test]
fn placeholders_are_filled_from_left_to_right() {
    assert_eq!(filled("{} of {}", &[&1, &2]), "1 of 2");
    assert_eq!(filled("{} and {}", &[&"{}"]), "{} and ");
    assert_eq!(filled("none", &[&"unused"]), "none");
}
