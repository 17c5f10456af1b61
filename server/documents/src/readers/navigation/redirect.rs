//! Signs in a page's source that it only redirects to another page.

use crate::{
    document::Document,
    readers::{Format, Skip, navigation},
};

/// Keys of front matter that name the target of a redirect.
const KEYS: [&str; 6] = [
    "redirect_to",
    "redirect-to",
    "redirectto",
    "redirect",
    "redirect_url",
    "redirecturl",
];
/// The most lines of front matter.
const MAX_LINES: usize = 200;

/// Returns why a page is skipped if its source redirects.
pub(crate) fn skip(format: Format, text: &str, document: &Document) -> Option<Skip> {
    if !matches!(
        format,
        Format::Markdown | Format::Mdx | Format::Rst | Format::Html | Format::AsciiDoc
    ) {
        return None;
    }
    // A redirect in the front matter always counts; other signs may be examples.
    let leads = in_front_matter(text) || navigation::is_short(document) && in_source(format, text);
    leads.then_some(Skip::Redirect)
}

fn in_front_matter(text: &str) -> bool {
    let mut lines = text.lines();
    let opening = lines.next().map(str::trim_end);
    let Some(fence @ ("---" | "+++")) = opening else {
        return false;
    };
    let lines = lines.take(MAX_LINES);
    let lines: Vec<&str> = lines.take_while(|line| line.trim_end() != fence).collect();
    lines.iter().any(|line| {
        let Some((key, value)) = line.split_once([':', '=']) else {
            return false;
        };
        let key = key.trim_end().to_ascii_lowercase();
        let value = value.trim().trim_matches(['"', '\'']);
        match key.as_str() {
            "layout" => value == "redirect",
            _ => KEYS.contains(&key.as_str()) && !matches!(value, "" | "false" | "no" | "null"),
        }
    })
}

fn in_source(format: Format, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let refreshes = text.contains("http-equiv") && text.contains("refresh") && text.contains("url");
    let by_program = || {
        let after = text.split("location").skip(1);
        after.into_iter().any(|it| {
            let it = it.strip_prefix(".href").unwrap_or(it).trim_start();
            let assigns = it.starts_with('=') && !it.starts_with("==");
            assigns || it.starts_with(".replace(") || it.starts_with(".assign(")
        })
    };
    match format {
        Format::Html => refreshes || text.contains("<script") && by_program(),
        Format::Mdx => refreshes || text.contains("<redirect ") || text.contains("<navigate "),
        Format::Rst => {
            let mut lines = text.lines().map(str::trim_start);
            refreshes || lines.any(|line| line.starts_with(".. redirect"))
        }
        _ => refreshes,
    }
}
