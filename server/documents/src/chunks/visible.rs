//! Examples of Rust as rustdoc displays them.

use std::borrow::Cow;

/// Returns an example as rustdoc displays it: without the lines starting with `# `, which only make it compile.
pub(super) fn visible<'a>(language: Option<&str>, text: &'a str) -> Cow<'a, str> {
    let hidden = |line: &str| {
        let line = line.trim_start();
        line == "#" || line.starts_with("# ")
    };
    if language != Some("rust") || !text.lines().any(hidden) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.lines().filter(|it| !hidden(it)).collect();
    let shown = lines.join("\n");
    if shown.trim().is_empty() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(shown)
}
