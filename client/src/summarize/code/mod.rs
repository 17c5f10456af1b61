//! Separates the code in an experience's context from the prose.
//!
//! Code is in fenced blocks or follows a marker such as `Code example:`.

#[cfg(test)]
mod tests;

/// The markers after which everything is code.
const MARKERS: [&str; 7] = [
    "code example",
    "example code",
    "code snippet",
    "code",
    "exemple de code",
    "代码示例",
    "代码",
];

/// Returns the context without its code, and the code; each is `None` if it is empty.
pub(crate) fn cut_code(context: &str) -> (Option<String>, Option<String>) {
    let (prose, code) = cut_fences(context);
    if !code.is_empty() {
        return (non_blank(&prose), non_blank(&code));
    }
    match cut_at_marker(context) {
        Some((prose, code)) => (non_blank(prose), non_blank(&code)),
        None => (non_blank(context), None),
    }
}

/// Separates the fenced blocks from the rest; an unclosed fence extends to the end.
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

fn non_blank(text: &str) -> Option<String> {
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
