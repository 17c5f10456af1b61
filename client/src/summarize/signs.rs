//! Signs in a text: of an error, of something that works now.

/// Parts of lines, in lower case, of which an error has one.
const ERRORS: &str = "error exception panicked fatal: failed failure cannot unable undefined denied refused \
    timeout traceback conflict segfault not_found enoent eacces erreur échec échoué 错误 异常 失败 报错 无法";

/// Says whether a line reads like an error's.
pub(super) fn is_error(line: &str) -> bool {
    let line = line.to_lowercase();
    ERRORS.split_whitespace().any(|sign| line.contains(sign))
}
