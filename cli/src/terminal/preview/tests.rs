//! The display of a draft before it is sent.

use recall_kit_client::{ConfiguredSanitizer, Draft};

use super::*;

#[test]
fn replacements_are_coloured() {
    let replacements = ["YOUR_TOKEN_2", "YOUR_TOKEN", "var_001"].map(str::to_owned);
    let shown = marked("a=YOUR_TOKEN_2 b=YOUR_TOKEN 中", &replacements);
    let coloured = |text| styled(YELLOW, text);
    let expected = format!(
        "a={} b={} 中",
        coloured("YOUR_TOKEN_2"),
        coloured("YOUR_TOKEN")
    );
    assert_eq!(shown, expected);
    assert_eq!(marked("nothing", &[]), "nothing");
}

#[test]
fn a_long_field_is_wrapped_at_words() {
    let mail = ["ada", "oakmere-clinic.net"].join("@");
    let problem = format!("The report never arrives when it is sent by mail to {mail} at night");
    let draft = Draft::new("t", problem, "s").sanitize(&ConfiguredSanitizer::default());
    let shown = fields(&draft, &Words::of("en"), Page::of_width(60));
    let shown = shown.replace(&styled(YELLOW, "user@example.com"), "<user@example.com>");
    assert_eq!(
        shown,
        "Title: t\nProblem: The report never arrives when it is sent by mail to\n<user@example.com> at \
         night\nSolution: s"
    );
}
