//! Recognizes errors, causes, solutions and refusals in the texts of people, agents and programs; in English,
//! Chinese and French.

/// How certainly a line is an error: it is marked as one, or it contains the words of one.
pub(super) const SURE: u8 = 3;
pub(super) const LIKELY: u8 = 2;
/// The ends of lines that are not errors, in lower case: names of tests may contain words of errors.
const PASSED: [&str; 4] = [" ok", " passed", "✓", "✔"];

/// Parts of lines, in lower case; an error contains one of them.
const ERRORS: &str = "error exception panicked fatal: failed failure cannot can't unable undefined denied \
    refused traceback conflict segfault segmentation not_found enoent eacces unresolved mismatch \
    unexpected overflow deadlock timeout refusé erreur échec échoué impossible introuvable \
    错误 异常 失败 报错 无法 找不到 拒绝 超时";
/// Parts of lines, in lower case, with which a line is not an error.
const NO_ERRORS: &str = "-0-error -0-failed no-error -0-failures without-error errors:-0 failed:-0 failures:-0 \
    error-handling no-longer doesn't-fail aucune-erreur sans-erreur plus-d'erreur 没有错误 无错误 不再报错";
/// Phrases of a sentence that names a cause, the more certain ones first.
const CAUSES: [&str; 21] = [
    "root cause",
    "the cause",
    "caused by",
    "the problem is",
    "the problem was",
    "the issue is",
    "the issue was",
    "the reason",
    "根本原因",
    "原因是",
    "是因为",
    "问题在于",
    "la cause",
    "le problème vient",
    "le problème est",
    "vient de",
    "because",
    "因为",
    "由于",
    "parce que",
    "dû à",
];
/// Phrases, in lower case, of a sentence that reports success.
const SOLVED: [&str; 30] = [
    "works now",
    "now works",
    "it works",
    "works,",
    "works!",
    "fixed",
    "solved",
    "resolved",
    "passes now",
    "now passes",
    "succeeds",
    "builds now",
    "now builds",
    "thank",
    "好了",
    "解决了",
    "已解决",
    "修复了",
    "已修复",
    "可以了",
    "成功",
    "谢谢",
    "résolu",
    "corrigé",
    "réparé",
    "fonctionne",
    "marche maintenant",
    "ça marche",
    "merci",
    "passe maintenant",
];
/// The beginnings of refusals, in lower case.
const REFUSALS: [&str; 17] = [
    "i'm sorry",
    "i am sorry",
    "sorry,",
    "i can't",
    "i cannot",
    "i can not",
    "i won't",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "as an ai",
    "抱歉",
    "对不起",
    "很抱歉",
    "désolé",
    "je suis désolé",
    "je ne peux pas",
];

/// Returns whether a line reads like an error.
pub(super) fn is_error(line: &str) -> bool {
    let line = line.to_lowercase();
    if !ERRORS.split_whitespace().any(|sign| line.contains(sign)) {
        return false;
    }
    // The space keeps " 0 errors" from matching in "10 errors".
    let line = format!(" {line}");
    let spaced = |sign: &str| line.contains(&sign.replace('-', " "));
    !NO_ERRORS.split_whitespace().any(spaced)
        && !PASSED.iter().any(|end| line.trim_end().ends_with(end))
}

/// Returns how certainly a line is the error itself, not a line around it; 0 for a line without an error.
pub(super) fn error_weight(line: &str) -> u8 {
    if !is_error(line) {
        return 0;
    }
    let line = line.trim_start().to_lowercase();
    let marks = [
        "error:",
        "error[",
        "exception:",
        "panicked at",
        "fatal:",
        "错误：",
        "错误:",
        "erreur :",
    ];
    match () {
        // A summary that refers to an earlier error.
        () if [
            "could not compile",
            "did not complete",
            "failed to solve",
            "aborting due",
        ]
        .iter()
        .any(|words| line.contains(words)) =>
        {
            1
        }
        () if marks.iter().any(|mark| line.contains(mark)) => SURE,
        // `docker: Error response from daemon: …`
        () if line.contains(':') && line.contains("error") => SURE,
        () => LIKELY,
    }
}

/// Returns how certainly a sentence names a cause; 0 if it does not.
pub(super) fn cause_weight(sentence: &str) -> usize {
    let sentence = sentence.to_lowercase();
    let at = CAUSES.iter().position(|words| sentence.contains(words));
    at.map_or(0, |at| CAUSES.len() - at)
}

/// Returns whether a text reports that the problem is solved.
pub(super) fn is_solved(text: &str) -> bool {
    let text = text.to_lowercase();
    SOLVED.iter().any(|words| text.contains(words))
}

/// Returns whether an answer is a refusal.
pub(super) fn is_refusal(answer: &str) -> bool {
    let answer = answer
        .trim_start_matches(['"', ' ', '*'])
        .to_lowercase()
        .replace('’', "'");
    REFUSALS.iter().any(|words| answer.starts_with(words))
}

/// A language of summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Chinese,
    French,
}

/// Small words that exist in French but not in English.
const FRENCH: [&str; 18] = [
    "le", "la", "les", "des", "une", "est", "et", "pour", "dans", "avec", "que", "pas", "je", "il",
    "ne", "sur", "nous", "mon",
];

impl Language {
    /// Determines the language of a text by its letters and small words.
    pub(crate) fn of(text: &str) -> Self {
        let letters = text.chars().filter(|c| c.is_alphabetic()).take(2_000);
        let (han, others) = letters.fold((0_usize, 0_usize), |(han, others), c| {
            match matches!(c, '\u{3400}'..='\u{9fff}') {
                true => (han + 1, others),
                false => (han, others + 1),
            }
        });
        // A Chinese word has about two characters, and code between the words is always in Latin letters.
        if han * 5 > others {
            return Self::Chinese;
        }
        let words = text.split(|c: char| !c.is_alphabetic()).take(2_000);
        let words: Vec<String> = words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let french = words
            .iter()
            .filter(|word| FRENCH.contains(&word.as_str()))
            .count();
        match french >= 2 && french * 8 > words.len() {
            true => Self::French,
            false => Self::English,
        }
    }

    /// Returns its code (ISO 639-1).
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
            Self::French => "fr",
        }
    }
}
