//! What a terminal shows after a program has written to it.

/// The width of the terminal.
const COLUMNS: usize = 80;

/// Returns the lines that the terminal shows in the end. It handles the control sequences A to D, J (always to
/// the end) and K, and ignores all others. Every character is one column wide.
pub fn screen(written: &str) -> Vec<String> {
    let mut rows: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0_usize, 0_usize);
    let mut chars = written.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                let (number, letter) = sequence(&mut chars);
                match letter {
                    'A' => row = row.saturating_sub(number.max(1)),
                    'B' => row += number.max(1),
                    'C' => column += number.max(1),
                    'D' => column = column.saturating_sub(number.max(1)),
                    'J' => {
                        rows[row].truncate(column);
                        rows.truncate(row + 1);
                    }
                    'K' if number == 2 => rows[row].clear(),
                    'K' => rows[row].truncate(column),
                    _ => {}
                }
            }
            '\r' => column = 0,
            '\n' => row += 1,
            c if c.is_control() => {}
            c => {
                if column == COLUMNS {
                    (row, column) = (row + 1, 0);
                }
                rows.resize(rows.len().max(row + 1), Vec::new());
                let line = &mut rows[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = c;
                column += 1;
            }
        }
        rows.resize(rows.len().max(row + 1), Vec::new());
    }
    let lines = rows.into_iter().map(String::from_iter);
    lines
        .map(|line: String| line.trim_end().to_owned())
        .collect()
}

/// Reads a control sequence: its first number and its last letter.
fn sequence(chars: &mut std::str::Chars<'_>) -> (usize, char) {
    if !chars.as_str().starts_with('[') {
        return (0, ' ');
    }
    chars.next();
    let rest = chars.as_str();
    let end = rest.find(|c: char| c.is_ascii_alphabetic());
    let parameters = &rest[..end.unwrap_or(rest.len())];
    let number = parameters.split(';').next().unwrap_or_default();
    let letter = end.and_then(|end| rest[end..].chars().next());
    *chars = rest[end.map_or(rest.len(), |end| end + 1)..].chars();
    (number.parse().unwrap_or(0), letter.unwrap_or(' '))
}
