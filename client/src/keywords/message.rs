//! Recognizes lines that read like an error message. These are sent to the server unchanged: it recognizes a
//! message by all of its words, including small ones, and by what is in quotation marks.
//!
//! The server has similar rules; the word lists need not be the same.

/// The maximum length of a message; longer lines are something else. *Unit*: bytes.
const MAX_LINE: usize = 500;
/// The minimum number of words of a message.
const MIN_WORDS: usize = 3;
/// Parts of words, in lower case; an error message contains one of them.
const SIGNS: &str = "error exception panic fatal fail cannot can't couldn't unable undefined denied \
    refused timeout timed segmentation unexpected invalid traceback abort missing unresolved \
    mismatch overflow illegal expected unknown conflict deadlock corrupt \
    fehler erreur errore erro échec ошибк исключени 错误 異常 异常 失败 失敗 エラー 例外 오류 예외 실패";
/// The first words of questions, in lower case; no message begins with one.
const QUESTION_WORDS: &str = "how why what when where which who whose \
    comment pourquoi quand quel quelle quels quelles où \
    wie warum wieso weshalb wann welche welcher welches wo \
    cómo como qué cuándo cuál dónde come perché quale dove";

/// Returns whether a line reads like an error message, not like a question about one.
pub(super) fn is_message(line: &str) -> bool {
    if line.len() > MAX_LINE || line.split_whitespace().nth(MIN_WORDS - 1).is_none() {
        return false;
    }
    let line = line.to_lowercase();
    SIGNS.split_whitespace().any(|sign| line.contains(sign)) && !is_question(&line)
}

fn is_question(line: &str) -> bool {
    let first = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = first.split(|c: char| !c.is_alphanumeric()).next();
    line.trim_end().ends_with(['?', '？'])
        || QUESTION_WORDS
            .split_whitespace()
            .any(|word| first == Some(word))
}
