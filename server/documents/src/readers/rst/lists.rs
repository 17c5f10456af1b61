//! Bullet and numbered lists.

use super::{Line, Reader, indented};

impl Reader {
    /// Reads a list; returns how many lines it has, or `None` if there is none.
    pub(super) fn list(&mut self, lines: &[Line<'_>]) -> Option<usize> {
        let first = lines.first()?;
        let (number, _) = marker(first.text)?;
        self.writer.begin_list(number);
        let mut taken = 0;
        while let Some(line) = lines.get(taken) {
            if line.is_empty() {
                taken += 1;
                continue;
            }
            let Some((next, width)) = marker(line.text) else {
                break;
            };
            if next.is_some() != number.is_some() {
                break;
            }
            self.writer.begin_item();
            let (mut body, more) = indented(lines.get(taken + 1..).unwrap_or_default());
            let text = line.text.get(width..).unwrap_or_default();
            body.insert(
                0,
                Line {
                    number: line.number,
                    text: text.trim_start(),
                },
            );
            self.body(&body);
            taken += 1 + more;
        }
        self.writer.end_list();
        Some(taken)
    }
}

/// Returns the number and the width of the marker that a line begins with.
fn marker(text: &str) -> Option<(Option<u64>, usize)> {
    let bullet = ["- ", "* ", "+ ", "• "]
        .iter()
        .find(|it| text.starts_with(**it));
    if let Some(bullet) = bullet {
        return Some((None, bullet.len()));
    }
    if matches!(text, "-" | "*" | "+") {
        return Some((None, 1));
    }
    let rest = text.strip_prefix('(').unwrap_or(text);
    let opened = text.len() - rest.len();
    let end = rest.find(['.', ')'])?;
    let number = rest.get(..end)?;
    if !rest.get(end + 1..)?.starts_with(' ') {
        return None;
    }
    let value = match number {
        "#" => 1,
        _ if number.len() == 1 && number.chars().all(|it| it.is_ascii_lowercase()) => 1,
        _ if number.len() <= 4 => number.parse().ok()?,
        _ => return None,
    };
    Some((Some(value), opened + end + 2))
}
