//! Removes question phrases from the ends of a run of Chinese or Japanese.
//!
//! The server segments runs into words, not the client: phrases are removed only at the ends, so that no
//! word is cut in two.

/// Phrases that open a question; longer ones first.
const OPENINGS: [&str; 26] = [
    "用户遇到了",
    "我们遇到了",
    "用户遇到",
    "我遇到了",
    "我遇到",
    "遇到了",
    "遇到",
    "用户反馈",
    "请帮我",
    "帮我",
    "请问",
    "为什么",
    "为何",
    "怎么样",
    "怎么",
    "怎样",
    "如何",
    "我想",
    "我的",
    "一个",
    "这个",
    "的",
    "どうやって",
    "どうすれば",
    "なぜ",
    "の",
];
/// Phrases that close a question; longer ones first.
const CLOSINGS: [&str; 24] = [
    "是什么原因",
    "怎么解决",
    "如何解决",
    "怎么回事",
    "怎么办",
    "怎么做",
    "为什么",
    "的问题",
    "的原因",
    "问题",
    "的",
    "了",
    "吗",
    "呢",
    "吧",
    "啊",
    "を教えてください",
    "教えてください",
    "のでしょうか",
    "でしょうか",
    "のですが",
    "のですか",
    "ですか",
    "について",
];
/// Words that carry no meaning if they are alone between two words of another script.
const ALONE: [&str; 26] = [
    "在", "中", "里", "上", "下", "时", "后", "前", "是", "有", "和", "与", "或", "用", "把", "被",
    "对", "从", "我", "你", "を", "が", "は", "に", "で", "と",
];

/// Returns whether a character belongs to a script without spaces between words: Han, Hiragana, Katakana.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{323AF}')
}

/// Returns the run without the phrases at its ends; empty if nothing else is left.
pub(super) fn strip_phrases(run: &str) -> &str {
    let mut run = run;
    loop {
        let opened = OPENINGS.iter().find_map(|phrase| run.strip_prefix(phrase));
        let closed = CLOSINGS.iter().find_map(|phrase| run.strip_suffix(phrase));
        match opened.or(closed) {
            Some(left) => run = left,
            None if ALONE.contains(&run) => return "",
            None => return run,
        }
    }
}
