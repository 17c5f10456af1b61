//! Tells which language a snippet is written in, and where code stands in Markdown.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

/// A language whose declarations are known. TypeScript is JavaScript here, C++ is C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    JavaScript,
    Python,
    Rust,
    Go,
    Java,
    Kotlin,
    Swift,
    CSharp,
    C,
    Ruby,
    Php,
    Shell,
    Sql,
}

use Language::{
    C, CSharp, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Shell, Sql, Swift,
};

/// What speaks for a language, and how loudly.
const SIGNS: &[(Language, u32, &str)] = &[
    (Python, 3, r"(?m)^\s*(?:async )?def \w+\(.*"),
    (Python, 2, r"(?m)^\s*class \w+(?:\([^)]*\))?:\s*$"),
    (
        Python,
        2,
        r"(?m)^\s*(?:from [\w.]+ import .+|import [\w., ]+)$",
    ),
    (
        Python,
        3,
        r"(?m)^\s*(?:if|for|while|with|try|elif|else|except|finally)\b[^{;]*:\s*(?:#.*)?$",
    ),
    (Python, 1, r"\bself\.|\bprint\(|\bNone\b|\bTrue\b|\bFalse\b"),
    (Python, 2, r"(?m)^[a-z_]\w*(?:, \w+)* = [^;{]*$"),
    (Python, 2, r"[\[({][^\n]* for \w+(?:, \w+)* in "),
    (Python, 2, r"\blambda\b[^\n]*:"),
    (Python, 3, r"(?m)^\s*match .+:\s*$"),
    (
        Python,
        1,
        r"(?m)^\s*(?:del|assert|raise|elif|nonlocal|global)\b",
    ),
    (
        JavaScript,
        3,
        r"\b(?:const|let) (?:\w+|\{[^}]*\}|\[[^\]]*\])(?:: [\w<>\[\]|. ]+)? = ",
    ),
    (JavaScript, 2, r"\bvar \w+ = "),
    (JavaScript, 2, r"\bfunction\b\s*\*?\s*\w*\([^$)]*\)\s*\{"),
    (
        JavaScript,
        3,
        r"(?m)^\s*(?:export |async )*function\s*\*?\s*\w+\([^$)]*\)\s*\{|\bconstructor\(|\btypeof \w",
    ),
    (JavaScript, 1, r"=>|\bawait\b|\basync\b|\bundefined\b|`"),
    (
        JavaScript,
        3,
        r"\bconsole\.|===|\bmodule\.exports\b|\bdocument\.|\bimport .* from ['\x22]|\bexport (?:const|default|function|class)",
    ),
    (
        JavaScript,
        2,
        r": (?:string|number|boolean|void|any)\b|\binterface \w+ \{|\brequire\(",
    ),
    (
        Rust,
        3,
        r"\bfn \w+[<(]|\blet mut\b|\bpub (?:fn|struct|enum)|\buse \w+::",
    ),
    (
        Rust,
        3,
        r"\b(?:println|vec|format|assert|assert_eq|eprintln|panic|dbg|write)!",
    ),
    (
        Rust,
        2,
        r"\bimpl\b|&str\b|&mut\b|String::(?:from|new)|Some\(|Ok\(|\bmatch \w+|\?;|\.unwrap\(\)",
    ),
    (Rust, 2, r"\blet \w+(?:: [\w<>&:, \[\]]+)? = [^\n]*;"),
    (Rust, 1, r"::|->|\|\w+\|"),
    (
        Rust,
        3,
        r"\bmove \||\|\w+: &?\w[^|\n]*\||\blet (?:mut )?\w+: &?(?:u8|u16|u32|u64|usize|i32|i64|f64|Vec<)|\|_\|",
    ),
    (
        Go,
        3,
        r"\bfunc\b[^\n]*\{|:=|(?m)^package \w+\s*$|\berr != nil|\btype \w+ (?:struct|interface)",
    ),
    (
        Go,
        2,
        r"\bfmt\.|\bvar \w+ [\w.\[\]*]+|\bdefer\b|\brange\b|\bchan\b",
    ),
    (
        Java,
        3,
        r"System\.out|\bimport java|@Override|\bpublic static void|\bthrows \w+",
    ),
    (
        Java,
        3,
        r"\b(?:List|Map|Set|Optional|Stream|ArrayList|HashMap)<[^>\n]*> \w+ =|\.stream\(\)|\bCollectors\.|\binstanceof \w+ \w+|\brecord \w+\(",
    ),
    (
        Java,
        2,
        r"\b(?:public|private|protected) (?:static |final |class |void |[A-Za-z<>]+ )|\bString \w+|\bfinal \w+ \w+",
    ),
    (
        Java,
        1,
        r"\bnew \w+[<(]|\bclass \w+ (?:extends|implements|\{)|\bList<|\bint \w+ =",
    ),
    (
        CSharp,
        3,
        r"\busing System|\bConsole\.|\{ get;|\basync Task|\bforeach \(var|\bnamespace [\w.]+|\bstring\.|\bout var",
    ),
    (
        CSharp,
        2,
        r#"\bstring \w+|\$"|\bvar \w+ = [^\n]*;|\bpublic (?:static |async |override |class |void |[A-Za-z<>]+ )"#,
    ),
    (
        CSharp,
        3,
        r"\bstring\? \w+|\busing \((?:var|\w+) |\bfrom \w+ in [^\n]+ select |\bFunc<|\bIEnumerable<|\bout int \w",
    ),
    (C, 4, r"(?m)^\s*#include|\bstd::"),
    (
        C,
        3,
        r"\bint main\(|\bprintf\(|\bcout\b|\bmalloc\(|\bnullptr\b|\bNULL\b|\bsizeof\b",
    ),
    (
        C,
        2,
        r"(?m)^\s*(?:static |const |unsigned )*(?:int|char|double|float|void|size_t|auto|long|uint\d+_t|bool|struct \w+) [*&]*\w+\s*[=;(\[]",
    ),
    (Ruby, 3, r"(?m)^\s*end\s*$|\bdo \||\{ \|\w+"),
    (
        Ruby,
        2,
        r"(?m)^\s*def [\w.?!]+(?:\([^)]*\))?\s*$|\bputs |\brequire ['\x22]|\bunless\b|\belsif\b|\.each\b",
    ),
    (Ruby, 1, r"#\{|\bnil\b|@\w+ =|\.nil\?"),
    (Php, 6, r"<\?php"),
    (Php, 4, r"\$\w+ = [^\n]*;|\bfunction \w*\((?:\w+ )?\$"),
    (Php, 2, r"\$\w+->|\becho |\bforeach \(\$"),
    (Shell, 5, r"(?m)^#!.*sh\b"),
    (
        Shell,
        3,
        r"(?m)^\s*(?:fi|done|esac)\b|^\s*(?:export|local|readonly) \w+=|; then\b|; do\b",
    ),
    (
        Shell,
        2,
        r"(?m)^\s*[A-Za-z_]\w*=[^ =\n]|\$\{\w+|\x22\$\w+|\$\(",
    ),
    (
        Shell,
        1,
        r"(?m)^\s*(?:echo|cd|rm|cp|mv|curl|grep|sed|awk|mkdir) ",
    ),
    (
        Sql,
        4,
        r"(?is)\bselect\b.+?\bfrom\b|\binsert into\b|\bupdate \w+ set\b|\bdelete from\b",
    ),
    (
        Sql,
        5,
        r"(?i)\bcreate (?:or replace )?(?:temp(?:orary)? )?(?:table|view|function|procedure|index)\b|\bwith \w+ as \(|\bdeclare @",
    ),
    (Kotlin, 5, r"\bfun (?:<[^>\n]*> )?[\w.?<>]+\([^\n]*"),
    (
        Kotlin,
        4,
        r"\bva[lr] (?:\w+|\([\w, ]+\))(?:: [\w<>?, .]+)? (?:=|by)[^;\n]*(?m:$)",
    ),
    (
        Kotlin,
        3,
        r"\bwhen \(|\?\.let \{|\bdata class|\bcompanion object|\blateinit var|\b(?:list|map|set)Of\(|\{ \(?\w+(?:, \w+)*\)? ->",
    ),
    (Kotlin, 2, r"\bfor \(\(?\w+(?:, \w+)*\)? in "),
    (
        Swift,
        5,
        r"\bfunc \w+(?:<[^>\n]*>)?\([^)\n]*\w: |\bguard (?:let|var|case) |\bif let \w+ ?[={,]|\{ (?:\[[\w ,]+\] )?\(?\w+(?:: \w+)?(?:, \w+(?:: \w+)?)*\)?(?: -> \w+)? in\b",
    ),
    (
        Swift,
        4,
        r"(?m)^\s*(?:(?:private|public|static|lazy|weak|fileprivate|@\w+) )*(?:let|var) \w+: [A-Z\[(][\w\[\]<>?., :]*(?: = [^\n;]*| \{)?$",
    ),
    (
        Swift,
        4,
        r"\\\(\w|\bcase (?:let )?\.\w+|\bimport (?:UIKit|SwiftUI|Foundation|Combine)\b|\bcatch let \w+|\.self\b|\bextension \w+(?:: \w+)? \{",
    ),
    (Swift, 1, r"(?m)^\s*(?:let|var) \w+ = [^\n;]*$|\btry\?? \w"),
    (
        CSharp,
        4,
        r"\b(?:internal|sealed|readonly|override) (?:static |async |override |readonly )*[A-Z]\w*[\w<>?\[\]]* \w+|\bis (?:not )?null\b|\bis [A-Z]\w+ [a-z]\w*|\bcatch \(\w+ \w+\) when|\bnameof\(|\bIntPtr\b",
    ),
    (CSharp, 5, r"(?s)\bfrom \w+ in .{1,300}?\bselect\b"),
    (
        CSharp,
        2,
        r"\.[A-Z]\w+\(|\.(?:Length|Count|Value|Name)\b|\bref [a-z]\w+|\?\? throw|\bnew\(\)",
    ),
    (
        Java,
        3,
        r"\bfor \((?:final )?\w[\w<>]* \w+ : \w|<\w+ extends \w+[<>]|\bRunnable \w+|(?m)= \([\w, ]*\) -> ",
    ),
    (
        C,
        4,
        r"\btypedef \w|\b(?:void|int|char) \(\*\w+\)\(|\bvoid \*\w+[,)]",
    ),
];

/// What a text must score to be taken for code.
const THRESHOLD: u32 = 3;

/// What `\w` stands for in the signs: any character beyond ASCII too. Telling letters from others
/// there would cost more than all else.
const WORD: &str = r"0-9A-Za-z_\x{80}-\x{10ffff}";

/// Writes `\w` out.
fn spelt_out(pattern: &str) -> String {
    pattern
        .replace(r"[\w", &format!("[{WORD}"))
        .replace(r"\w", &format!("(?-i:[{WORD}])"))
}

fn signs() -> &'static [(Language, u32, Regex)] {
    static CELL: OnceLock<Vec<(Language, u32, Regex)>> = OnceLock::new();
    CELL.get_or_init(|| {
        SIGNS
            .iter()
            .map(|(language, weight, pattern)| {
                (
                    *language,
                    *weight,
                    Regex::new(&spelt_out(pattern)).expect("the pattern is a constant"),
                )
            })
            .collect()
    })
}

/// Returns the language with the most signs in `code`, or nothing when it is no code.
pub(super) fn guess(code: &str) -> Option<Language> {
    let mut scores: Vec<(u32, Language)> = Vec::new();
    for (language, weight, regex) in signs() {
        let hits = regex.find_iter(code).take(3).count() as u32;
        match scores.iter_mut().find(|(_, known)| known == language) {
            Some((score, _)) => *score += weight * hits,
            None => scores.push((weight * hits, *language)),
        }
    }
    let best = scores.iter().map(|(score, _)| *score).max()?;
    let winner = scores.into_iter().find(|(score, _)| *score == best)?;
    (best >= THRESHOLD).then_some(winner.1)
}

/// Returns the pieces of `text` that are code: the fenced blocks where there are any, else all of it.
pub(super) fn snippets(text: &str) -> Vec<(Range<usize>, Language)> {
    let mut snippets = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let mut fenced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(tag) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        fenced = true;
        match open.take() {
            None => open = Some((at, tag.trim())),
            Some((from, tag)) => snippets.extend(judged(text, from..start, tag)),
        }
    }
    if let Some((from, tag)) = open {
        snippets.extend(judged(text, from..text.len(), tag));
    }
    if !fenced && !is_prose(text) {
        snippets.extend(guess(text).map(|language| (0..text.len(), language)));
    }
    snippets
}

fn judged(text: &str, span: Range<usize>, tag: &str) -> Option<(Range<usize>, Language)> {
    let language = match tag.split([' ', ',', '{']).next().unwrap_or_default() {
        "" => guess(text.get(span.clone())?)?,
        tag => tagged(&tag.to_ascii_lowercase())?,
    };
    Some((span, language))
}

fn tagged(tag: &str) -> Option<Language> {
    Some(match tag {
        "js" | "jsx" | "ts" | "tsx" | "javascript" | "typescript" | "mjs" | "node" => JavaScript,
        "py" | "python" | "python3" => Python,
        "rs" | "rust" => Rust,
        "go" | "golang" => Go,
        "java" => Java,
        "kt" | "kts" | "kotlin" => Kotlin,
        "swift" => Swift,
        "cs" | "csharp" | "c#" => CSharp,
        "c" | "cpp" | "c++" | "h" | "hpp" | "cc" => C,
        "rb" | "ruby" => Ruby,
        "php" => Php,
        "sh" | "bash" | "shell" | "zsh" => Shell,
        "sql" | "mysql" | "postgresql" | "sqlite" => Sql,
        _ => return None,
    })
}

/// Whether many lines are sentences: five words and no punctuation of code.
fn is_prose(text: &str) -> bool {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let sentence = |line: &&str| {
        let comment =
            line.starts_with(['#', '/', '*']) && !line.starts_with("# ") && !line.starts_with("* ");
        let words = line.split_whitespace().filter(|word| {
            word.chars()
                .all(|c| c.is_alphabetic() || ",.:'-`".contains(c))
        });
        let keyword = line.split(' ').next().unwrap_or_default();
        let query = keyword.len() > 1 && keyword.bytes().all(|b| b.is_ascii_uppercase())
            || matches!(keyword, "select" | "insert" | "update");
        !comment
            && !query
            && words.count() >= 5
            && !line.contains(['=', ';', '{', '}'])
            && !line.ends_with([':', ',', '(', ')'])
    };
    let sentences = lines().filter(sentence).count();
    sentences * 4 > lines().count()
}
