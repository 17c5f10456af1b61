//! What is a reference, and which beginning of an id is enough.

use recall_kit_shared_types::recall::RecallFamily;
use serde_json::json;

use super::*;

#[test]
fn a_reference_is_an_id_or_a_section() {
    let section = |version: &str, title: &str| {
        Some(Reference::Section(Section {
            library: 7,
            version: version.to_owned(),
            title: title.to_owned(),
        }))
    };
    let record = |id: &str| Some(Reference::Record(id.to_owned()));
    let check = |text: &str, expected: Option<Reference>| {
        assert_eq!(text.parse().ok(), expected, "{text}");
    };
    check("01JD8", record("01JD8"));
    check(" 01a2006f-0eef ", record("01a2006f-0eef"));
    let uuid = "01a2006f-0eef-7035-b7ed-2bebae567e13";
    check(uuid, record(uuid));
    check(
        "7@v1.10.0/query-parameters",
        section("v1.10.0", "query-parameters"),
    );
    check(
        "7@release/2.0/Query Parameters",
        section("release/2.0", "query-parameters"),
    );
    for wrong in [
        "",
        "01JD",
        "01JD8!",
        "two words",
        "../../etc/passwd",
        "7@v1",
        "7@/title",
        "7@v1/",
        "x@v1/t",
        "-1@v1/title",
        "01a2006f-0eef-7035-b7ed-2bebae567e13f",
    ] {
        check(wrong, None);
    }
}

#[test]
fn what_a_result_shows_names_the_same_when_it_is_typed() {
    let check = |open: Value, shown: Option<&str>| {
        let result = RecallResult {
            family: RecallFamily::Library,
            id: String::new(),
            title: String::new(),
            snippet: String::new(),
            score: 0.5,
            fits: None,
            open: serde_json::from_value(open).expect("a call"),
        };
        let reference = Reference::of(&result);
        let text = reference.as_ref().map(ToString::to_string);
        assert_eq!(text.as_deref(), shown);
        assert_eq!(text.and_then(|text| text.parse().ok()), reference);
    };
    let shows = |id: &str| json!({"tool": "rekall_show", "arguments": {"id": id}});
    check(shows("01a2006f-0eef"), Some("01a2006f-0eef"));
    check(shows("\u{1b}[2J"), None);
    let docs = |topic: &str| json!({"tool": "get-library-docs", "arguments": {"topic": topic, "libraryId": 7, "version": "v1"}});
    check(
        docs("Guide > Query, path & body"),
        Some("7@v1/guide-query-path-body"),
    );
    check(docs("状态 不更新"), Some("7@v1/状态-不更新"));
    let long = "A title of a section that is much longer than anybody would type";
    check(
        docs(long),
        Some("7@v1/a-title-of-a-section-that-is-much-longer"),
    );
    check(
        json!({"tool": "get-library-docs", "arguments": {"topic": "x"}}),
        None,
    );
    check(
        json!({"tool": "delete_everything", "arguments": {"id": "01JD8"}}),
        None,
    );
}

#[test]
fn a_section_fits_only_titles_that_begin_with_its_words() {
    let Reference::Section(section) = Reference::section(7, "v1", "Query parameters") else {
        panic!("it is a section");
    };
    let check = |title: &str, expected: bool| {
        let document = json!({
            "title": title, "source": "", "version": "v1", "mode": "info", "tokens": 1, "relevance": 1.0,
        });
        let document = serde_json::from_value(document).expect("a document");
        assert_eq!(section.fits(&document), expected, "{title}");
    };
    check("Query parameters", true);
    check("Query > Parameters", true);
    check("Query parameters in paths", true);
    check("Query parametersets", false);
    check("Query", false);
}

#[test]
fn short_ids_differ_from_each_other() {
    let check = |ids: &[&str], expected: &[&str]| assert_eq!(short_ids(ids), expected);
    let one = "01a2006f-0eef-7035-b7ed-2bebae567e13";
    check(&[one], &["01a2006f-0eef"]);
    let same_moment = "01a2006f-0eef-7abc-b7ed-2bebae567e13";
    check(
        &[one, same_moment],
        &["01a2006f-0eef-7035", "01a2006f-0eef-7abc"],
    );
    let nearly_the_same = "01a2006f-0eef-7035-b7ed-000000000000";
    check(&[one, nearly_the_same], &[one, nearly_the_same]);
    check(&[one, one], &["01a2006f-0eef", "01a2006f-0eef"]);
    check(&["short", ""], &["short", ""]);
}
