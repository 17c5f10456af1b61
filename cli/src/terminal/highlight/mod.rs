//! Highlights code at the terminal: its keywords, quoted texts and comments.

#[cfg(test)]
mod tests;

use recall_kit_code::{Token, guess, tokens};

use crate::terminal::printer::{BLUE, DIM, YELLOW, styled};

/// Colours each line of code; colours end at the end of the line. The text must not contain control characters
/// other than line ends.
pub(crate) fn lines(code: &str) -> Vec<String> {
    let mut coloured = String::with_capacity(code.len());
    for (token, piece) in tokens(code, guess(code)) {
        let style = match token {
            Token::Keyword => BLUE,
            Token::Text => YELLOW,
            Token::Comment | Token::Gone => DIM,
            Token::Plain | Token::Number | Token::Type | Token::Call | Token::Name => {
                coloured.push_str(piece);
                continue;
            }
        };
        for line in piece.split_inclusive('\n') {
            let (text, end) = match line.strip_suffix('\n') {
                Some(text) => (text, "\n"),
                None => (line, ""),
            };
            coloured.push_str(&styled(style, text));
            coloured.push_str(end);
        }
    }
    coloured.lines().map(str::to_owned).collect()
}
