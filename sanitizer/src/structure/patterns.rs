//! The expressions that the search by surroundings needs. The build script makes matchers of them.

/// What may stand between a key and its value, or open a value: in the order of `Part` in
/// `syntax/parts.rs`.
pub(crate) const PARTS: &[&str] = &[
    r#"(?i)^\\*["']?(?:\s*,\s*\\*["'](?:type|description|sensitive|secret|enabled|required|scope|masked|protected)\\*["']\s*:\s*[^,\n{}]{0,60}){0,3}\s*,?\s*\\*["']?(?:[\w-]+:)?(?:value|val|content|default|defaultValue|initial_value|plaintext)\\*["']?\s*[:=]>?[ \t]*"#,
    r#"^(?:\\*["']?\s*:?\s*\{[^{}]{0,160}?["']?[dD]efault(?:Value)?["']?\s*[:=]|:[ \t]*\n(?:[ \t]+[\w-]+:[^\n]*\n){0,3}[ \t]+(?:default|value|example):)[ \t]*"#,
    r#"^\(\s*(?:Some\(\s*)?["'`]"#,
    r#"^["']?[ \t]+(?:--body|--value|--secret-string|--string-value|-b|-v)[ =]+"#,
    r"^</[\w:.-]+>\s*<(?:value|string|param-value|Value|val)\b[^<>]{0,40}>\s*",
    r"^\s*\??:\s*(?:&(?:'\w+ )?)?[A-Za-z_][\w<>\[\]?.&|: ]{0,40}?\s?=[ \t]*",
    r"^[ \t]+(?:[Aa][Ss] )?[*\[\]\w.()]{1,24}[ \t]*:?=[ \t]*",
    r#"^(?:\[\w{0,12}\])?\\*["'`]?\]?\)?\*{0,2}[ \t]*(?:=(?:>|={0,2})|:[=:]?|\?{1,2}=|\+=|\|\|=|!={1,2}|->|<-|[：＝→⇒←])(?:\*\*)?\s*(?:[|>][+-]?\d?[ \t]*\n[ \t]+|&[\w-]+[ \t]+|!!\w+[ \t]+)?"#,
    r#"^\\*["'`][ \t]*,[ \t]*"#,
    r"^[ \t]*\|[ \t]*`?",
    r#"^(?:\\*["'][^<>\n]{0,40}|(?:[ \t]+[\w:.-]{1,30}="[^"<>\n]{0,60}"){1,4})?>\s*"#,
    r#"^(?:\\*["'],?)?\s+"#,
    r"^(?:[ \t]+(?:is|was|are|set to|equals|es|est|ist|lautet|é|è|será|sera|era|wird|war|était|foi|fue)[ \t:]+|[ \t]*(?:是|为|為|は|が|=|는|은|就是|設定為|设为|[—–])[ \t]*|[ \t]-[ \t]|[ \t]+)",
    r#"^(?:\[\s*)?(?:(?:new\s+)?[A-Za-z_][\w.:]{0,40}!?\(\s*)?(?:[bBrRfFuUN@L$]{0,2})(?P<secret>\\*["'`])"#,
];

/// A statement that lists the names of columns, up to its values.
pub(crate) const INSERTED: &str = r"(?i)^insert\s+(?:ignore\s+)?into\s+[^\s(]{1,80}\s*\((?P<secret>[^()]{1,800})\)\s*(?:overriding \w+ value\s*)?values\s*";
