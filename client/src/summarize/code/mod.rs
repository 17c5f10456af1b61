//! Cuts the code out of an experience's context.
//!
//! Source: client protocol, `FormattedExperience.code`; the contract's own example marks its code
//! with `Code example:`.

#[cfg(test)]
mod tests;

/// What marks the line after which everything is code.
const MARKERS: [&str; 7] = [
    "code example",
    "example code",
    "code snippet",
    "code",
    "exemple de code",
    "代码示例",
    "代码",
];

/// Returns the context without its code, and the code; each none when nothing is left of it.
pub(crate) fn cut_code(context: &str) -> (Option<String>, Option<String>) {
    let (prose, code) = cut_fences(context);
    if !code.is_empty() {
        return (kept(&prose), kept(&code));
    }
    match cut_at_marker(context) {
        Some((prose, code)) => (kept(prose), kept(&code)),
        None => (kept(context), None),
    }
}

/// Takes the fenced blocks out; an unclosed fence reaches to the end.
fn cut_fences(context: &str) -> (String, String) {
    let (mut prose, mut code) = (String::new(), String::new());
    let mut open: Option<&str> = None;
    for line in context.split_inclusive('\n') {
        match (open, fence_of(line)) {
            (None, Some(fence)) => {
                open = Some(fence);
                if !code.is_empty() {
                    code.push('\n');
                }
            }
            (Some(opened), Some(fence)) if fence.starts_with(opened) => open = None,
            (Some(_), _) => code.push_str(line),
            (None, None) => prose.push_str(line),
        }
    }
    (prose, code)
}

/// Returns the back-ticks or tildes that open or close a fence.
fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    line.get(..length).filter(|fence| fence.len() >= 3)
}

/// Splits at the first line that begins with a marker and a colon.
fn cut_at_marker(context: &str) -> Option<(&str, String)> {
    let mut before = 0;
    for line in context.split_inclusive('\n') {
        let after = before + line.len();
        if let Some((head, same_line)) = line.split_once([':', '：'])
            && MARKERS.contains(&head.trim().to_lowercase().as_str())
        {
            let prose = context.get(..before)?;
            let following = context.get(after..)?;
            return Some((prose, format!("{}\n{following}", same_line.trim())));
        }
        before = after;
    }
    None
}

fn kept(text: &str) -> Option<String> {
    let text = without_blank_edges(text);
    (!text.is_empty()).then(|| text.to_owned())
}

/// Drops the blank lines around a text, but not the indentation of its first line.
pub(crate) fn without_blank_edges(text: &str) -> &str {
    let text = text.trim_end();
    let blank = text
        .split_inclusive('\n')
        .take_while(|line| line.trim().is_empty())
        .map(str::len)
        .sum();
    text.get(blank..).unwrap_or_default()
}
