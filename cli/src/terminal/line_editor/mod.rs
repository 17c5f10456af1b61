//! Reads one line at a terminal. A line that is longer than the terminal's width is wrapped, and it is erased
//! when the answer has been given.

#[cfg(test)]
mod tests;

use std::io;

use console::{Key, Term, measure_text_width};

/// Asks with `prompt` and returns the line; it initially contains `initial`, which can be changed.
///
/// *Errors*: [`io::ErrorKind::Interrupted`] for Ctrl-C.
pub(crate) fn read(term: &Term, prompt: &str, initial: &str) -> io::Result<String> {
    let mut line = Line::of(initial);
    let mut view = View::new(term, prompt);
    view.draw(&line)?;
    loop {
        let key = term.read_key()?;
        if key == Key::Enter {
            view.erase()?;
            return Ok(line.chars.into_iter().collect());
        }
        match line.apply(&key) {
            Effect::None => {}
            Effect::Appended(c) => view.append(c)?,
            Effect::Redraw => view.draw(&line)?,
        }
    }
}

/// Asks with `prompt` and returns the line, which is not shown.
///
/// *Errors*: [`io::ErrorKind::Interrupted`] for Ctrl-C.
pub(crate) fn read_hidden(term: &Term, prompt: &str) -> io::Result<String> {
    let mut line = Line::of("");
    term.write_str(prompt)?;
    term.flush()?;
    loop {
        let key = term.read_key()?;
        if key == Key::Enter {
            term.write_line("")?;
            return Ok(line.chars.into_iter().collect());
        }
        line.apply(&key);
    }
}

/// The line, and the position of the cursor in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    chars: Vec<char>,
    cursor: usize,
}

/// The effect of a key on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    None,
    /// A character was added at the end, where the cursor is.
    Appended(char),
    Redraw,
}

impl Line {
    fn of(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let cursor = chars.len();
        Self { chars, cursor }
    }

    fn apply(&mut self, key: &Key) -> Effect {
        let (before, end) = (self.cursor, self.chars.len());
        match key {
            Key::Char('\u{15}') => {
                self.chars.drain(..before);
                self.cursor = 0;
            }
            Key::Char(c) if !c.is_control() => {
                self.chars.insert(before, *c);
                self.cursor += 1;
                if before == end {
                    return Effect::Appended(*c);
                }
            }
            Key::Backspace if before > 0 => {
                self.cursor -= 1;
                self.chars.remove(self.cursor);
            }
            Key::Del if before < end => {
                self.chars.remove(before);
            }
            Key::ArrowLeft => self.cursor = before.saturating_sub(1),
            Key::ArrowRight => self.cursor = end.min(before + 1),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = end,
            _ => return Effect::None,
        }
        Effect::Redraw
    }
}

/// A line on the terminal. The line is broken into rows here, because it is not known where a terminal wraps.
struct View<'a> {
    term: &'a Term,
    prompt: &'a str,
    rows: Rows,
    /// The position of the cursor; the prompt begins in row 0.
    at: Position,
}

/// A position on the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Position {
    row: usize,
    column: usize,
}

impl<'a> View<'a> {
    fn new(term: &'a Term, prompt: &'a str) -> Self {
        let width = usize::from(term.size().1);
        Self {
            term,
            prompt,
            rows: Rows::new(width, measure_text_width(prompt)),
            at: Position::default(),
        }
    }

    /// Redraws the whole line.
    fn draw(&mut self, line: &Line) -> io::Result<()> {
        self.erase()?;
        let (text, end) = self.rows.lay_out(&line.chars);
        let (_, cursor) = self
            .rows
            .lay_out(line.chars.get(..line.cursor).unwrap_or_default());
        self.term.write_str(&format!("{}{text}", self.prompt))?;
        self.term.move_cursor_up(end.row - cursor.row)?;
        self.term.write_str("\r")?;
        self.term.move_cursor_right(cursor.column)?;
        self.at = cursor;
        self.term.flush()
    }

    /// Draws one more character at the cursor.
    fn append(&mut self, c: char) -> io::Result<()> {
        let (text, at) = self.rows.next(self.at, c);
        self.at = at;
        self.term.write_str(&text)?;
        self.term.flush()
    }

    /// Erases prompt and line, and moves the cursor to where they began.
    fn erase(&mut self) -> io::Result<()> {
        self.term.move_cursor_up(self.at.row)?;
        self.term.write_str("\r")?;
        self.term.clear_to_end_of_screen()?;
        self.at = Position::default();
        self.term.flush()
    }
}

/// How the characters after a prompt are broken into rows.
#[derive(Debug, Clone, Copy)]
struct Rows {
    /// The number of columns in use. The last column stays free, so that the cursor fits after the last
    /// character.
    width: usize,
    start: Position,
}

impl Rows {
    fn new(columns: usize, prompt: usize) -> Self {
        // A Chinese character needs at least two columns.
        let width = columns.saturating_sub(1).max(2);
        let start = Position {
            row: prompt / columns.max(1),
            column: prompt % columns.max(1),
        };
        Self { width, start }
    }

    /// Returns the text with its line breaks, and the position of the cursor after it.
    fn lay_out(&self, chars: &[char]) -> (String, Position) {
        let (mut text, mut at) = (String::new(), self.start);
        for c in chars {
            let (more, after) = self.next(at, *c);
            text.push_str(&more);
            at = after;
        }
        (text, at)
    }

    /// Returns what to write for a character at a position, and the position after it.
    fn next(&self, at: Position, c: char) -> (String, Position) {
        let wide = measure_text_width(c.encode_utf8(&mut [0; 4]));
        match at.column + wide > self.width {
            true => {
                let (row, column) = (at.row + 1, wide);
                (format!("\n{c}"), Position { row, column })
            }
            false => {
                let column = at.column + wide;
                (c.to_string(), Position { column, ..at })
            }
        }
    }
}
